"""The chapter "sorting functions" of the array API standard, 2025.12."""

from typing import SupportsIndex

from numpy.typing import ArrayLike

from cowarray import _chapters
from cowarray._face.annotations import Array
from cowarray._ops.conversion import standard


def argsort(x: ArrayLike, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True) -> Array:
    """Indices that sort an array.

    Parameters
    ----------
    x : array_like
    axis : int or None, default -1
        ``None``: the flattened array.
    descending : bool, default False
        The greatest first. NaNs are last either way.
    stable : bool, default True
        Whether equal elements keep their order, also where descending; ``False`` is faster.

    Returns
    -------
    ndarray
        Fresh, of x's shape.

    See Also
    --------
    cowarray.argsort : Has NumPy's parameters.
    """
    return standard(_chapters.argsort(x, axis=axis, descending=descending, stable=stable))


def sort(x: ArrayLike, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True) -> Array:
    """A sorted copy.

    Parameters
    ----------
    x : array_like
    axis : int or None, default -1
        ``None``: the flattened array.
    descending : bool, default False
        The greatest first. NaNs are last either way.
    stable : bool, default True
        Whether elements that are equal and not the same (-0.0 and 0.0) keep their order, also where descending.

    Returns
    -------
    ndarray
        Fresh, of x's shape and dtype.

    See Also
    --------
    cowarray.sort : Has NumPy's parameters.
    """
    return standard(_chapters.sort(x, axis=axis, descending=descending, stable=stable))
