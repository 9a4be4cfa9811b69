"""The chapter "set functions" of the array API standard, 2025.12, and NumPy's functions of that kind.

Arguments are array_like: cowarray's arrays or NumPy's, scalars, lists, anything with a buffer or ``__array__``. They
are only read, and lazy copies stay lazy. Where a docstring says no more, parameters, results and errors are those of
NumPy's function of the same name; arrays come back as fresh `cowarray.ndarray`.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import complete
from cowarray._face.annotations import Axis
from cowarray._face.ndarray import ndarray
from cowarray._ops.functions import dispatched

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


@dispatching(np.intersect1d, arrays=2)
def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Values that are in both, sorted, once each.

    Parameters
    ----------
    ar1, ar2 : array_like
    assume_unique : bool, default False
        Whether no argument has a value twice, which is faster.
    return_indices : bool, default False
        Whether to return where each value is first in either.

    Returns
    -------
    ndarray or tuple of ndarray
        Fresh, with one axis; with `return_indices` three.
    """


@dispatching(np.isin, arrays=2)
def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Literal["sort", "table"] | None = None,
) -> Any:
    """Whether each element is one of the test elements.

    Fresh, of element's shape; booleans.

    Parameters
    ----------
    element, test_elements : array_like
    assume_unique : bool, default False
        Whether no argument has a value twice, which is faster.
    invert : bool, default False
        Whether to test for absence instead.
    kind : {'sort', 'table'}, optional
        How to compute. Default: as suits.
    """


@dispatching(np.setdiff1d, arrays=2, returns=ndarray[tuple[int], Any])
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Any:
    """Values of ar1 that are not in ar2, sorted, once each.

    Fresh, with one axis.

    Parameters
    ----------
    ar1, ar2 : array_like
    assume_unique : bool, default False
        Whether no argument has a value twice, which is faster.
    """


@dispatching(np.setxor1d, arrays=2, returns=ndarray[tuple[int], Any])
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Any:
    """Values that are in just one of two, sorted, once each.

    Fresh, with one axis.

    Parameters
    ----------
    ar1, ar2 : array_like
    assume_unique : bool, default False
        Whether no argument has a value twice, which is faster.
    """


@dispatching(np.union1d, arrays=2, returns=ndarray[tuple[int], Any])
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> Any:
    """Values that are in one or in both, sorted, once each.

    Fresh, with one axis.

    Parameters
    ----------
    ar1, ar2 : array_like
    """


@dispatching(np.unique)
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Axis = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Distinct values, and on request their places and counts.

    Parameters
    ----------
    ar : array_like
    return_index : bool, default False
        Whether to return where each is first.
    return_inverse : bool, default False
        Whether to return which of them each element is.
    return_counts : bool, default False
        Whether to return how often each is there.
    axis : int, optional
        Compares the parts along this axis. Default: elements.
    equal_nan : bool, default True
        Whether NaN equals NaN.
    sorted : bool, default True
        ``False``: in any order, if that is faster.

    Returns
    -------
    ndarray or tuple of ndarray
        Fresh.
    """


def unique_all(x: ArrayLike) -> Any:
    """Distinct values, their first places, the place of each element among them, and counts.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueAllResult
        A named tuple ``(values, indices, inverse_indices, counts)`` of ndarray: fresh; values are sorted. NaNs are
        distinct.
    """
    return dispatched(np.unique_all, x)  # NumPy's takes no name


def unique_counts(x: ArrayLike) -> Any:
    """Distinct values, and how often they are there.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueCountsResult
        A named tuple ``(values, counts)`` of ndarray: fresh; values are sorted. NaNs are distinct.
    """
    return dispatched(np.unique_counts, x)  # NumPy's takes no name


def unique_inverse(x: ArrayLike) -> Any:
    """Distinct values, and which of them each element is.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueInverseResult
        A named tuple ``(values, inverse_indices)`` of ndarray: fresh; values are sorted. NaNs are distinct.
    """
    return dispatched(np.unique_inverse, x)  # NumPy's takes no name


def unique_values(x: ArrayLike) -> ndarray[tuple[int], Any]:
    """Distinct values, sorted.

    Fresh, with one axis. NaNs are distinct.

    Parameters
    ----------
    x : array_like

    See Also
    --------
    numpy.unique_values : Gives them in any order.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.unique_values([3, 1, 2, 1])
    array([1, 2, 3])
    """
    return dispatched(np.unique, x, equal_nan=False)


complete(globals())
