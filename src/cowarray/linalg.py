"""Linear algebra: the extension of the array API standard, 2025.12, and all of `numpy.linalg`.

Arguments are array_like: cowarray's arrays or NumPy's, lists, anything with a buffer or ``__array__``. They are only
read, and lazy copies stay lazy. Parameters, results and errors are those of NumPy's function of the same name; arrays
come back as fresh `cowarray.ndarray`, or as views where the docstring says so.

It is one file because the standard's extension is one module. Read it a function at a time.
"""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy._globals import _NoValueType
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike

from cowarray._chapters.docstrings import complete as _complete
from cowarray._face.annotations import Array, Axes, DType
from cowarray._ops.functions import dispatched

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


def cholesky(a: ArrayLike, /, *, upper: bool = False) -> Array:
    """The triangular factors L of positive definite matrices, ``L @ L.conj().mT``.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.
    upper : bool, default False
        The upper factors instead.

    Raises
    ------
    LinAlgError
        A matrix has no such factor.
    """
    return dispatched(np.linalg.cholesky, a, upper=upper)


def cond(x: ArrayLike, p: Any = None) -> Any:
    """Condition numbers of matrices.

    Fresh.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    p : {None, 1, -1, 2, -2, inf, -inf, 'fro', 'nuc'}, optional
        The norm. Default: 2.
    """
    return dispatched(np.linalg.cond, x, p=p)


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """Cross products of vectors with three elements.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    axis : int, default -1
        The axis along which vectors lie.
    """
    return dispatched(np.linalg.cross, x1, x2, axis=axis)


def det(a: ArrayLike) -> Any:
    """Determinants of matrices.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.
    """
    return dispatched(np.linalg.det, a)


def diagonal(x: ArrayLike, /, *, offset: SupportsIndex = 0) -> Array:
    """Diagonals of matrices.

    A read-only view of x.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    offset : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    """
    return dispatched(np.linalg.diagonal, x, offset=offset)


def eig(a: ArrayLike) -> Any:
    """Eigenvalues and eigenvectors of matrices.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.

    Returns
    -------
    EigResult
        A named tuple ``(eigenvalues, eigenvectors)`` of ndarray: fresh. Complex; before NumPy 2.5, real where no
        eigenvalue has an imaginary part.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """
    return dispatched(np.linalg.eig, a)


def eigh(a: ArrayLike, UPLO: Literal["L", "U", "l", "u"] = "L") -> Any:
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.
    UPLO : {'L', 'U'}, default 'L'
        Which triangle is read: the lower or the upper one.

    Returns
    -------
    EighResult
        A named tuple ``(eigenvalues, eigenvectors)`` of ndarray: fresh.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """
    return dispatched(np.linalg.eigh, a, UPLO=UPLO)


def eigvals(a: ArrayLike) -> Array:
    """Eigenvalues of matrices.

    Fresh. Complex; before NumPy 2.5, real where none has an imaginary part.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """
    return dispatched(np.linalg.eigvals, a)


def eigvalsh(a: ArrayLike, UPLO: Literal["L", "U", "l", "u"] = "L") -> Array:
    """Eigenvalues of symmetric or Hermitian matrices.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.
    UPLO : {'L', 'U'}, default 'L'
        Which triangle is read: the lower or the upper one.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """
    return dispatched(np.linalg.eigvalsh, a, UPLO=UPLO)


def inv(a: ArrayLike) -> Array:
    """Inverses of matrices.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.

    Raises
    ------
    LinAlgError
        A matrix has no inverse.
    """
    return dispatched(np.linalg.inv, a)


def lstsq(a: ArrayLike, b: ArrayLike, rcond: ArrayLike | None = None) -> tuple[Array, Array, int, Array]:
    """The solution of ``a @ x = b`` by least squares.

    Parameters
    ----------
    a : array_like
        One matrix.
    b : array_like
        A vector, or a matrix with a right-hand side in each column.
    rcond : float, optional
        Singular values below this part of the largest count as 0. Default: set by the precision.

    Returns
    -------
    x : ndarray
        The solution, fresh.
    residuals : ndarray
        Sums of squared residuals, fresh; empty if a lacks full rank or has no more rows than columns.
    rank : int
        Of a.
    s : ndarray
        Singular values of a, fresh.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """
    return dispatched(np.linalg.lstsq, a, b, rcond=rcond)


def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Any:
    """Products of matrices.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    """
    return dispatched(np.linalg.matmul, x1, x2)


def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Norms of matrices.

    Fresh.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    keepdims : bool, default False
        Whether reduced axes stay, with length 1.
    ord : {'fro', 'nuc', 1, -1, 2, -2, inf, -inf}, default 'fro'
        Which norm.
    """
    return dispatched(np.linalg.matrix_norm, x, keepdims=keepdims, ord=ord)


def matrix_power(a: ArrayLike, n: SupportsIndex) -> Array:
    """Matrices to a whole power.

    Fresh; a lazy copy for the power 1.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.
    n : int
        Negative: powers of the inverse.

    Raises
    ------
    LinAlgError
        A negative power of a matrix without inverse.
    """
    return dispatched(np.linalg.matrix_power, a, n)


def matrix_rank(
    A: ArrayLike, tol: ArrayLike | None = None, hermitian: bool = False, *, rtol: ArrayLike | None = None
) -> Any:
    """Ranks of matrices.

    Fresh; integers.

    Parameters
    ----------
    A : array_like
        Matrices, along the last two axes.
    tol : array_like, optional
        Singular values up to this one count as 0.
    hermitian : bool, default False
        Whether matrices are symmetric or Hermitian, which is faster.
    rtol : array_like, optional
        The same, as a part of the largest one.
    """
    return dispatched(np.linalg.matrix_rank, A, tol=tol, hermitian=hermitian, rtol=rtol)


