"""The chapter "searching functions" of the array API standard, 2025.12."""

from typing import Literal

from numpy.typing import ArrayLike

from cowarray import _chapters
from cowarray._face.annotations import Array, Axes, Axis
from cowarray._ops.conversion import standard


def argmax(x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Indices of the greatest elements along an axis, of the first where several are.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        The flattened array if omitted.
    keepdims : bool, default False
        Whether the reduced axis stays, with length 1.

    Returns
    -------
    ndarray
        Fresh; integers.

    See Also
    --------
    cowarray.argmax : Has NumPy's parameters.
    """
    return standard(_chapters.argmax(x, axis=axis, keepdims=keepdims))


def argmin(x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Indices of the least elements along an axis, of the first where several are.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        The flattened array if omitted.
    keepdims : bool, default False
        Whether the reduced axis stays, with length 1.

    Returns
    -------
    ndarray
        Fresh; integers.

    See Also
    --------
    cowarray.argmin : Has NumPy's parameters.
    """
    return standard(_chapters.argmin(x, axis=axis, keepdims=keepdims))


def count_nonzero(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """How many elements are not zero, along axes.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        All axes if omitted.
    keepdims : bool, default False
        Whether reduced axes stay, with length 1.

    Returns
    -------
    ndarray
        Fresh; integers.

    See Also
    --------
    cowarray.count_nonzero : Has NumPy's parameters.
    """
    return standard(_chapters.count_nonzero(x, axis=axis, keepdims=keepdims))


def nonzero(x: ArrayLike, /) -> tuple[Array, ...]:
    """Indices of the elements that are not zero.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    tuple of ndarray
        Fresh, one for each axis.

    Raises
    ------
    ValueError
        `x` has no axes.

    See Also
    --------
    cowarray.nonzero : Has NumPy's parameters.
    """
    return standard(_chapters.nonzero(x))


def searchsorted(
    x1: ArrayLike, x2: ArrayLike, /, *, side: Literal["left", "right"] = "left", sorter: ArrayLike | None = None
) -> Array:
    """Where to insert elements into a sorted array, so that it stays sorted.

    Parameters
    ----------
    x1 : array_like
        Of one axis, sorted.
    x2 : array_like
        The elements.
    side : {'left', 'right'}, default 'left'
        Before or after equal elements.
    sorter : array_like of int, optional
        Indices that sort `x1`.

    Returns
    -------
    ndarray
        Fresh, of x2's shape; integers.

    See Also
    --------
    cowarray.searchsorted : Has NumPy's parameters.
    """
    return standard(_chapters.searchsorted(x1, x2, side=side, sorter=sorter))


def where(condition: ArrayLike, x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Elements of x1 where the condition holds, and of x2 elsewhere.

    Parameters
    ----------
    condition : array_like of bool
    x1 : array_like
    x2 : array_like

    Returns
    -------
    ndarray
        Fresh, also where all come from one array; shapes broadcast, dtypes promote.

    See Also
    --------
    cowarray.where : Has NumPy's parameters.
    """
    return standard(_chapters.where(condition, x1, x2))
