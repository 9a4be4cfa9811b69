"""The chapter "indexing functions" of the array API standard, and NumPy's functions of the kind.

Those that write do it to their first argument, an array: each view of it sees that, and no copy does.
"""

import numpy as np

from cowarray._ops.protocols import dispatched, imported

__all__ = [
    "choose",
    "compress",
    "diag_indices",
    "diag_indices_from",
    "diagonal",
    "extract",
    "fill_diagonal",
    "ix_",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "ravel_multi_index",
    "select",
    "take",
    "take_along_axis",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]


def choose(a, choices, out=None, mode="raise"):
    """For each index in a, the element of the array that it stands for. Fresh, or out."""
    return dispatched(np.choose, a, choices, out, mode)


def compress(condition, a, axis=None, out=None):
    """The parts along an axis for which a condition is true. Fresh, or out."""
    return dispatched(np.compress, condition, a, axis, out)


def diag_indices(n, ndim=2):
    """The indices of the main diagonal of an array with ndim axes of length n. A tuple of fresh arrays."""
    return dispatched(np.diag_indices, n, ndim)


def diag_indices_from(arr):
    """The indices of the main diagonal of an array. A tuple of fresh arrays."""
    return dispatched(np.diag_indices_from, arr)


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The diagonals in the planes of two axes, along a new last axis. A read-only view."""
    return dispatched(np.diagonal, imported(a), offset, axis1, axis2)


def extract(condition, arr):
    """The elements for which a condition is true, along one axis. Fresh."""
    return dispatched(np.extract, condition, arr)


def fill_diagonal(a, val, wrap=False):
    """Write a value, or several in turn, into the main diagonal of a. Nothing comes back."""
    return dispatched(np.fill_diagonal, a, val, wrap)


def ix_(*args):
    """Indices along each axis, shaped so that they select what is at all combinations. A tuple of copies."""
    return dispatched(np.ix_, *args)


def place(arr, mask, vals):
    """Write values, in turn, into the elements of arr where a mask is true. Nothing comes back."""
    return dispatched(np.place, arr, mask, vals)


def put(a, ind, v, mode="raise"):
    """Write values to indices of a, as if it had one axis. Nothing comes back."""
    return dispatched(np.put, a, ind, v, mode)


def put_along_axis(arr, indices, values, axis):
    """Write values to indices along an axis of arr. Nothing comes back."""
    return dispatched(np.put_along_axis, arr, indices, values, axis)


def putmask(a, mask, values):
    """Write the values at the same places into a where a mask is true. Nothing comes back."""
    return dispatched(np.putmask, a, mask, values)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Indices into the flattened array for those into its axes. Fresh."""
    return dispatched(np.ravel_multi_index, multi_index, dims, mode, order)


def select(condlist, choicelist, default=0):
    """Elements of the first choice whose condition is true. Fresh."""
    return dispatched(np.select, condlist, choicelist, default)


def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements at indices along an axis; without one, of the flattened array. Fresh, or out.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.take(cowarray.asarray([10, 20, 30]), [2, 0])
    array([30, 10])
    """
    return dispatched(np.take, a, indices, axis, out, mode)


def take_along_axis(arr, indices, axis=-1):
    """The elements at indices along an axis, with indices of their own for each place on the others. Fresh."""
    return dispatched(np.take_along_axis, arr, indices, axis)


def tril_indices(n, k=0, m=None):
    """The indices of the elements at and below the k-th diagonal of an n × m matrix. A tuple of fresh arrays."""
    return dispatched(np.tril_indices, n, k, m)


def tril_indices_from(arr, k=0):
    """The indices of the elements at and below the k-th diagonal of a matrix. A tuple of fresh arrays."""
    return dispatched(np.tril_indices_from, arr, k)


def triu_indices(n, k=0, m=None):
    """The indices of the elements at and above the k-th diagonal of an n × m matrix. A tuple of fresh arrays."""
    return dispatched(np.triu_indices, n, k, m)


def triu_indices_from(arr, k=0):
    """The indices of the elements at and above the k-th diagonal of a matrix. A tuple of fresh arrays."""
    return dispatched(np.triu_indices_from, arr, k)


def unravel_index(indices, shape, order="C"):
    """Indices into the axes of an array for those into the flattened one. A tuple of fresh arrays."""
    return dispatched(np.unravel_index, indices, shape, order)
