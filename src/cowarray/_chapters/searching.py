"""The chapter "searching functions" of the array API standard, 2025.12, and NumPy's functions of that kind.

Arrays are array_like: ours or NumPy's, scalars, lists, what has a buffer or ``__array__``. They are only read, and stay
the lazy copies that they are. Where a docstring says no more, parameters, results and errors are those of NumPy's
function of that name; arrays that come back are `cowarray.ndarray`, and fresh.
"""

import numpy as np

from cowarray._ops.protocols import dispatched

__all__ = [
    "argmax",
    "argmin",
    "argwhere",
    "count_nonzero",
    "digitize",
    "flatnonzero",
    "nonzero",
    "searchsorted",
    "where",
]

_DEFAULT = np._NoValue  # "not given", where None would mean something


def argmax(a, axis=None, out=None, *, keepdims=_DEFAULT):
    """Indices of the greatest elements, of the first where several are, along an axis; as `numpy.argmax`.

    Fresh; integers.
    """
    return dispatched(np.argmax, a, axis=axis, out=out, keepdims=keepdims)


def argmin(a, axis=None, out=None, *, keepdims=_DEFAULT):
    """Indices of the least elements, of the first where several are, along an axis; as `numpy.argmin`.

    Fresh; integers.
    """
    return dispatched(np.argmin, a, axis=axis, out=out, keepdims=keepdims)


def argwhere(a):
    """Indices of the elements that are not zero, a row for each; as `numpy.argwhere`.

    Fresh, of shape (how many, a.ndim).
    """
    return dispatched(np.argwhere, a)


def count_nonzero(a, axis=None, *, keepdims=False):
    """How many elements are not zero, along axes; as `numpy.count_nonzero`.

    Fresh; integers.
    """
    count = dispatched(np.count_nonzero, a, axis=axis, keepdims=keepdims)
    return np.intp(count) if type(count) is int else count  # an int of Python's: NumPy before 2.3


def digitize(x, bins, right=False):
    """In which bin each element lies: an index of the edges in bins, which are monotonic; as `numpy.digitize`.

    Fresh, of x's shape; integers.
    """
    return dispatched(np.digitize, x, bins, right=right)


def flatnonzero(a):
    """Indices, into the flattened array, of the elements that are not zero; as `numpy.flatnonzero`.

    Fresh.
    """
    return dispatched(np.flatnonzero, a)


def nonzero(a):
    """Indices of the elements that are not zero: a tuple with an array for each axis; as `numpy.nonzero`.

    Fresh. `ValueError` if a has no axes.
    """
    return dispatched(np.nonzero, a)


def searchsorted(a, v, side="left", sorter=None):
    """Where to insert the elements of v into a, which is sorted, so that it stays so; as `numpy.searchsorted`.

    Fresh, of v's shape; integers.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.searchsorted(cowarray.asarray([1, 3, 5]), [0, 3, 9])
    array([0, 1, 3])
    """
    return dispatched(np.searchsorted, a, v, side=side, sorter=sorter)


def where(condition, x=_DEFAULT, y=_DEFAULT, /):
    """Elements of x where the condition holds, and of y elsewhere; as `numpy.where`.

    Fresh, also where all come from x; shapes broadcast, dtypes promote. With the condition alone: `nonzero`.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.asarray([-1, 2, -3])
    >>> cowarray.where(x > 0, x, 0)
    array([0, 2, 0])
    """
    return dispatched(np.where, condition, *[each for each in (x, y) if each is not _DEFAULT])
