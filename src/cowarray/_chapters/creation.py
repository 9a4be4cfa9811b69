"""The chapter "creation functions" of the array API standard, and NumPy's other ways to make an array.

`array`, `asarray` and `from_dlpack` are in `_imports.pxi`. NumPy makes the array, and its memory is taken over: all
results are fresh, but for those of the functions that say copy. With ``like``, another library's array, NumPy lets
that library make the result.

The file is longer than a sitting because a chapter of the standard is one module: a name, a docstring and a line.
"""

import numpy as np

from cowarray._ops.conversion import array
from cowarray._ops.protocols import dispatched

__all__ = [
    "arange",
    "asanyarray",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "diag",
    "diagflat",
    "empty",
    "empty_like",
    "eye",
    "fromfunction",
    "fromiter",
    "fromstring",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "require",
    "tri",
    "tril",
    "triu",
    "vander",
    "zeros",
    "zeros_like",
]


def arange(start=None, stop=None, step=1, dtype=None, *, device=None, like=None):
    """Evenly spaced numbers from start up to, and without, stop; of one number, from 0 up to it.

    Fresh, with one axis. As `numpy.arange`.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.arange(2, 10, 3)
    array([2, 5, 8])
    """
    if start is None:
        if stop is None:
            raise TypeError("arange: needs stop, where the numbers end (got none)")
        start = 0
    return dispatched(np.arange, start, stop, step, dtype=dtype, device=device, like=like)


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """A copy of anything that is like an array.

    A copy in meaning, lazy where a lazy copy may be. With ``copy=False`` a itself, and ValueError where it would have
    to be copied. NumPy's `asanyarray` hands its argument back, or not; `asarray` does where it can.
    """
    return array(a, dtype, copy=copy is not False, order=order, device=device, like=like)


def ascontiguousarray(a, dtype=None, *, like=None):
    """A C-ordered copy, with one axis at least.

    A copy in meaning: lazy where a lies in that order already.
    """
    return array(a, dtype, order="C", ndmin=1, like=like)


def asfortranarray(a, dtype=None, *, like=None):
    """A Fortran-ordered copy, with one axis at least.

    A copy in meaning: lazy where a lies in that order already.
    """
    return array(a, dtype, order="F", ndmin=1, like=like)


def copy(a, order="K", subok=False):
    """A copy of anything that is like an array.

    Lazy, if a is an array of ours and its order is as asked for; subok is ignored.
    """
    return dispatched(np.copy, a, order, subok)


def diag(v, k=0):
    """A matrix with v on its k-th diagonal; of a matrix v, a copy of that diagonal.

    Fresh or a copy, and writable: where NumPy gives a view of the diagonal, `diagonal` does.
    """
    return dispatched(np.diag, v, k)


def diagflat(v, k=0):
    """A matrix with the elements of v, in C order, on its k-th diagonal. Fresh."""
    return dispatched(np.diagflat, v, k)


def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """An array whose elements have no values yet.

    Fresh; of floating-point numbers, where no dtype is given.
    """
    return dispatched(np.empty, shape, dtype, order, device=device, like=like)


