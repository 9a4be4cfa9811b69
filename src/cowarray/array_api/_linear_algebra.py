"""The chapter "linear algebra functions" of the array API standard, 2025.12."""

from collections.abc import Sequence
from typing import Any, SupportsIndex

from numpy.typing import ArrayLike

from cowarray import _chapters
from cowarray._face.annotations import Array
from cowarray._ops.conversion import standard


def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Products of matrices, ``x1 @ x2``.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like

    Returns
    -------
    ndarray
        Fresh.

    Raises
    ------
    ValueError
        An operand has no axes, or shapes do not fit.

    See Also
    --------
    cowarray.matmul : Has NumPy's parameters.
    """
    return standard(_chapters.matmul(x1, x2))


def matrix_transpose(x: ArrayLike, /) -> Array:
    """The last two axes exchanged.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        A view of x.

    See Also
    --------
    cowarray.matrix_transpose : Has NumPy's parameters.
    """
    return standard(_chapters.matrix_transpose(x))


def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: int | Sequence[Any] = 2) -> Array:
    """Sums of products over several axes.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like
    axes : int or pair of sequences of int, default 2
        As many last axes of x1 and first of x2, or the axes of each.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.tensordot : Has NumPy's parameters.
    """
    return standard(_chapters.tensordot(x1, x2, axes=axes))


def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """Dot products of vectors, the first conjugated.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like
    axis : int, default -1
        The axis along which vectors lie.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.vecdot : Has NumPy's parameters.
    """
    return standard(_chapters.vecdot(x1, x2, axis=axis))