def matrix_transpose(x: ArrayLike, /) -> Array:
    """The last two axes exchanged.

    A view of x.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    """
    return dispatched(np.linalg.matrix_transpose, x)


def multi_dot(arrays: Sequence[ArrayLike], *, out: Any = None) -> Any:
    """The product of several matrices, in the order that costs least.

    Fresh, or `out`.

    Parameters
    ----------
    arrays : sequence of array_like
        The first and the last may be vectors.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    """
    return dispatched(np.linalg.multi_dot, arrays, out=out)


def norm(x: ArrayLike, ord: Any = None, axis: Axes = None, keepdims: bool = False) -> Any:
    """Norms of matrices or vectors.

    Fresh.

    Parameters
    ----------
    x : array_like
    ord : int, float or str, optional
        Which norm. Default: the root of the sum of squares.
    axis : int or pair of int, optional
        The axis of vectors, or the axes of matrices. Default: all.
    keepdims : bool, default False
        Whether reduced axes stay, with length 1.
    """
    return dispatched(np.linalg.norm, x, ord=ord, axis=axis, keepdims=keepdims)


def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """All products of two elements of two vectors.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
        Of one axis.
    """
    return dispatched(np.linalg.outer, x1, x2)


def pinv(
    a: ArrayLike,
    rcond: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rtol: ArrayLike | _NoValueType | None = _DEFAULT,
) -> Array:
    """Pseudo-inverses of matrices.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.
    rcond : array_like, optional
        Singular values below this part of the largest count as 0.
    hermitian : bool, default False
        Whether matrices are symmetric or Hermitian, which is faster.
    rtol : array_like, optional
        The standard's name for `rcond`.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """
    return dispatched(np.linalg.pinv, a, rcond=rcond, hermitian=hermitian, rtol=rtol)


def qr(a: ArrayLike, mode: Literal["reduced", "complete", "r", "raw"] = "reduced") -> Any:
    """Matrices as products of an orthonormal and an upper triangular one.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.
    mode : {'reduced', 'complete', 'r', 'raw'}, default 'reduced'
        The sizes of the factors, R alone, or what LAPACK computes.

    Returns
    -------
    QRResult, ndarray or tuple
        Fresh: a named tuple ``(Q, R)`` of ndarray, R alone, or a plain tuple.
    """
    return dispatched(np.linalg.qr, a, mode=mode)


def slogdet(a: ArrayLike) -> Any:
    """Signs and logarithms of the magnitude of determinants.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.

    Returns
    -------
    SlogdetResult
        A named tuple ``(sign, logabsdet)`` of ndarray or scalars: fresh.
    """
    return dispatched(np.linalg.slogdet, a)


def solve(a: ArrayLike, b: ArrayLike) -> Array:
    """Solutions of ``a @ x = b``.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.
    b : array_like
        A vector, or matrices with a right-hand side in each column.

    Raises
    ------
    LinAlgError
        A matrix has no inverse.
    """
    return dispatched(np.linalg.solve, a, b)


def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular value decompositions of matrices.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.
    full_matrices : bool, default True
        Whether U and Vh are square.
    compute_uv : bool, default True
        ``False``: S alone.
    hermitian : bool, default False
        Whether matrices are symmetric or Hermitian, which is faster.

    Returns
    -------
    SVDResult or ndarray
        Fresh: a named tuple ``(U, S, Vh)`` of ndarray, or S.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """
    return dispatched(np.linalg.svd, a, full_matrices=full_matrices, compute_uv=compute_uv, hermitian=hermitian)


def svdvals(x: ArrayLike, /) -> Array:
    """Singular values of matrices.

    Fresh.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    """
    return dispatched(np.linalg.svdvals, x)


def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: int | Sequence[Any] = 2) -> Any:
    """Sums of products over several axes.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    axes : int or pair of sequences of int, default 2
        As many last axes of x1 and first of x2, or the axes of each.
    """
    return dispatched(np.linalg.tensordot, x1, x2, axes=axes)


def tensorinv(a: ArrayLike, ind: int = 2) -> Array:
    """The inverse of an array for `tensordot`.

    Fresh.

    Parameters
    ----------
    a : array_like
    ind : int, default 2
        How many of the first axes count as those of the result.

    Raises
    ------
    LinAlgError
        There is no inverse.
    """
    return dispatched(np.linalg.tensorinv, a, ind=ind)


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Sequence[int] | None = None) -> Array:
    """The solution of ``tensordot(a, x, x.ndim) = b``.

    Fresh.

    Parameters
    ----------
    a : array_like
    b : array_like
    axes : sequence of int, optional
        Axes of a to move to its end first.

    Raises
    ------
    LinAlgError
        There is no solution.
    """
    return dispatched(np.linalg.tensorsolve, a, b, axes=axes)


def trace(x: ArrayLike, /, *, offset: SupportsIndex = 0, dtype: DType = None) -> Any:
    """Sums along the diagonals of matrices.

    Fresh.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    offset : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    dtype : dtype, optional
        To sum in, and of the result.
    """
    return dispatched(np.linalg.trace, x, offset=offset, dtype=dtype)


def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Any:
    """Dot products of vectors, the first conjugated.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    axis : int, default -1
        The axis along which vectors lie.
    """
    return dispatched(np.linalg.vecdot, x1, x2, axis=axis)


def vector_norm(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Norms of vectors.

    Fresh.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        All axes if omitted.
    keepdims : bool, default False
        Whether reduced axes stay, with length 1.
    ord : int or float, default 2
        Which norm.
    """
    return dispatched(np.linalg.vector_norm, x, axis=axis, keepdims=keepdims, ord=ord)


_complete(globals(), "numpy.linalg")
