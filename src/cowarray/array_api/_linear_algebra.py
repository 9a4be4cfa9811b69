"""The chapter "linear algebra functions" of the array API standard, 2025.12."""

from collections.abc import Sequence
from typing import Any, SupportsIndex

from numpy.typing import ArrayLike

from cowarray._chapters import gathered as _chapters
from cowarray._chapters.declared import standardized
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import Array
from cowarray._ops.conversion import standard

_completed = CompletedFrom(_chapters, "cowarray")


@standardized(_chapters.matmul)
@_completed
def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Any:
    """Multiply matrices, ``x1 @ x2``."""


@_completed
def matrix_transpose(x: ArrayLike, /) -> Array:
    """Exchange the last two axes."""
    return standard(_chapters.matrix_transpose(x))


@_completed
def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: int | Sequence[Any] = 2) -> Array:
    """Sum products over several axes.

    Parameters
    ----------
    axes : int or pair of sequences of int, default 2
        How many of x1's last and x2's first axes, or the axes of each.
    """
    return standard(_chapters.tensordot(x1, x2, axes=axes))


@_completed
def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """Compute dot products of vectors, the first one conjugated."""
    options: Any = {} if axis == -1 else {"axis": axis}
    return standard(_chapters.vecdot(x1, x2, **options))
