"""An operation that fakes take part in, or that is done inside `fake()`: what a rule knows of it, and may do."""

from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, ref

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.common.blocks import call_in
from cowarray._modes.fake.assumptions import ANSWERS, Assumptions
from cowarray._modes.fake.fakes import (
    Ledger,
    Origin,
    copying,
    during,
    first_fake,
    forget,
    is_fake,
    locate,
    make,
    origin_of,
    permit,
    picked_by,
    write,
)
from cowarray._modes.fake.refusals import FakeError
from cowarray._modes.layouts.layouts import Layout
from cowarray._native.storage import Storage
from cowarray._ops import table
from cowarray._ops.conversion import asarray
from cowarray._ops.ufuncs import written_by

__all__ = ["Block", "Call", "disown"]

# Storages of arrays that were computed inside a block because they are small: they are the block's own, so they may
# lose their bytes again when a fake is written into them.
_computed: WeakSet[Storage] = WeakSet()

# By the Storages of fakes that stand for mapped files: lazy copies, which stand for the files that keep their bytes.
_shared_with_files: WeakKeyDictionary[Storage, ndarray] = WeakKeyDictionary()


class Block:
    """What holds inside a block: on whose account fakes are, and how small a result is computed.

    Parameters
    ----------
    ledger : Ledger
    real : int
        Results of fewer bytes, which depend on no fake, are computed.
    origin : Origin, optional
        The line on whose account all fakes are; else each is on that of the line at which it is made.
    assumed : frozenset of str, optional
        In code whose result has one layout whatever a condition says: ufuncs whose answer about a fake, where it is one
        truth, is taken to be True. That of all others is False.
    answers : bool, default False
        In NumPy's own code: whether it gets the answers that the plan assumes, as the program does.
    """

    __slots__ = ("answers", "assumed", "ledger", "origin", "real")

    def __init__(
        self,
        ledger: Ledger,
        real: int,
        origin: Origin | None = None,
        assumed: frozenset[str] | None = None,
        answers: bool = False,
    ) -> None:
        self.answers = answers
        self.assumed = assumed
        self.ledger = ledger
        self.real = real
        self.origin = origin