def empty_like(prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of the shape and dtype of another, whose elements have no values yet. Fresh."""
    return dispatched(np.empty_like, prototype, dtype, order, subok, shape, device=device)


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """A matrix of N rows and M columns with ones on its k-th diagonal and zeros elsewhere. Fresh."""
    return dispatched(np.eye, N, M, k, dtype, order, device=device, like=like)


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """What a function gives for the coordinates of all elements: one array of ours for each axis.

    The very object that the function returns; what it is given is fresh.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype=int)
    array([[ 0,  1,  2],
           [10, 11, 12]])
    """
    if like is not None:
        return dispatched(np.fromfunction, function, shape, dtype=dtype, like=like, **kwargs)
    return function(*indices(shape, dtype=dtype), **kwargs)


def fromiter(iter, dtype, count=-1, *, like=None):
    """The items of an iterable, as an array with one axis. Fresh."""
    return dispatched(np.fromiter, iter, dtype, count, like=like)


def fromstring(string, dtype=None, count=-1, *, sep="", like=None):
    """The numbers in a text, which are separated by sep. Fresh, with one axis.

    Without sep NumPy took the bytes themselves, and now raises ValueError: that is `frombuffer`.
    """
    return dispatched(np.fromstring, string, dtype, count, sep=sep, like=like)


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """An array with one value in all elements, or with what broadcasts to its shape.

    Fresh; of the value's dtype, where none is given.
    """
    return dispatched(np.full, shape, fill_value, dtype, order, device=device, like=like)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of the shape and dtype of another, with one value in all elements. Fresh."""
    return dispatched(np.full_like, a, fill_value, dtype, order, subok, shape, device=device)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers from start to stop, each the same multiple of the one before. Fresh."""
    return dispatched(np.geomspace, start, stop, num, endpoint, dtype, axis)


def identity(n, dtype=None, *, like=None):
    """The n × n matrix with ones on its diagonal and zeros elsewhere. Fresh."""
    return dispatched(np.identity, n, dtype, like=like)


def indices(dimensions, dtype=int, sparse=False):
    """The coordinates of all elements of a shape: an array in which ``result[i]`` has those along axis i.

    Fresh. With ``sparse=True`` a tuple of arrays, that of axis i long along axis i only.
    """
    return dispatched(np.indices, dimensions, dtype, sparse)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """num numbers from start to stop, evenly spaced; without endpoint, stop is left out.

    Fresh. With ``retstep=True`` a tuple: the numbers, and the distance between them.
    """
    return dispatched(np.linspace, start, stop, num, endpoint, retstep, dtype, axis, device=device)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Powers of a base whose exponents are evenly spaced from start to stop. Fresh."""
    return dispatched(np.logspace, start, stop, num, endpoint, base, dtype, axis)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinates of a grid, from those along each of its axes.

    A tuple of copies, one for each argument, with a Storage each; ``copy=False`` changes nothing that can be seen.
    """
    return dispatched(np.meshgrid, *xi, copy=copy, sparse=sparse, indexing=indexing)


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of ones. Fresh; of floating-point numbers, where no dtype is given."""
    return dispatched(np.ones, shape, dtype, order, device=device, like=like)


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of ones of the shape and dtype of another. Fresh."""
    return dispatched(np.ones_like, a, dtype, order, subok, shape, device=device)


def require(a, dtype=None, requirements=None, *, like=None):
    """A copy that meets requirements on its memory, as `numpy.require`.

    A copy in meaning, which is writable and aligned whether or not that is required.
    """
    if requirements:  # a copy is writable and on its own without NumPy's having to make one
        requirements = [each for each in requirements if each.upper() not in ("W", "WRITEABLE", "O", "OWNDATA")]
    return dispatched(np.require, a, dtype, requirements, like=like)


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """A matrix with ones at and below the k-th diagonal and zeros above. Fresh."""
    return dispatched(np.tri, N, M, k, dtype, like=like)


def tril(m, k=0):
    """Matrices with the elements above the k-th diagonal zeroed. Fresh, of m's shape and dtype."""
    return dispatched(np.tril, m, k)


def triu(m, k=0):
    """Matrices with the elements below the k-th diagonal zeroed. Fresh, of m's shape and dtype."""
    return dispatched(np.triu, m, k)


def vander(x, N=None, increasing=False):
    """The Vandermonde matrix: columns of falling powers of x. Fresh."""
    return dispatched(np.vander, x, N, increasing)


def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of zeros. Fresh; of floating-point numbers, where no dtype is given.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.zeros([2, 3])
    array([[0., 0., 0.],
           [0., 0., 0.]])
    """
    return dispatched(np.zeros, shape, dtype, order, device=device, like=like)


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of zeros of the shape and dtype of another. Fresh."""
    return dispatched(np.zeros_like, a, dtype, order, subok, shape, device=device)
