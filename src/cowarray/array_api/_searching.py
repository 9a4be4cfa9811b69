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
    """Indices of the greatest elements along an axis, of the first where several are."""
    return standard(_chapters.argmax(x, axis=axis, keepdims=keepdims))


@_completed
def argmin(x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Indices of the least elements along an axis, of the first where several are."""
    return standard(_chapters.argmin(x, axis=axis, keepdims=keepdims))


@_completed
def count_nonzero(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """How many elements are not zero, along axes."""
    return standard(_chapters.count_nonzero(x, axis=axis, keepdims=keepdims))


@_completed
def nonzero(x: ArrayLike, /) -> tuple[Array, ...]:
    """Indices of the elements that are not zero."""
    return standard(_chapters.nonzero(x))


@_completed
def searchsorted(
    x1: ArrayLike, x2: ArrayLike, /, *, side: Literal["left", "right"] = "left", sorter: ArrayLike | None = None
) -> Array:
    """Where to insert elements into a sorted array, so that it stays sorted.

    Fresh, of x2's shape; integers.

    Parameters
    ----------
    x1 : array_like
        Of one axis, sorted.
    """
    return standard(_chapters.searchsorted(x1, x2, side=side, sorter=sorter))


@_completed
def where(condition: ArrayLike, x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Elements of x1 where the condition holds, and of x2 elsewhere.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    ndarray
        Fresh, also where all come from one array; shapes broadcast, dtypes promote.
    """
    return standard(_chapters.where(condition, x1, x2))
