"""An operation that fakes take part in, or that is done inside `fake()`: what a rule knows of it, and what it may do."""

from contextvars import ContextVar
from weakref import WeakSet

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.fakes import copying, during, first_fake, forget, is_fake, locate, make, origin_of, permit, write
from cowarray._modes.refusals import FakeError

__all__ = ["Block", "Call", "innermost"]

# The innermost block of the current context in which arrays are born without bytes.
innermost = ContextVar("cowarray_fake", default=None)

# Storages of arrays that were computed inside a block because they are small: they are the block's own, so they may
# lose their bytes again when a fake is written into them.
_computed = WeakSet()


class Block:
    """What holds inside a block: on whose account fakes are, and how small a result is computed.

    Parameters
    ----------
    ledger : Ledger
    real : int
        Results of fewer bytes, which depend on no fake, are computed.
    """

    __slots__ = ("ledger", "real")

    def __init__(self, ledger, real):
        self.ledger = ledger
        self.real = real


class Call:
    """One operation: its name on the road, a function that does it as ever, and its arguments."""

    __slots__ = ("_origin", "args", "block", "faked", "function", "kwargs", "operation")

    def __init__(self, operation, function, args, kwargs, block, faked):
        self.operation = operation
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.block = Block(origin_of(faked).ledger, 0) if block is None else block
        self.faked = faked  # the first fake among the arguments, or None
        self._origin = None

    @property
    def origin(self):
        """Origin: The line of the program that runs."""
        if self._origin is None:
            self._origin = self.block.ledger.here()
        return self._origin

    # ---- what is computed after all

    def compute(self):
        """Do it as ever, outside of the block. What it gives is the block's own."""
        token = innermost.set(None)
        try:
            result = self.function(*self.args, **self.kwargs)
        finally:
            innermost.reset(token)
        self._own(result)
        return result

    def _own(self, result):
        if isinstance(result, ndarray):
            if not any(result is value for value in self.args):
                _computed.add(result.storage)
        elif isinstance(result, (tuple, list)):
            for each in result:
                self._own(each)

    # ---- what is given back

    def give(self, *layouts):
        """The results that have these layouts: one, or a tuple of several. Small ones that no fake is needed for are
        computed."""
        if self.faked is None and sum(map(_nbytes, layouts)) < self.block.real:
            return self.compute()
        origin = self.origin
        if len(layouts) == 1:
            return make(origin, *layouts[0])
        return tuple([make(origin, *layout) for layout in layouts])

    def view(self, *arrays):
        """What the function gives as ever, which makes views of arrays and touches none of their elements."""
        return permit(self.operation, list(arrays), self.function, self.args, self.kwargs)

    def copy(self):
        """What the function gives as ever, which copies by the library's own rules for copies."""
        return during(self.operation, copying, (self.origin, self.function, self.args, self.kwargs), {})

    # ---- what is written

    def writes(self, x, whole=False, text=False):
        """Whether an array that the operation writes has become, or is, a fake; False: compute it, all is real.

        Parameters
        ----------
        x : ndarray or numpy.ndarray
        whole : bool
            Whether all of it gets values that do not depend on the old ones.
        text : bool
            Whether what is left of a text is written, too.

        Raises
        ------
        FakeError
            A fake would be written into an array that has bytes.
        """
        if not is_fake(x):
            if self.faked is None:
                return False
            if not isinstance(x, ndarray) or x.storage not in _computed:
                raise self.refusal("a fake has no values to write into an array that has bytes")
            if not x.flags.writeable:
                raise ValueError("assignment destination is read-only")
            forget(x, self.origin)
        write(x, whole, text, self.origin, self.operation)
        return True

    # ---- what is refused

    def refusal(self, reason, advice=""):
        """A `FakeError` of this operation, about its first fake, if there is one."""
        site = None if self.faked is None else origin_of(self.faked).site
        return FakeError(self.operation, reason, site, advice)

    # ---- what rules look at

    def header(self, value):
        """NumPy's array for those who look at shape, dtype and strides; a number stays what it is."""
        if isinstance(value, ndarray):
            return locate(value)
        if isinstance(value, (list, tuple)) and first_fake(value) is not None:
            raise self.refusal("a list of fakes stands where an array should", "make an array of it with stack")
        if isinstance(value, (np.ndarray, np.generic, int, float, complex)) or value is None:
            return value
        return np.asarray(value)


def _nbytes(layout):
    size = layout.dtype.itemsize
    for length in layout.shape:
        size *= length
    return size
