"""The chapter "indexing functions" of the array API standard, 2025.12."""

from typing import SupportsIndex

from numpy.typing import ArrayLike

from cowarray._chapters import gathered as _chapters
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import Array, Axis
from cowarray._ops.conversion import standard

_completed = CompletedFrom(_chapters, "cowarray")


@_completed
def take(x: ArrayLike, indices: ArrayLike, /, *, axis: Axis = None) -> Array:
    """Return the elements at indices along an axis; without an axis, of the flattened array."""
    return standard(_chapters.take(x, indices, axis=axis))


@_completed
def take_along_axis(x: ArrayLike, indices: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """Return the elements at indices along an axis; each position on the other axes has its own indices."""
    return standard(_chapters.take_along_axis(x, indices, axis=axis))
