"""`changes`: where two arrays differ, found by page and told by element."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cowarray._face.ndarray import ndarray
from cowarray._native.public import public
from cowarray._ops.conversion import asarray
from cowarray._versions.elements import CHUNK, Elements, common_order, differ, runs_that_may_differ

__all__ = ["Changes", "changes", "find"]

_Mask = NDArray[np.bool_]
_Indices = NDArray[np.intp]


@public
class Changes:
    """The elements in which two arrays differ, as found by `changes`; true if they differ anywhere.

    Parameters
    ----------
    shape : tuple of int
        The shape of the arrays.
    order : tuple of int
        The order of axes in which the elements, taken in C order, are in memory order.
    itemsize : int
        Bytes of an element.
    blocks : list of (int, numpy.ndarray of bool)
        Runs of elements in that order: the index of the first, and a mask of those that differ.

    Attributes
    ----------
    size : int
        The number of elements that differ.
    nbytes : int
        The bytes of those elements.

    See Also
    --------
    changes : Find them.
    """

    def __init__(
        self, shape: tuple[int, ...], order: tuple[int, ...], itemsize: int, blocks: list[tuple[int, _Mask]]
    ) -> None:
        self.shape = shape
        self.size = sum(int(np.count_nonzero(mask)) for _, mask in blocks)
        self.nbytes = self.size * itemsize
        self.order = order
        self.blocks = blocks

    def __bool__(self) -> bool:
        return self.size > 0

    def __repr__(self) -> str:
        of = math.prod(self.shape)
        return f"<cowarray.Changes: {self.size} of {of} elements, {self.nbytes} bytes, shape {self.shape}>"

    def mask(self) -> ndarray[Any, Any]:
        """Return a mask of the elements that differ.

        Returns
        -------
        ndarray of bool
            A copy, with the shape of the arrays.
        """
        ordered = tuple(self.shape[axis] for axis in self.order)
        flat = np.zeros(math.prod(ordered), np.bool_)
        for start, mask in self.blocks:
            flat[start : start + mask.size] = mask
        return asarray(flat.reshape(ordered).transpose(np.argsort(self.order)), copy=False)

    def boxes(self) -> list[tuple[slice, ...]]:
        """Return rectangles of elements that differ.

        Returns
        -------
        list of tuple of slice
            Disjoint, in the order of their first elements. Together they cover exactly the elements that differ: a
            painted rectangle is one box, noise is one box for each run along an axis.
        """
        if not self.size:
            return []
        ordered = tuple(self.shape[axis] for axis in self.order) or (1,)
        extents = _boxes(ordered, *self._rows(ordered[-1]))
        bounds = [extents[self.order.index(axis)] for axis in range(len(self.shape))]
        columns = [column.tolist() for bound in bounds for column in bound]
        found = [
            tuple(slice(*pair) for pair in zip(row[::2], row[1::2], strict=True)) for row in zip(*columns, strict=True)
        ]
        return sorted(found, key=lambda box: [part.start for part in box]) if self.shape else [()]

    def _rows(self, length: int) -> tuple[_Indices, _Indices, _Indices]:
        """Return runs along the last axis: the row's index, the first element, and the end (exclusive)."""
        starts, stops = _runs(self.blocks)
        first, last = starts // length, (stops - 1) // length
        rows = last - first + 1
        row = np.repeat(first, rows) + _counted(rows)
        begins = np.maximum(np.repeat(starts, rows), row * length)
        ends = np.minimum(np.repeat(stops, rows), (row + 1) * length)
        return row, begins - row * length, ends - row * length


def _runs(blocks: list[tuple[int, _Mask]]) -> tuple[_Indices, _Indices]:
    """Return where runs of true elements start and stop. Runs that meet at the end of a block are one."""
    bounds: list[_Indices] = []
    for start, mask in blocks:
        framed = np.zeros(mask.size + 2, np.int8)
        framed[1:-1] = mask
        bounds.append(np.flatnonzero(np.diff(framed)) + start)
    all_bounds = np.concatenate(bounds)
    starts, stops = all_bounds[::2], all_bounds[1::2]
    apart = np.flatnonzero(starts[1:] != stops[:-1])
    return starts[np.r_[0, apart + 1]], stops[np.r_[apart, starts.size - 1]]


