"""The chapter "set functions" of the array API standard, 2025.12, and NumPy's functions of that kind.

Arrays are array_like: ours or NumPy's, scalars, lists, what has a buffer or ``__array__``. They are only read, and stay
the lazy copies that they are. Where a docstring says no more, parameters, results and errors are those of NumPy's
function of that name; arrays that come back are `cowarray.ndarray`, and fresh.
"""

import numpy as np

from cowarray._ops.protocols import dispatched

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


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """Values that are in both, sorted, once each; as `numpy.intersect1d`.

    Fresh, with one axis.
    """
    return dispatched(np.intersect1d, ar1, ar2, assume_unique=assume_unique, return_indices=return_indices)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is one of the test elements; as `numpy.isin`.

    Fresh, of element's shape; booleans.
    """
    return dispatched(np.isin, element, test_elements, assume_unique=assume_unique, invert=invert, kind=kind)


def setdiff1d(ar1, ar2, assume_unique=False):
    """Values of ar1 that are not in ar2, sorted, once each; as `numpy.setdiff1d`.

    Fresh, with one axis.
    """
    return dispatched(np.setdiff1d, ar1, ar2, assume_unique=assume_unique)


def setxor1d(ar1, ar2, assume_unique=False):
    """Values that are in just one of two, sorted, once each; as `numpy.setxor1d`.

    Fresh, with one axis.
    """
    return dispatched(np.setxor1d, ar1, ar2, assume_unique=assume_unique)


def union1d(ar1, ar2):
    """Values that are in one or in both, sorted, once each; as `numpy.union1d`.

    Fresh, with one axis.
    """
    return dispatched(np.union1d, ar1, ar2)


def unique(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    """Distinct values, and on request where they are and how often; as `numpy.unique`.

    Fresh. With ``sorted=False`` in any order, where NumPy knows a faster one.
    """
    return dispatched(
        np.unique,
        ar,
        return_index=return_index,
        return_inverse=return_inverse,
        return_counts=return_counts,
        axis=axis,
        equal_nan=equal_nan,
        sorted=sorted,
    )


def unique_all(x):
    """Distinct values, where they are first, which of them each element is, and how often; as `numpy.unique_all`.

    A named tuple ``(values, indices, inverse_indices, counts)`` of fresh arrays; values are sorted. NaNs are distinct.
    """
    return dispatched(np.unique_all, x)


def unique_counts(x):
    """Distinct values, and how often they are there; as `numpy.unique_counts`.

    A named tuple ``(values, counts)`` of fresh arrays; values are sorted. NaNs are distinct.
    """
    return dispatched(np.unique_counts, x)


def unique_inverse(x):
    """Distinct values, and which of them each element is; as `numpy.unique_inverse`.

    A named tuple ``(values, inverse_indices)`` of fresh arrays; values are sorted. NaNs are distinct.
    """
    return dispatched(np.unique_inverse, x)


def unique_values(x):
    """Distinct values, sorted.

    Fresh, with one axis. NaNs are distinct. (Those of `numpy.unique_values` may be in any order.)

    Examples
    --------
    >>> import cowarray
    >>> cowarray.unique_values([3, 1, 2, 1])
    array([1, 2, 3])
    """
    return dispatched(np.unique, x, equal_nan=False)
