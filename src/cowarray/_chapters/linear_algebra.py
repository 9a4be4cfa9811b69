"""The chapter "linear algebra functions" of the array API standard, 2025.12, and NumPy's functions of that kind.

Arrays are array_like: ours or NumPy's, scalars, lists, what has a buffer or ``__array__``. They are only read, and stay
the lazy copies that they are; what is given as ``out`` is written and comes back, and no copy of it notices. Options,
results and errors are those of NumPy's function of that name; other arrays that come back are `cowarray.ndarray`, and
fresh, unless the docstring says view. More is in `cowarray.linalg`, `trace` too: `cowarray.trace` is something else.
"""

import numpy as np

from cowarray._ops.protocols import dispatched, elementwise2, imported

__all__ = [
    "cross",
    "dot",
    "einsum",
    "einsum_path",
    "inner",
    "kron",
    "matmul",
    "matrix_transpose",
    "matvec",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
    "vecmat",
]


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross products of vectors; as `numpy.cross`.

    Fresh.
    """
    return dispatched(np.cross, a, b, axisa=axisa, axisb=axisb, axisc=axisc, axis=axis)


def dot(a, b, out=None):
    """Dot products: of vectors, of matrices, or over the last axis of a and the last but one of b; as `numpy.dot`.

    Fresh.
    """
    return dispatched(np.dot, a, b, out=out)


def einsum(*operands, out=None, optimize=False, **kwargs):
    """Sums of products over axes that are named, "ij,jk->ik"; as `numpy.einsum`.

    Fresh; a view of an operand of ours where there is one operand and nothing is summed: a diagonal, axes in another
    order.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.asarray([[1, 2], [3, 4]])
    >>> cowarray.einsum("ij->j", x)
    array([4, 6])
    >>> cowarray.einsum("ii->i", x)[...] = 0
    >>> x
    array([[0, 2],
           [3, 0]])
    """
    return dispatched(np.einsum, *operands, out=out, optimize=optimize, **kwargs)


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """In which order to contract the operands of `einsum`; as `numpy.einsum_path`.

    A list, and a text that explains it.
    """
    return dispatched(np.einsum_path, *operands, optimize=optimize, einsum_call=einsum_call)


def inner(a, b, /):
    """Sums of products over the last axes; as `numpy.inner`.

    Fresh.
    """
    return dispatched(np.inner, a, b)


def kron(a, b):
    """The Kronecker product: a matrix of multiples of b; as `numpy.kron`.

    Fresh.
    """
    return dispatched(np.kron, a, b)


def matmul(x1, x2, /, out=None, **kwargs):
    """Products of matrices, ``x1 @ x2``; as `numpy.matmul`, whose other keyword arguments are taken, too.

    Fresh. `ValueError` for operands without axes, or that do not fit.
    """
    return _gufunc(np.matmul, x1, x2, out, kwargs)


def matrix_transpose(x, /):
    """The last two axes exchanged; as `numpy.matrix_transpose`.

    A view of x, if it is an array of ours. Anything else becomes one first.
    """
    return dispatched(np.matrix_transpose, x)


def matvec(x1, x2, /, out=None, **kwargs):
    """Products of matrices and vectors; as `numpy.matvec`, whose other keyword arguments are taken, too.

    Fresh.
    """
    return _gufunc(np.matvec, x1, x2, out, kwargs)


def outer(a, b, out=None):
    """All products of two elements, of a (a row each) and of b; as `numpy.outer`.

    Fresh.
    """
    return dispatched(np.outer, a, b, out=out)


def tensordot(a, b, axes=2):
    """Sums of products over several axes; as `numpy.tensordot`.

    Fresh.
    """
    return dispatched(np.tensordot, a, b, axes=axes)


def vdot(a, b, /):
    """The dot product of two arrays, flattened, of which the first is conjugated; as `numpy.vdot`.

    A scalar.
    """
    return dispatched(np.vdot, a, b)


def vecdot(x1, x2, /, out=None, *, axis=-1, **kwargs):
    """Dot products of vectors, the first conjugated; as `numpy.vecdot`, whose other keyword arguments are taken, too.

    Fresh.
    """
    if axis != -1:
        kwargs["axis"] = axis
    return _gufunc(np.vecdot, x1, x2, out, kwargs)


def vecmat(x1, x2, /, out=None, **kwargs):
    """Products of vectors, conjugated, and matrices; as `numpy.vecmat`, whose other keyword arguments are taken, too.

    Fresh.
    """
    return _gufunc(np.vecmat, x1, x2, out, kwargs)


def _gufunc(ufunc, x1, x2, out, kwargs):
    if out is None and not kwargs:
        return elementwise2(ufunc, x1, x2)
    return ufunc(imported(x1), imported(x2), out=out, **kwargs)
