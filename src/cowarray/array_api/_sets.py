"""The chapter "set functions" of the array API standard, 2025.12."""

from typing import Any

from numpy.typing import ArrayLike

from cowarray import _chapters
from cowarray._face.annotations import Array
from cowarray._ops.conversion import standard


def isin(x1: ArrayLike, x2: ArrayLike, /, *, invert: bool = False) -> Array:
    """Whether each element is one of the test elements.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like
    invert : bool, default False
        Whether elements are none of these.

    Returns
    -------
    ndarray
        Fresh, of x1's shape; booleans.

    See Also
    --------
    cowarray.isin : Has NumPy's parameters.
    """
    return standard(_chapters.isin(x1, x2, invert=invert))


def unique_all(x: ArrayLike, /) -> Any:
    """Distinct values, where they are first, which of them each element is, and how often.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueAllResult
        A named tuple ``(values, indices, inverse_indices, counts)`` of ndarray: fresh; values are sorted. NaNs are
        distinct.

    See Also
    --------
    cowarray.unique_all : Has NumPy's parameters.
    """
    return standard(_chapters.unique_all(x))


def unique_counts(x: ArrayLike, /) -> Any:
    """Distinct values, and how often they are there.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueCountsResult
        A named tuple ``(values, counts)`` of ndarray: fresh; values are sorted. NaNs are distinct.

    See Also
    --------
    cowarray.unique_counts : Has NumPy's parameters.
    """
    return standard(_chapters.unique_counts(x))


def unique_inverse(x: ArrayLike, /) -> Any:
    """Distinct values, and which of them each element is.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueInverseResult
        A named tuple ``(values, inverse_indices)`` of ndarray: fresh; values are sorted. NaNs are distinct.

    See Also
    --------
    cowarray.unique_inverse : Has NumPy's parameters.
    """
    return standard(_chapters.unique_inverse(x))


def unique_values(x: ArrayLike, /) -> Array:
    """Distinct values, sorted.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        Fresh, with one axis. NaNs are distinct.

    See Also
    --------
    cowarray.unique_values : Has NumPy's parameters.
    """
    return standard(_chapters.unique_values(x))
