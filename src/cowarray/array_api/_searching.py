"""The chapter "searching functions" of the array API standard, 2025.12."""

from cowarray import _chapters
from cowarray._ops.conversion import standard


def argmax(x, /, *, axis=None, keepdims=False):
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


def argmin(x, /, *, axis=None, keepdims=False):
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


def count_nonzero(x, /, *, axis=None, keepdims=False):
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


def nonzero(x, /):
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


def searchsorted(x1, x2, /, *, side="left", sorter=None):
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


def where(condition, x1, x2, /):
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
