"""The chapter "utility functions" of the array API standard, 2025.12."""

from typing import SupportsIndex

from numpy.typing import ArrayLike

from cowarray._chapters import gathered as _chapters
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import Array, Axes
from cowarray._ops.conversion import standard

_completed = CompletedFrom(_chapters, "cowarray")


@_completed
def all(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Test whether all elements are true, along axes or in the whole array."""
    return standard(_chapters.all(x, axis=axis, keepdims=keepdims))


@_completed
def any(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Test whether any element is true, along axes or in the whole array."""
    return standard(_chapters.any(x, axis=axis, keepdims=keepdims))


@_completed
def diff(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex = -1,
    n: int = 1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
    """Take the differences of neighbours along an axis, n times.

    Fresh; for n = 0 a lazy copy of x.

    Parameters
    ----------
    n : int, default 1
        How many times; 0 gives a copy of x.
    prepend : array_like, optional
        Values to put before x.
    append : array_like, optional
        Values to put after x.
    """
    return standard(_chapters.diff(x, axis=axis, n=n, prepend=prepend, append=append))
