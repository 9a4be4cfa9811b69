"""An operation on fakes, or inside `fake()`: all that a rule knows about it and may do."""

import inspect
import itertools
import operator
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

# Storages of arrays that were computed inside a block because they are small. They belong to the block, so they may
# lose their bytes again when a fake is written into them.
_computed: WeakSet[Storage] = WeakSet()

# By the Storage of a fake that stands for a mapped file: a lazy copy, standing for the file, which keeps its bytes.
_shared_with_files: WeakKeyDictionary[Storage, ndarray] = WeakKeyDictionary()


class Block:
    """A block's settings: the account of its fakes, and the size below which results are computed.

    Parameters
    ----------
    ledger : Ledger
    real : int
        Results of fewer bytes that depend on no fake are computed.
    origin : Origin, optional
        The line on whose account all fakes are. Default: each is on that of the line that makes it.
    assumed : frozenset of str, optional
        For code whose result has one layout whatever its conditions yield: ufuncs whose result on a fake, if a single
        truth value, is taken to be True. That of all others is taken to be False.
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
    """One operation: its name on the road, the function that does it as usual, and its arguments."""

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
        if kwargs and not args:
            args, kwargs = _by_position(operation, kwargs)
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
        """Origin: The running line of the program."""
        if self._origin is None:
            self._origin = self.block.origin or self.block.ledger.here()
        return self._origin

    # ---- computing after all

    def compute(self, *, forgets: bool = False) -> Any:
        """Do it as usual, outside the block. The results belong to the block.

        Parameters
        ----------
        forgets : bool
            Whether the results lose their values again if the largest has `real` bytes or more.
        """
        given = [(each, each.storage) for each in _arrays_in((self.args, self.kwargs))]
        result = call_in(None, self.function, self.args, self.kwargs)
        if forgets and max(map(_nbytes, _arrays_in(result)), default=0) >= self.block.real:
            self.forget(result)
        # Arguments, and views of them, do not belong to the block.
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
        """Do it as usual; if the largest result has `real` bytes or more, drop the results' values again."""
        return self.compute(forgets=True)

    def forget(self, result: object) -> None:
        """Drop the values of arrays that the operation has made, but not of arguments or views of them."""
        given = {each.storage for each in _arrays_in((self.args, self.kwargs))}
        for each in _arrays_in(result):
            if each.storage not in given:
                self._forget(each)

    def _forget(self, x: ndarray) -> None:
        forget(x, self.origin)
        self.block.ledger.drop_real(ref(x.storage))  # one of another plan stays on that plan's account

    def writes_real_arrays(self) -> bool:
        """True if no argument is fake and one is written: then the operation is done as usual."""
        return self.faked is None and any(
            isinstance(each, (ndarray, np.ndarray))
            for each in written_by(self.operation, self.function, self.args, self.kwargs)
        )

    def is_large(self, x: Any) -> bool:
        """True if an array is so large that the block gives it no bytes."""
        return x.nbytes >= self.block.real

    def is_written(self, x: object) -> bool:
        """True if an array that the operation returns is an argument that it has written."""
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

    # ---- results

    def give(self, *layouts: Layout) -> Any:
        """Return results of these layouts, one or a tuple; computed if all are small and no argument is a fake."""
        if self.faked is None and max(map(_nbytes, layouts)) < self.block.real:
            return self.compute()
        origin = self.origin
        if len(layouts) == 1:
            return make(origin, *layouts[0])
        return tuple([make(origin, *layout) for layout in layouts])

    def mapped(self, x: Any) -> ndarray:
        """Return a fake in place of an array that maps a file: it takes no memory, and the first write to it copies.

        Parameters
        ----------
        x : numpy.memmap
            Contiguous.
        """
        made = make(self.origin, x.shape, x.dtype, x.strides, mapped=True)
        _shared_with_files[made.storage] = made.lazy_clone()
        return made

    def view(self, *arrays: ndarray) -> Any:
        """Return the result of the function, which makes views of arrays and touches none of their elements."""
        result = permit(self.operation, list(arrays), self.function, self.args, self.kwargs)
        if isinstance(result, np.generic) or (type(result) is tuple and any(isinstance(x, np.generic) for x in result)):
            raise self.refusal("a value is needed")  # rules must not let this happen
        return result

    def resized(self, x: ndarray, shape: Any) -> Any:
        """Do `resize`, which gives the array its own Storage."""
        if is_fake(x):
            return during(self.operation, copying, (self.origin, self.function, self.args, self.kwargs), {})
        return self.compute()

    def copy(self) -> Any:
        """Return the result of the function, which copies by the library's own rules for copies."""
        return during(self.operation, copying, (self.origin, self.function, self.args, self.kwargs), {})

    # ---- writes

    def writes(self, x: Any, whole: bool = False, text: bool = False, key: object = ...) -> bool:
        """Account for a write to an array, which may become a fake; False if all is real and is to be computed.

        Parameters
        ----------
        x : ndarray or numpy.ndarray
        whole : bool
            Whether all of it gets values that do not depend on the old ones.
        text : bool
            Whether the unused rest of a text is written as well.
        key : object, optional
            A settled index of the part that is written.

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

    # ---- assumptions

    @property
    def assumptions(self) -> Assumptions | None:
        """Assumptions or None: The plan's; None in NumPy's own code, whose questions have their own rules."""
        block = self.block
        return block.ledger.assumptions if block.origin is None or block.answers else None

    def picked(self, length: int, reason: str, advice: str = "") -> int:
        """Return how many of `length` elements are picked by values.

        Raises
        ------
        FakeError
            Nothing is assumed about that.
        """
        assumptions = self.assumptions
        count = None if assumptions is None else assumptions.picked(length)
        if count is None:
            raise self.refusal(reason, advice, "masks")
        return count

    def is_true(self, reason: str, advice: str = "") -> bool:
        """Return whether a condition holds that depends on values; raise as `picked` does."""
        assumptions = self.assumptions
        truth = None if assumptions is None else assumptions.condition()
        if truth is None:
            raise self.refusal(reason, advice, "conditions")
        return truth

    def number(self, dtype: np.dtype, reason: str, advice: str = "") -> float:
        """Return the value of an element of a dtype; raise as `picked` does."""
        assumptions = self.assumptions
        number = None if assumptions is None else assumptions.number(dtype.kind)
        if number is None:
            raise self.refusal(reason, advice, "numbers")
        return number

    # ---- refusals

    def refusal(self, reason: str, advice: str = "", assumable: str = "") -> FakeError:
        """Return a `FakeError` of this operation, about its first fake if any; assumable: a key of `ANSWERS`."""
        site = None if self.faked is None else origin_of(self.faked).site
        if assumable:
            assumable = f"{assumable}={ANSWERS[assumable]}" if self.assumptions is not None else ""
        return FakeError(self.operation, reason, site, advice, assumable)

    # ---- arguments

    def header(self, value: Any) -> Any:
        """Return a NumPy array from which to read shape, dtype and strides; a number stays as it is."""
        if isinstance(value, ndarray):
            return locate(value)
        if isinstance(value, (list, tuple)) and first_fake(value) is not None:
            return locate(asarray(value))
        if isinstance(value, (np.ndarray, np.generic, int, float, complex)) or value is None:
            return value
        return np.asarray(value)


def _by_position(operation: str, kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return named arguments as rules take them: those of the first parameters by position."""
    try:
        parameters = inspect.signature(operator.attrgetter(operation)(np)).parameters.values()
    except (AttributeError, TypeError, ValueError):
        return (), kwargs  # not NumPy's, or C code that tells no signature
    leading = itertools.takewhile(lambda each: each.kind is each.POSITIONAL_OR_KEYWORD, parameters)
    first = list(itertools.takewhile(kwargs.__contains__, [each.name for each in leading]))
    return tuple([kwargs[name] for name in first]), {key: value for key, value in kwargs.items() if key not in first}


def _row_of(function: Any) -> table.Operation | None:
    """Return the table's row of the function that a journey runs, if that is NumPy's; else None."""
    function = getattr(function, "function", None)
    if not callable(function):
        return None
    if function not in _rows:
        _rows[function] = table.lookup(function)
    return _rows[function]


_rows: dict[Callable[..., Any], table.Operation] = {}


def disown(result: object) -> None:
    """Record that the arrays in a result belong to code that did not ask for fakes."""
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
