"""NumPy's functions that run functions of yours, and iteration by index.

Such a function is shown NumPy's arrays, read-only, that never change: what it wants to write, it copies. It may keep
them. What comes back was perhaps kept, too, so results are copied once.
"""

import numpy as np

from cowarray._ops.conversion import asarray
from cowarray._ops.protocols import dispatched

__all__ = ["apply_along_axis", "apply_over_axes", "ndenumerate", "piecewise", "vectorize"]


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """func1d of each slice along an axis, as `numpy.apply_along_axis`. Fresh."""
    return dispatched(np.apply_along_axis, func1d, axis, arr, *args, **kwargs)


def apply_over_axes(func, a, axes):
    """``func(a, axis)`` for one axis after another, as `numpy.apply_over_axes`. Fresh."""
    return dispatched(np.apply_over_axes, func, a, axes)


def piecewise(x, condlist, funclist, *args, **kw):
    """Each function of the elements for which its condition holds, as `numpy.piecewise`. Fresh, of x's shape and dtype.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.asarray([-2.0, 3.0])
    >>> cowarray.piecewise(x, [x < 0], [abs, 0])
    array([2., 0.])
    """
    return dispatched(np.piecewise, x, condlist, funclist, *args, **kw)


class vectorize(np.vectorize):
    """`numpy.vectorize`, whose results are arrays of ours.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.vectorize(lambda a, b: max(a, b))(cowarray.asarray([1, 5]), 3)
    array([3, 5])
    """

    __module__ = "cowarray"

    def __call__(self, *args, **kwargs):
        result = super().__call__(*args, **kwargs)
        if isinstance(result, tuple):
            return tuple([_own(item) for item in result])
        return _own(result)


class ndenumerate:
    """Pairs of an index and the element there, in C order; elements are read when their turn comes.

    Examples
    --------
    >>> import cowarray
    >>> [(index, int(value)) for index, value in cowarray.ndenumerate(cowarray.asarray([[1, 2]]))]
    [((0, 0), 1), ((0, 1), 2)]
    """

    def __init__(self, arr):
        self.iter = asarray(arr).flat

    def __next__(self):
        return self.iter.coords, next(self.iter)

    def __iter__(self):
        return self


def _own(result):
    return asarray(result) if type(result) is np.ndarray else result