def _counted(lengths: _Indices) -> _Indices:
    """Return 0, 1, ... below each length, one after the other."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)


def _boxes(
    shape: tuple[int, ...], rest: _Indices, starts: _Indices, stops: _Indices
) -> list[tuple[_Indices, _Indices]]:
    """Return where boxes start and stop, by axis. Join runs of rows along one axis after another, the last first."""
    extents = [(starts, stops)]
    for length in reversed(shape[:-1]):
        at, rest = rest % length, rest // length
        columns = [rest, *(bound for extent in extents for bound in extent)]
        sorted_by = np.lexsort((at, *columns))
        at, rest = at[sorted_by], rest[sorted_by]
        extents = [(low[sorted_by], high[sorted_by]) for low, high in extents]
        apart = at[1:] != at[:-1] + 1
        for column in (rest, *(bound for extent in extents for bound in extent)):
            apart |= column[1:] != column[:-1]
        begins = np.r_[0, np.flatnonzero(apart) + 1]
        lasts = np.r_[begins[1:] - 1, at.size - 1]
        rest = rest[begins]
        extents = [(at[begins], at[lasts] + 1), *((low[begins], high[begins]) for low, high in extents)]
    return extents


# ---- finding ---------------------------------------------------------------------------------------------------------


def _trimmed(start: int, mask: _Mask) -> tuple[int, _Mask] | None:
    """Trim false elements from the ends of a block."""
    if not mask.any():
        return None
    first, end = int(mask.argmax()), mask.size - int(mask[::-1].argmax())
    return start + first, mask[first:end].copy() if end - first < mask.size else mask


def _chunks_in_memory(x: Elements, y: Elements, order: tuple[int, ...]) -> Iterator[tuple[int, _Mask]]:
    one, other = (z.seen.transpose(order).reshape(-1) for z in (x, y))
    step = max(1, CHUNK // max(1, x.seen.dtype.itemsize))
    for start, stop in runs_that_may_differ(x, y):
        for at in range(start, stop, step):
            part = slice(at, min(at + step, stop))
            yield at, differ(one[part], other[part])


def _chunks_by_rows(x: Elements, y: Elements) -> Iterator[tuple[int, _Mask]]:
    row = x.seen[:1].size
    step = max(1, CHUNK // max(1, row * x.seen.dtype.itemsize))
    for at in range(0, x.seen.shape[0], step):
        yield at * row, differ(x.seen[at : at + step], y.seen[at : at + step])


def find(name: str, x: Elements, y: Elements) -> Changes:
    """Find where two values differ."""
    if x.seen.shape != y.seen.shape:
        raise ValueError(f"{name}: expected arrays of one shape (got {x.seen.shape} and {y.seen.shape})")
    if x.seen.dtype != y.seen.dtype:
        raise TypeError(f"{name}: expected arrays of one dtype (got {x.seen.dtype!r} and {y.seen.dtype!r})")
    order = common_order(x, y)
    chunks = _chunks_by_rows(x, y) if order is None else _chunks_in_memory(x, y, order)
    blocks = [block for start, mask in chunks if (block := _trimmed(start, mask)) is not None]
    return Changes(x.seen.shape, order or tuple(range(x.seen.ndim)), x.seen.dtype.itemsize, blocks)


@public
def changes(a: ArrayLike, b: ArrayLike) -> Changes:
    """Find where two arrays differ.

    Shared pages are not read, so comparing two copies of a large array costs only as much as differs between them.
    Everything else is read, at the price of ``a != b``: arrays that share nothing, and arrays that are contiguous in no
    common order of axes.

    Parameters
    ----------
    a, b : array_like
        Of the same shape and dtype.

    Returns
    -------
    Changes
        The elements whose bytes differ. So a NaN equals itself, and 0.0 differs from -0.0. Padding of structured
        elements does not count.

    Raises
    ------
    ValueError
        The shapes differ.
    TypeError
        The dtypes differ, or elements are references to Python objects.
    FakeError
        An array is fake: it has no bytes.

    See Also
    --------
    merge : Put the changes of several versions into one array.
    shares_bytes : Tell whether two arrays share memory.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.zeros((4, 6))
    >>> y = x.copy()
    >>> y[1:3, 2:5] = 1.0
    >>> found = cowarray.changes(x, y)
    >>> found.boxes(), found.nbytes
    ([(slice(1, 3, None), slice(2, 5, None))], 48)
    """
    return find("changes", Elements("changes", a), Elements("changes", b))
