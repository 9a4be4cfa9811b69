"""The chapter "utility functions" of the array API standard, 2025.12."""

from cowarray import _chapters
from cowarray._ops.conversion import standard


def all(x, /, *, axis=None, keepdims=False):
    """Whether all elements are true, along axes or of the whole array.

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
        Fresh; booleans.

    See Also
    --------
    cowarray.all : Has NumPy's parameters.
    """
    return standard(_chapters.all(x, axis=axis, keepdims=keepdims))


def any(x, /, *, axis=None, keepdims=False):
    """Whether any element is true, along axes or of the whole array.

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
        Fresh; booleans.

    See Also
    --------
    cowarray.any : Has NumPy's parameters.
    """
    return standard(_chapters.any(x, axis=axis, keepdims=keepdims))


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """Differences of neighbours along an axis, taken n times.

    Parameters
    ----------
    x : array_like
    axis : int, default -1
    n : int, default 1
        How often; 0 times gives a copy of x.
    prepend : array_like, optional
        Put before x.
    append : array_like, optional
        Put after x.

    Returns
    -------
    ndarray
        Fresh; for n = 0 a lazy copy of x.

    See Also
    --------
    cowarray.diff : Has NumPy's parameters.
    """
    return standard(_chapters.diff(x, axis=axis, n=n, prepend=prepend, append=append))
