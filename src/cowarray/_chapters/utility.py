"""The chapter "utility functions" of the array API standard, and NumPy's functions of the kind. They only read."""

import numpy as np

from cowarray._ops.protocols import dispatched

__all__ = ["all", "any", "diff", "ediff1d", "gradient", "interp", "trapezoid"]


def all(a, axis=None, out=None, keepdims=np._NoValue, *, where=np._NoValue):
    """Whether all elements are true, along axes or of the whole array. Fresh, NumPy's scalar, or out."""
    return dispatched(np.all, a, axis, out, keepdims, where=where)


def any(a, axis=None, out=None, keepdims=np._NoValue, *, where=np._NoValue):
    """Whether any element is true, along axes or of the whole array. Fresh, NumPy's scalar, or out."""
    return dispatched(np.any, a, axis, out, keepdims, where=where)


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours along an axis, taken n times.

    Parameters
    ----------
    a : array_like
    n : int
        0 gives a copy of a.
    axis : int
    prepend, append : array_like, optional
        Put before and after a.

    Returns
    -------
    ndarray
        Fresh.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.diff(cowarray.asarray([1, 2, 4]), prepend=0)
    array([1, 1, 2])
    """
    before = np._NoValue if prepend is None else prepend
    after = np._NoValue if append is None else append
    return dispatched(np.diff, a, n, axis, before, after)


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours in the flattened array, with values put before and after. Fresh."""
    return dispatched(np.ediff1d, ary, to_end, to_begin)


def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes by central differences, along each of some axes. Fresh: an array, or a tuple of one for each axis."""
    return dispatched(np.gradient, f, *varargs, axis=axis, edge_order=edge_order)


def interp(x, xp, fp, left=None, right=None, period=None):
    """Values at x on the straight lines between the points (xp, fp). Fresh, or NumPy's scalar."""
    return dispatched(np.interp, x, xp, fp, left, right, period)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral along an axis by the trapezoidal rule. Fresh, or NumPy's scalar."""
    return dispatched(np.trapezoid, y, x, dx, axis)
