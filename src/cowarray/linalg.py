"""Linear algebra: the extension of the array API standard, 2025.12, and all of `numpy.linalg`.

Arrays are array_like: ours or NumPy's, lists, what has a buffer or ``__array__``. They are only read, and stay the lazy
copies that they are. Parameters, results and errors are those of NumPy's function of that name; arrays that come back
are `cowarray.ndarray`, and fresh, unless the docstring says view.
"""

import numpy as np
from numpy.linalg import LinAlgError

from cowarray._face.ndarray import ndarray
from cowarray._ops.protocols import dispatched

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]

_DEFAULT = np._NoValue  # "not given", where None would mean something


def cholesky(a, /, *, upper=False):
    """The triangular factors L of positive definite matrices, ``L @ L.conj().mT``; as `numpy.linalg.cholesky`.

    Fresh. `LinAlgError` where a matrix has none.
    """
    return dispatched(np.linalg.cholesky, a, upper=upper)


def cond(x, p=None):
    """Condition numbers of matrices; as `numpy.linalg.cond`.

    Fresh.
    """
    return dispatched(np.linalg.cond, x, p=p)


def cross(x1, x2, /, *, axis=-1):
    """Cross products of vectors with three elements; as `numpy.linalg.cross`.

    Fresh.
    """
    return dispatched(np.linalg.cross, x1, x2, axis=axis)


def det(a):
    """Determinants of matrices; as `numpy.linalg.det`.

    Fresh.
    """
    return dispatched(np.linalg.det, a)


def diagonal(x, /, *, offset=0):
    """Diagonals of matrices; as `numpy.linalg.diagonal`.

    A read-only view of x, if it is an array of ours. Anything else becomes one first.
    """
    return dispatched(np.linalg.diagonal, x, offset=offset)


def eig(a):
    """Eigenvalues and eigenvectors of matrices; as `numpy.linalg.eig` of NumPy 2.5: complex, with any NumPy.

    A named tuple ``(eigenvalues, eigenvectors)`` of fresh arrays. `LinAlgError` without convergence.
    """
    result = dispatched(np.linalg.eig, a)
    return type(result)(*map(_complex, result)) if isinstance(result, tuple) else result


def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices; as `numpy.linalg.eigh`.

    A named tuple ``(eigenvalues, eigenvectors)`` of fresh arrays. `LinAlgError` without convergence.
    """
    return dispatched(np.linalg.eigh, a, UPLO=UPLO)


def eigvals(a):
    """Eigenvalues of matrices; as `numpy.linalg.eigvals` of NumPy 2.5: complex, with any NumPy.

    Fresh. `LinAlgError` without convergence.
    """
    return _complex(dispatched(np.linalg.eigvals, a))


def eigvalsh(a, UPLO="L"):
    """Eigenvalues of symmetric or Hermitian matrices; as `numpy.linalg.eigvalsh`.

    Fresh. `LinAlgError` without convergence.
    """
    return dispatched(np.linalg.eigvalsh, a, UPLO=UPLO)


def inv(a):
    """Inverses of matrices; as `numpy.linalg.inv`.

    Fresh. `LinAlgError` where a matrix has none.
    """
    return dispatched(np.linalg.inv, a)


def lstsq(a, b, rcond=None):
    """The solution of ``a @ x = b`` by least squares; as `numpy.linalg.lstsq`.

    A tuple: x, sums of squared residuals, the rank of a, its singular values; arrays are fresh.
    """
    return dispatched(np.linalg.lstsq, a, b, rcond=rcond)


def matmul(x1, x2, /):
    """Products of matrices; as `numpy.linalg.matmul`.

    Fresh.
    """
    return dispatched(np.linalg.matmul, x1, x2)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norms of matrices; as `numpy.linalg.matrix_norm`.

    Fresh.
    """
    return dispatched(np.linalg.matrix_norm, x, keepdims=keepdims, ord=ord)


def matrix_power(a, n):
    """Matrices to a whole power; as `numpy.linalg.matrix_power`.

    Fresh; a lazy copy for the power 1. `LinAlgError` for a negative power of a matrix without inverse.
    """
    return dispatched(np.linalg.matrix_power, a, n)


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """Ranks of matrices; as `numpy.linalg.matrix_rank`.

    Fresh; integers.
    """
    return dispatched(np.linalg.matrix_rank, A, tol=tol, hermitian=hermitian, rtol=rtol)


