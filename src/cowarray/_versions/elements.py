"""Elements of an array in memory order, in which two versions of it are compared."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cowarray._face.ndarray import ndarray
from cowarray._native.storage import differences
from cowarray._ops.conversion import asarray

__all__ = ["CHUNK", "Elements", "common_order", "differ", "runs_that_may_differ"]

CHUNK = 1 << 20  # bytes that are compared at a time


class Elements:
    """An array's value at one time, as a sequence of elements.

    Attributes
    ----------
    array : ndarray
        A lazy copy of a cowarray array, or NumPy's array as it is.
    seen : numpy.ndarray
        The same bytes for NumPy, read-only.
    """

    def __init__(self, name: str, x: object) -> None:
        made: Any = x if isinstance(x, (np.ndarray, ndarray)) else asarray(x)
        self.array: Any = made.lazy_clone() if type(made) is ndarray else made
        self.seen: NDArray[Any] = self.array.to_numpy() if type(made) is ndarray else made
        if self.seen.dtype.hasobject or self.seen.dtype.kind == "T":
            raise TypeError(f"{name}: elements of {self.seen.dtype!r} are references, and bytes are compared")

    def place(self) -> tuple[Any, int] | None:
        """Return the Storage, and the offset in it of the first element; None for NumPy's arrays."""
        if type(self.array) is not ndarray:
            return None
        storage = self.array.storage
        return storage, self.seen.ctypes.data - storage.data_ptr


def common_order(x: Elements, y: Elements) -> tuple[int, ...] | None:
    """Return the order of axes in which both are C-contiguous, or None."""
    strides, shape = x.seen.strides, x.seen.shape
    order = tuple(sorted(range(x.seen.ndim), key=lambda axis: -abs(strides[axis]) if shape[axis] > 1 else 0))
    together = x.seen.transpose(order).flags.c_contiguous and y.seen.transpose(order).flags.c_contiguous
    return order if together else None


def runs_that_may_differ(x: Elements, y: Elements) -> list[tuple[int, int]]:
    """Return runs of elements, in the memory order of both; outside of them, both are equal."""
    size, itemsize = x.seen.size, x.seen.dtype.itemsize
    here, there = x.place(), y.place()
    if here is None or there is None:
        return [(0, size)]
    runs = differences(*here, *there, size * itemsize)
    ends = [(start // itemsize, -(-stop // itemsize)) for start, stop in runs]
    joined: list[tuple[int, int]] = []
    for start, stop in ends:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], stop
        else:
            joined.append((start, stop))
    return joined


# ---- bytes that count ------------------------------------------------------------------------------------------------

_NUMBER_OF_LONGDOUBLE = 10 if np.finfo(np.longdouble).nmant == 63 else np.dtype(np.longdouble).itemsize


def _counting(dtype: np.dtype[Any]) -> NDArray[np.bool_]:
    """Tell which bytes of an item are not padding."""
    counting = np.zeros(dtype.itemsize, np.bool_)
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.tile(_counting(base), int(np.prod(shape, dtype=np.intp)))
    if dtype.fields is not None:
        for field in dtype.fields.values():
            counting[field[1] : field[1] + field[0].itemsize] |= _counting(field[0])
    elif dtype.char in "gG":
        size = np.dtype(np.longdouble).itemsize
        counting[:] = np.arange(dtype.itemsize) % size < _NUMBER_OF_LONGDOUBLE
    else:
        counting[:] = True
    return counting


def differ(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of elements that differ, in C order, between arrays of one shape and dtype. Padding is ignored.

    Parameters
    ----------
    x, y : numpy.ndarray
        Contiguous ones are not copied.

    Returns
    -------
    numpy.ndarray of bool
        One-dimensional.
    """
    itemsize = x.dtype.itemsize
    if x.size == 0 or itemsize == 0:
        return np.zeros(x.size, np.bool_)
    counting = _counting(x.dtype)
    one, other = (np.ascontiguousarray(z).reshape(-1) for z in (x, y))
    if itemsize in (1, 2, 4, 8) and counting.all():
        word = f"u{itemsize}"
        return np.asarray(one.view(word) != other.view(word))
    unequal = one.view(np.uint8).reshape(-1, itemsize) != other.view(np.uint8).reshape(-1, itemsize)
    return np.asarray((unequal if counting.all() else unequal[:, counting]).any(axis=1))
