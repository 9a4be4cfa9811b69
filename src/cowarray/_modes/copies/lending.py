"""`lend`: arrays for libraries that write through ``np.asarray(x)``, or through a buffer they did not ask to write."""

from typing import Any, Self

from cowarray._array.exports import Loan
from cowarray._face.ndarray import ndarray
from cowarray._native.public import public

__all__ = ["lend"]


@public
class lend:
    """Context manager in which `numpy.asarray` of these arrays, and their buffers, are writable aliases.

    For code that writes its result into ``np.asarray(out)``: elsewhere that is a snapshot, which refuses writes. What
    is lent is the array object, in every thread: its views and copies go out as ever. Copies made in the block are made
    at once, because the arrays are pinned. An array stays pinned until the block has ended and each alias is gone.

    Parameters
    ----------
    *arrays : ndarray
        Writable. Bytes that they share are copied when the block begins, as by any write.

    Raises
    ------
    TypeError
        There is no array, or one of them is not a `cowarray.ndarray`.
    ValueError
        On entering: one of them is read-only. None is lent then.

    See Also
    --------
    ndarray.to_numpy : With ``writable=True``, one alias, which is passed on by hand.

    Examples
    --------
    >>> import numpy as np, cowarray
    >>> def add_one(out):
    ...     np.asarray(out)[...] += 1
    >>> x = cowarray.array([1, 2])
    >>> y = x.copy()
    >>> with cowarray.lend(x):
    ...     add_one(x)
    >>> x, y
    (array([2, 3]), array([1, 2]))
    """

    def __init__(self, *arrays: ndarray[Any, Any]) -> None:
        if not arrays:
            raise TypeError("lend: expected at least one array to lend (got none)")
        for position, x in enumerate(arrays):
            if type(x) is not ndarray:
                raise TypeError(
                    f"lend: expected cowarray.ndarray (got {type(x).__name__} at position {position}); "
                    "NumPy's arrays need no lending"
                )
        self._arrays = arrays
        self._entered: list[Any] = []

    def __enter__(self) -> Self:
        loans = []
        try:
            for x in self._arrays:
                loans.append(Loan(x))  # those that were made end if the next cannot be
            self._entered.append(loans)
        except BaseException:
            _end(loans)
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        _end(self._entered.pop())


def _end(loans: Any) -> None:
    for loan in loans:
        loan.end()
