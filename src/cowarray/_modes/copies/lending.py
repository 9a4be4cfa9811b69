"""`lend`: arrays for libraries that write through ``np.asarray(x)``, or into a buffer requested for reading."""

from typing import Any, Generic, TypeVar, cast, overload

from cowarray._array.exports import Loan
from cowarray._face.ndarray import ndarray
from cowarray._native.public import public

__all__ = ["lend"]

_Array = TypeVar("_Array", bound=ndarray[Any, Any])
_Lent = TypeVar("_Lent")


@public
class lend(Generic[_Lent]):
    """Context manager in which `numpy.asarray` of these arrays, and their buffers, are writable aliases.

    ``with lend(x) as out`` binds x itself; with several arrays, a tuple of them.

    For code that writes its result into ``np.asarray(out)``: elsewhere that is a snapshot, which refuses writes. The
    loan applies to the array object, in every thread; its views and copies are exported as usual. Copies made in the
    block are eager because the arrays are pinned. An array stays pinned until the block and all its aliases have ended.

    Parameters
    ----------
    *arrays : ndarray
        Writable arrays. Bytes that they share are copied when the block begins, as by any write.

    Raises
    ------
    TypeError
        No array was passed, or one of them is not a `cowarray.ndarray`.
    ValueError
        On entering: one of them is read-only. None is lent then.
    RuntimeError
        A block is exited that was not entered.

    See Also
    --------
    ndarray.to_numpy : With ``writable=True``, returns one alias, to be passed on by hand.

    Examples
    --------
    >>> import numpy as np, cowarray
    >>> def add_one(out):
    ...     np.asarray(out)[...] += 1
    >>> x = cowarray.array([1, 2])
    >>> y = x.copy()
    >>> with cowarray.lend(x) as out:
    ...     add_one(out)
    >>> x, y
    (array([2, 3]), array([1, 2]))
    """

    @overload
    def __init__(self: "lend[_Array]", array: _Array, /) -> None: ...
    @overload
    def __init__(self: "lend[tuple[_Array, ...]]", first: _Array, second: _Array, /, *more: _Array) -> None: ...
    def __init__(self, *arrays: Any) -> None:
        if not arrays:
            raise TypeError("lend: expected at least one array to lend (got none)")
        for position, x in enumerate(arrays):
            if type(x) is not ndarray:
                several = isinstance(x, (list, tuple))
                raise TypeError(
                    f"lend: expected cowarray.ndarray (got {type(x).__name__} at position {position}); "
                    f"{'pass the arrays one by one' if several else 'NumPy arrays need no lending'}"
                )
        self._arrays: tuple[ndarray[Any, Any], ...] = arrays
        self._entered: list[Any] = []

    def __enter__(self) -> _Lent:
        loans = []
        try:
            for x in self._arrays:
                loans.append(Loan(x))  # if one fails, those before it end
            self._entered.append(loans)
        except BaseException:
            _end(loans)
            raise
        [first, *others] = self._arrays
        return cast("_Lent", self._arrays if others else first)

    def __exit__(self, *exc: object) -> None:
        if not self._entered:
            raise RuntimeError("lend: it has no open block")
        _end(self._entered.pop())


def _end(loans: Any) -> None:
    for loan in loans:
        loan.end()
