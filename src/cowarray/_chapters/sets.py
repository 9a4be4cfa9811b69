"""The chapter "set functions" of the array API standard, 2025.12, and NumPy's functions of that kind.

Arguments are array_like: cowarray's arrays or NumPy's, scalars, lists, anything with a buffer or ``__array__``. They
are only read, and lazy copies stay lazy. Unless a docstring says more, parameters, results and errors are those of
NumPy's function of the same name; arrays are returned as fresh `cowarray.ndarray`.
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
    """Return the values that are in both, sorted, once each.

    Parameters
    ----------
    ar1, ar2 : array_like
    assume_unique : bool, default False
        Whether no argument contains a value twice; that is faster.
    return_indices : bool, default False
        Whether to return the first index of each value in both arguments.

    Returns
    -------
    ndarray or tuple of ndarray
        Fresh, with one axis; with `return_indices`, three of these.
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
    """Test whether each element is one of the test elements.

    Fresh, of element's shape; booleans.

    Parameters
    ----------
    element, test_elements : array_like
    assume_unique : bool, default False
        Whether no argument contains a value twice; that is faster.
    invert : bool, default False
        Whether to test for absence instead.
    kind : {'sort', 'table'}, optional
        How to compute. Default: whichever suits.
    """


@dispatching(np.setdiff1d, arrays=2, returns=ndarray[tuple[int], Any])
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Any:
    """Return the values of ar1 that are not in ar2, sorted, once each.

    Fresh, with one axis.

    Parameters
    ----------
    ar1, ar2 : array_like
    assume_unique : bool, default False
        Whether no argument contains a value twice; that is faster.
    """


@dispatching(np.setxor1d, arrays=2, returns=ndarray[tuple[int], Any])
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Any:
    """Return the values that are in just one of the two, sorted, once each.

    Fresh, with one axis.

    Parameters
    ----------
    ar1, ar2 : array_like
    assume_unique : bool, default False
        Whether no argument contains a value twice; that is faster.
    """


@dispatching(np.union1d, arrays=2, returns=ndarray[tuple[int], Any])
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> Any:
    """Return the values that are in one or both, sorted, once each.

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
    """Return the distinct values and, on request, their positions and counts.

    Parameters
    ----------
    ar : array_like
    return_index : bool, default False
        Whether to return the first index of each.
    return_inverse : bool, default False
        Whether to return, for each element, the index of its value.
    return_counts : bool, default False
        Whether to return how often each occurs.
    axis : int, optional
        The axis whose slices are compared. Default: compare elements.
    equal_nan : bool, default True
        Whether NaN equals NaN.
    sorted : bool, default True
        ``False``: in any order, if that is faster.

    Returns
    -------
    ndarray or tuple of ndarray
        Fresh.
    """


@dispatching(np.unique_all)
def unique_all(x: ArrayLike) -> Any:
    """Return the distinct values, their first positions, the index of each element's value, and the counts.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueAllResult
        A named tuple ``(values, indices, inverse_indices, counts)`` of ndarray: fresh; values are sorted. NaNs are
        distinct.
    """


@dispatching(np.unique_counts)
def unique_counts(x: ArrayLike) -> Any:
    """Return the distinct values, and how often each occurs.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueCountsResult
        A named tuple ``(values, counts)`` of ndarray: fresh; values are sorted. NaNs are distinct.
    """


@dispatching(np.unique_inverse)
def unique_inverse(x: ArrayLike) -> Any:
    """Return the distinct values, and the index of each element's value among them.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueInverseResult
        A named tuple ``(values, inverse_indices)`` of ndarray: fresh; values are sorted. NaNs are distinct.
    """


def unique_values(x: ArrayLike) -> ndarray[tuple[int], Any]:
    """Return the distinct values, sorted.

    Fresh, with one axis. NaNs are distinct.

    Parameters
    ----------
    x : array_like

    See Also
    --------
    numpy.unique_values : Returns them in any order.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.unique_values([3, 1, 2, 1])
    array([1, 2, 3])
    """
    return dispatched(np.unique, x, equal_nan=False)


complete(globals())
