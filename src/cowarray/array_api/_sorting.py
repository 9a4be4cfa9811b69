"""The chapter "sorting functions" of the array API standard, 2025.12."""

from typing import SupportsIndex

from numpy.typing import ArrayLike

from cowarray._chapters import gathered as _chapters
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import Array
from cowarray._ops.conversion import standard

_completed = CompletedFrom(_chapters, "cowarray")


@_completed
def argsort(x: ArrayLike, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return the indices that sort an array.

    Fresh, of x's shape.

    Parameters
    ----------
    descending : bool, default False
        Greatest first; NaNs come last either way.
    stable : bool, default True
        Whether equal elements keep their order, even if descending; ``False`` is faster.

    Raises
    ------
    TypeError
        `descending` is not a bool.
    """
    return standard(_chapters.argsort(x, axis=axis, descending=descending, stable=stable))


@_completed
def sort(x: ArrayLike, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return a sorted copy.

    Fresh, of x's shape and dtype.

    Parameters
    ----------
    stable : bool, default True
        Whether elements that are equal but not identical (-0.0 and 0.0) keep their order, even if descending.
    """
    return standard(_chapters.sort(x, axis=axis, descending=descending, stable=stable))