class Call:
    """One operation: its name on the road, a function that does it as ever, and its arguments."""

    __slots__ = ("_origin", "args", "block", "faked", "function", "kwargs", "operation")

    def __init__(
        self,
        operation: str,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        block: Block | None,
        faked: ndarray | None,
    ) -> None:
        self.operation = operation
        self.function: Any = function
        self.args = args
        self.kwargs = kwargs
        if block is None:
            assert faked is not None
            block = Block(origin_of(faked).ledger, 0)
        self.block = block
        self.faked = faked  # the first fake among the arguments, or None
        self._origin: Origin | None = None

    @property
    def origin(self) -> Origin:
        """Origin: The line of the program that runs."""
        if self._origin is None:
            self._origin = self.block.origin or self.block.ledger.here()
        return self._origin

    # ---- what is computed after all

    def compute(self, *, forgets: bool = False) -> Any:
        """Do it as ever, outside of the block. What it gives is the block's own.

        Parameters
        ----------
        forgets : bool
            Whether results of `real` bytes or more lose their values again.
        """
        given = [(each, each.storage) for each in _arrays_in((self.args, self.kwargs))]
        result = call_in(None, self.function, self.args, self.kwargs)
        if forgets and max(map(_nbytes, _arrays_in(result)), default=0) >= self.block.real:
            self.forget(result)
        # What was given is not the block's own, nor are views of it.
        known = {storage for _, storage in given}
        for each in _arrays_in(result):
            if each.storage not in known and each.storage not in _computed and not is_fake(each):
                _computed.add(each.storage)
                self.block.ledger.add_real(each.storage)
        for each, storage in given:
            if each.storage not in known:  # resized
                known.add(each.storage)
                self.block.ledger.add_real(each.storage)
                if storage in _computed:
                    _computed.add(each.storage)
        return result

    def forgotten(self) -> Any:
        """Do it as ever, and have results of `real` bytes or more lose their values again."""
        return self.compute(forgets=True)

    def forget(self, result: object) -> None:
        """Have arrays lose their values that the operation has made, not those that it was given, or views of them."""
        given = {each.storage for each in _arrays_in((self.args, self.kwargs))}
        for each in _arrays_in(result):
            if each.storage not in given:
                self._forget(each)

    def _forget(self, x: ndarray) -> None:
        forget(x, self.origin)
        self.block.ledger.drop_real(ref(x.storage))  # one of another plan stays with that

    def writes_real_arrays(self) -> bool:
        """Whether all is real, and some of it is written: then it is done as ever."""
        return self.faked is None and any(
            isinstance(each, (ndarray, np.ndarray))
            for each in written_by(self.operation, self.function, self.args, self.kwargs)
        )

    def is_large(self, x: Any) -> bool:
        """Whether an array is one that a block gives no bytes."""
        return x.nbytes >= self.block.real

    def is_written(self, x: object) -> bool:
        """Whether an array that the operation gives back is one that it has written."""
        out = self.kwargs.get("out")
        if x is out or (type(out) is tuple and any(x is each for each in out)):
            return True
        if self.operation.startswith("ndarray."):
            return any(x is each for each in self.args[1:])
        if self.operation == "nan_to_num":
            return (self.args[1] if len(self.args) > 1 else self.kwargs.get("copy", True)) is False
        row = _row_of(self.function)
        return row is not None and any(
            len(self.args) > each.position and x is self.args[each.position] for each in row.writes
        )

    # ---- what is given back

    def give(self, *layouts: Layout) -> Any:
        """The results that have these layouts: one, or a tuple of several. Small ones that no fake is needed for are
        computed."""
        if self.faked is None and max(map(_nbytes, layouts)) < self.block.real:
            return self.compute()
        origin = self.origin
        if len(layouts) == 1:
            return make(origin, *layouts[0])
        return tuple([make(origin, *layout) for layout in layouts])

    def mapped(self, x: Any) -> ndarray:
        """A fake in place of an array that maps a file: it takes no memory, and the first write to it copies.

        Parameters
        ----------
        x : numpy.memmap
            Contiguous.
        """
        made = make(self.origin, x.shape, x.dtype, x.strides, mapped=True)
        _shared_with_files[made.storage] = made.lazy_clone()
        return made

    def view(self, *arrays: ndarray) -> Any:
        """What the function gives as ever, which makes views of arrays and touches none of their elements."""
        result = permit(self.operation, list(arrays), self.function, self.args, self.kwargs)
        if isinstance(result, np.generic) or (type(result) is tuple and any(isinstance(x, np.generic) for x in result)):
            raise self.refusal("a value is needed")  # no rule may let it come to that
        return result

    def resized(self, x: ndarray, shape: Any) -> Any:
        """What `resize` does: it gives the array a Storage of its own."""
        if is_fake(x):
            return during(self.operation, copying, (self.origin, self.function, self.args, self.kwargs), {})
        return self.compute()

    def copy(self) -> Any:
        """What the function gives as ever, which copies by the library's own rules for copies."""
        return during(self.operation, copying, (self.origin, self.function, self.args, self.kwargs), {})

    # ---- what is written

    def writes(self, x: Any, whole: bool = False, text: bool = False, key: object = ...) -> bool:
        """Whether an array that the operation writes has become, or is, a fake; False: compute it, all is real.

        Parameters
        ----------
        x : ndarray or numpy.ndarray
        whole : bool
            Whether all of it gets values that do not depend on the old ones.
        text : bool
            Whether what is left of a text is written, too.
        key : object, optional
            A settled index, of what of it is written.

        Raises
        ------
        FakeError
            A fake would be written into an array that has bytes.
        """
        if not is_fake(x):
            if self.faked is None:
                return False
            if not isinstance(x, ndarray) or x.storage not in _computed:
                raise self.refusal(
                    "a fake has no values to write into an array that has bytes",
                    "make that one inside of the block, or a fake of it by fake_like(x)"
                    if isinstance(x, ndarray)
                    else "that one is NumPy's: make it by cowarray inside of the block, or take it in, "
                    "by x = cowarray.fake_like(x)",
                )
            if not x.flags.writeable:
                raise ValueError("assignment destination is read-only")
            self._forget(x)
        picked = picked_by(x, self.operation, self.function, self.args, self.kwargs) if key is ... else None
        write(x, whole, text, self.origin, self.operation, key, picked)
        return True

    # ---- what is assumed

    @property
    def assumptions(self) -> Assumptions | None:
        """Assumptions or None: Those of the plan; None in NumPy's own code, which has rules for what it asks."""
        block = self.block
        return block.ledger.assumptions if block.origin is None or block.answers else None

    def picked(self, length: int, reason: str, advice: str = "") -> int:
        """How many of so many elements values pick.

        Raises
        ------
        FakeError
            Nothing is assumed of that.
        """
        assumptions = self.assumptions
        count = None if assumptions is None else assumptions.picked(length)
        if count is None:
            raise self.refusal(reason, advice, "masks")
        return count

    def is_true(self, reason: str, advice: str = "") -> bool:
        """Whether a condition holds that depends on values; raises as `picked`."""
        assumptions = self.assumptions
        truth = None if assumptions is None else assumptions.condition()
        if truth is None:
            raise self.refusal(reason, advice, "conditions")
        return truth

    def number(self, dtype: np.dtype, reason: str, advice: str = "") -> float:
        """What number an element of a dtype is; raises as `picked`."""
        assumptions = self.assumptions
        number = None if assumptions is None else assumptions.number(dtype.kind)
        if number is None:
            raise self.refusal(reason, advice, "numbers")
        return number

    # ---- what is refused

    def refusal(self, reason: str, advice: str = "", assumable: str = "") -> FakeError:
        """A `FakeError` of this operation, about its first fake, if there is one; assumable: a key of `ANSWERS`."""
        site = None if self.faked is None else origin_of(self.faked).site
        if assumable:
            assumable = f"{assumable}={ANSWERS[assumable]}" if self.assumptions is not None else ""
        return FakeError(self.operation, reason, site, advice, assumable)

    # ---- what rules look at

    def header(self, value: Any) -> Any:
        """NumPy's array for those who look at shape, dtype and strides; a number stays what it is."""
        if isinstance(value, ndarray):
            return locate(value)
        if isinstance(value, (list, tuple)) and first_fake(value) is not None:
            return locate(asarray(value))
        if isinstance(value, (np.ndarray, np.generic, int, float, complex)) or value is None:
            return value
        return np.asarray(value)


def _row_of(function: Any) -> table.Operation | None:
    """The table's row of what a journey does, where that is a function of NumPy's."""
    function = getattr(function, "function", None)
    if not callable(function):
        return None
    if function not in _rows:
        _rows[function] = table.lookup(function)
    return _rows[function]


_rows: dict[Callable[..., Any], table.Operation] = {}


def disown(result: object) -> None:
    """Note that the arrays in a result are somebody's, who did not ask for fakes."""
    _computed.difference_update([each.storage for each in _arrays_in(result)])


def _arrays_in(result: object) -> Iterator[ndarray]:
    if isinstance(result, ndarray):
        yield result
    elif isinstance(result, dict):
        yield from _arrays_in(tuple(result.values()))
    elif isinstance(result, (tuple, list)):
        for each in result:
            yield from _arrays_in(each)


def _nbytes(layout: Layout | ndarray) -> int:
    size: int = layout.dtype.itemsize
    for length in layout.shape:
        size *= length
    return size
