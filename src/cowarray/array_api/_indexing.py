"""The chapter "indexing functions" of the array API standard, 2025.12."""

from typing import SupportsIndex

from numpy.typing import ArrayLike

from cowarray import _chapters
from cowarray._face.annotations import Array, Axis
from cowarray._ops.conversion import standard


def take(x: ArrayLike, indices: ArrayLike, /, *, axis: Axis = None) -> Array:
    """The elements at indices along an axis; without one, of the flattened array.

    Parameters
    ----------
    x : array_like
    indices : array_like of int
    axis : int, optional
        The flattened array if omitted.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.take : Has NumPy's parameters.
    """
    return standard(_chapters.take(x, indices, axis=axis))


def take_along_axis(x: ArrayLike, indices: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """The elements at indices along an axis, with indices of their own for each place on the others.

    Parameters
    ----------
    x : array_like
    indices : array_like of int
    axis : int or None, default -1
        ``None``: the flattened array.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.take_along_axis : Has NumPy's parameters.
    """
    return standard(_chapters.take_along_axis(x, indices, axis=axis))