def matrix_transpose(x, /):
    """The last two axes exchanged; as `numpy.linalg.matrix_transpose`.

    A view of x, if it is an array of ours. Anything else becomes one first.
    """
    return dispatched(np.linalg.matrix_transpose, x)


def multi_dot(arrays, *, out=None):
    """The product of several matrices, in the order that is cheapest; as `numpy.linalg.multi_dot`.

    Fresh; ``out`` is written, where it is given.
    """
    return dispatched(np.linalg.multi_dot, arrays, out=out)


def norm(x, ord=None, axis=None, keepdims=False):
    """Norms of matrices or vectors; as `numpy.linalg.norm`.

    Fresh.
    """
    return dispatched(np.linalg.norm, x, ord=ord, axis=axis, keepdims=keepdims)


def outer(x1, x2, /):
    """All products of two elements of two vectors; as `numpy.linalg.outer`.

    Fresh.
    """
    return dispatched(np.linalg.outer, x1, x2)


def pinv(a, rcond=None, hermitian=False, *, rtol=_DEFAULT):
    """Pseudo-inverses of matrices; as `numpy.linalg.pinv`.

    Fresh.
    """
    return dispatched(np.linalg.pinv, a, rcond=rcond, hermitian=hermitian, rtol=rtol)


def qr(a, mode="reduced"):
    """Matrices as products of an orthonormal and an upper triangular one; as `numpy.linalg.qr`.

    A named tuple ``(Q, R)`` of fresh arrays; an array or a plain tuple in other modes.
    """
    return dispatched(np.linalg.qr, a, mode=mode)


def slogdet(a):
    """Signs and logarithms of the magnitude of determinants; as `numpy.linalg.slogdet`.

    A named tuple ``(sign, logabsdet)``; arrays are fresh.
    """
    return dispatched(np.linalg.slogdet, a)


def solve(a, b):
    """Solutions of ``a @ x = b``; as `numpy.linalg.solve`.

    Fresh. `LinAlgError` where a has no inverse.
    """
    return dispatched(np.linalg.solve, a, b)


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular value decompositions of matrices; as `numpy.linalg.svd`.

    A named tuple ``(U, S, Vh)`` of fresh arrays; S alone with ``compute_uv=False``.
    """
    return dispatched(np.linalg.svd, a, full_matrices=full_matrices, compute_uv=compute_uv, hermitian=hermitian)


def svdvals(x, /):
    """Singular values of matrices; as `numpy.linalg.svdvals`.

    Fresh.
    """
    return dispatched(np.linalg.svdvals, x)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over several axes; as `numpy.linalg.tensordot`.

    Fresh.
    """
    return dispatched(np.linalg.tensordot, x1, x2, axes=axes)


def tensorinv(a, ind=2):
    """The inverse of an array for `tensordot`; as `numpy.linalg.tensorinv`.

    Fresh. `LinAlgError` where there is none.
    """
    return dispatched(np.linalg.tensorinv, a, ind=ind)


def tensorsolve(a, b, axes=None):
    """The solution of ``tensordot(a, x, x.ndim) = b``; as `numpy.linalg.tensorsolve`.

    Fresh. `LinAlgError` where there is none.
    """
    return dispatched(np.linalg.tensorsolve, a, b, axes=axes)


def trace(x, /, *, offset=0, dtype=None):
    """Sums along the diagonals of matrices; as `numpy.linalg.trace`.

    Fresh.
    """
    return dispatched(np.linalg.trace, x, offset=offset, dtype=dtype)


def vecdot(x1, x2, /, *, axis=-1):
    """Dot products of vectors, the first conjugated; as `numpy.linalg.vecdot`.

    Fresh.
    """
    return dispatched(np.linalg.vecdot, x1, x2, axis=axis)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norms of vectors; as `numpy.linalg.vector_norm`.

    Fresh.
    """
    return dispatched(np.linalg.vector_norm, x, axis=axis, keepdims=keepdims, ord=ord)


def _complex(values):
    """NumPy before 2.5 gives real arrays where it happens that no eigenvalue has an imaginary part."""
    if not isinstance(values, (ndarray, np.ndarray)):  # what somebody's __array_function__ gave
        return values
    return values.astype(np.result_type(values.dtype, np.complex64), copy=False)
