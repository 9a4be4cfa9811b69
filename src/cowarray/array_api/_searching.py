"""The chapter "searching functions" of the array API standard, 2025.12."""

from typing import Literal

from numpy.typing import ArrayLike

from cowarray._chapters import gathered as _chapters
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import Array, Axes, Axis
from cowarray._ops.conversion import standard

_completed = CompletedFrom(_chapters, "cowarray")


@_completed
def argmax(x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the indices of the greatest elements along an axis: the first, if several are equal."""
    return standard(_chapters.argmax(x, axis=axis, keepdims=keepdims))


@_completed
def argmin(x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the indices of the least elements along an axis: the first, if several are equal."""
    return standard(_chapters.argmin(x, axis=axis, keepdims=keepdims))


@_completed
def count_nonzero(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Count nonzero elements along axes."""
    return standard(_chapters.count_nonzero(x, axis=axis, keepdims=keepdims))


@_completed
def nonzero(x: ArrayLike, /) -> tuple[Array, ...]:
    """Return the indices of the nonzero elements."""
    return standard(_chapters.nonzero(x))


@_completed
def searchsorted(
    x1: ArrayLike, x2: ArrayLike, /, *, side: Literal["left", "right"] = "left", sorter: ArrayLike | None = None
) -> Array:
    """Find where to insert elements into a sorted array so that it stays sorted.

    Fresh, of x2's shape; integers.

    Parameters
    ----------
    x1 : array_like
        One-dimensional, sorted.
    """
    return standard(_chapters.searchsorted(x1, x2, side=side, sorter=sorter))


@_completed
def where(condition: ArrayLike, x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Pick elements of x1 where the condition holds, and of x2 elsewhere.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    ndarray
        Fresh, even where all elements come from one array; shapes broadcast, dtypes promote.
    """
    return standard(_chapters.where(condition, x1, x2))
