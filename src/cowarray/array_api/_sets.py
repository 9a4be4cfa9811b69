"""The chapter "set functions" of the array API standard, 2025.12."""

from typing import Any

from numpy.typing import ArrayLike

from cowarray._chapters import gathered as _chapters
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import Array
from cowarray._ops.conversion import standard

_completed = CompletedFrom(_chapters, "cowarray")


@_completed
def isin(x1: ArrayLike, x2: ArrayLike, /, *, invert: bool = False) -> Array:
    """Test whether each element is one of the test elements.

    Fresh, of x1's shape; booleans.
    """
    return standard(_chapters.isin(x1, x2, invert=invert))


@_completed
def unique_all(x: ArrayLike, /) -> Any:
    """Return the distinct values, their first positions, the index of each element's value, and the counts.

    A named tuple ``(values, indices, inverse_indices, counts)`` of ndarray: fresh; values are sorted. NaNs are
    distinct.
    """
    return standard(_chapters.unique_all(x))


@_completed
def unique_counts(x: ArrayLike, /) -> Any:
    """Return the distinct values, and how often each occurs."""
    return standard(_chapters.unique_counts(x))


@_completed
def unique_inverse(x: ArrayLike, /) -> Any:
    """Return the distinct values, and the index of each element's value among them."""
    return standard(_chapters.unique_inverse(x))


@_completed
def unique_values(x: ArrayLike, /) -> Array:
    """Return the distinct values, sorted."""
    return standard(_chapters.unique_values(x))
