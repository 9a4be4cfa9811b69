"""The chapter "utility functions" of the array API standard, 2025.12."""

from typing import SupportsIndex

from numpy.typing import ArrayLike

from cowarray import _chapters
from cowarray._face.annotations import Array, Axes
from cowarray._ops.conversion import standard


def all(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
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


def any(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
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


def diff(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex = -1,
    n: int = 1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
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
