"""Linear algebra: the extension of the array API standard, 2025.12, and all of `numpy.linalg`.

Arguments are array_like: cowarray's arrays or NumPy's, lists, anything with a buffer or ``__array__``. They are only
read, and lazy copies stay lazy. Parameters, results and errors are those of NumPy's function of the same name; arrays
are returned as fresh `cowarray.ndarray`, or as views where the docstring says so.

It is one file because the standard's extension is one module. Read it a function at a time.
"""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy._globals import _NoValueType
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import complete as _complete
from cowarray._face.annotations import Array, Axes, DType

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


@dispatching(np.linalg.cholesky, returns=Array)
def cholesky(a: ArrayLike, /, *, upper: bool = False) -> Any:
    """Compute the triangular factors L of positive definite matrices, ``L @ L.conj().mT``.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.
    upper : bool, default False
        Whether to return the upper factors instead.

    Raises
    ------
    LinAlgError
        A matrix has no such factor.
    """


@dispatching(np.linalg.cond)
def cond(x: ArrayLike, p: Any = None) -> Any:
    """Compute condition numbers of matrices.

    Fresh.

    Parameters
    ----------
    x : array_like
        Matrices in the last two axes.
    p : {None, 1, -1, 2, -2, inf, -inf, 'fro', 'nuc'}, optional
        The norm. Default: 2.
    """


@dispatching(np.linalg.cross, arrays=2, returns=Array)
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Any:
    """Compute cross products of vectors with three elements.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    axis : int, default -1
        The axis along which vectors lie.
    """


@dispatching(np.linalg.det)
def det(a: ArrayLike) -> Any:
    """Compute determinants of matrices.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.
    """


@dispatching(np.linalg.diagonal, returns=Array)
def diagonal(x: ArrayLike, /, *, offset: SupportsIndex = 0) -> Any:
    """Return the diagonals of matrices.

    A read-only view of x.

    Parameters
    ----------
    x : array_like
        Matrices in the last two axes.
    offset : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    """


@dispatching(np.linalg.eig)
def eig(a: ArrayLike) -> Any:
    """Compute eigenvalues and eigenvectors of matrices.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.

    Returns
    -------
    EigResult
        A named tuple ``(eigenvalues, eigenvectors)`` of ndarray: fresh. Complex; before NumPy 2.5, real if no
        eigenvalue has an imaginary part.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """


@dispatching(np.linalg.eigh)
def eigh(a: ArrayLike, UPLO: Literal["L", "U", "l", "u"] = "L") -> Any:
    """Compute eigenvalues and eigenvectors of symmetric or Hermitian matrices.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.
    UPLO : {'L', 'U'}, default 'L'
        Which triangle to read: the lower or the upper one.

    Returns
    -------
    EighResult
        A named tuple ``(eigenvalues, eigenvectors)`` of ndarray: fresh.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """


@dispatching(np.linalg.eigvals, returns=Array)
def eigvals(a: ArrayLike) -> Any:
    """Compute eigenvalues of matrices.

    Fresh. Complex; before NumPy 2.5, real if none has an imaginary part.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """


@dispatching(np.linalg.eigvalsh, returns=Array)
def eigvalsh(a: ArrayLike, UPLO: Literal["L", "U", "l", "u"] = "L") -> Any:
    """Compute eigenvalues of symmetric or Hermitian matrices.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.
    UPLO : {'L', 'U'}, default 'L'
        Which triangle to read: the lower or the upper one.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """


@dispatching(np.linalg.inv, returns=Array)
def inv(a: ArrayLike) -> Any:
    """Invert matrices.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.

    Raises
    ------
    LinAlgError
        A matrix has no inverse.
    """


@dispatching(np.linalg.lstsq, arrays=3, returns=tuple[Array, Array, int, Array])
def lstsq(a: ArrayLike, b: ArrayLike, rcond: ArrayLike | None = None) -> Any:
    """Solve ``a @ x = b`` by least squares.

    Parameters
    ----------
    a : array_like
        One matrix.
    b : array_like
        A vector, or a matrix with a right-hand side in each column.
    rcond : float, optional
        Singular values up to this fraction of the largest count as 0. Default: set by the precision.

    Returns
    -------
    x : ndarray
        The solution, fresh.
    residuals : ndarray
        The sums of squared residuals, fresh; empty if a lacks full rank or has no more rows than columns.
    rank : int
        The rank of a.
    s : ndarray
        The singular values of a, fresh.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """


@dispatching(np.linalg.matmul, arrays=2)
def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Any:
    """Multiply matrices.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    """


@dispatching(np.linalg.matrix_norm)
def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Compute norms of matrices.

    Fresh.

    Parameters
    ----------
    x : array_like
        Matrices in the last two axes.
    keepdims : bool, default False
        Whether reduced axes stay, with length 1.
    ord : {'fro', 'nuc', 1, -1, 2, -2, inf, -inf}, default 'fro'
        Which norm.
    """


@dispatching(np.linalg.matrix_power, returns=Array)
def matrix_power(a: ArrayLike, n: SupportsIndex) -> Any:
    """Raise matrices to a whole power.

    Fresh; a lazy copy for the power 1.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.
    n : int
        If negative, the power of the inverse.

    Raises
    ------
    LinAlgError
        A negative power of a matrix that has no inverse.
    """


@dispatching(np.linalg.matrix_rank, arrays=2)
def matrix_rank(
    A: ArrayLike, tol: ArrayLike | None = None, hermitian: bool = False, *, rtol: ArrayLike | None = None
) -> Any:
    """Compute ranks of matrices.

    Fresh; integers.

    Parameters
    ----------
    A : array_like
        Matrices in the last two axes.
    tol : array_like, optional
        Singular values up to this value count as 0.
    hermitian : bool, default False
        Whether the matrices are symmetric or Hermitian; that is faster.
    rtol : array_like, optional
        The same, as a fraction of the largest one.
    """


@dispatching(np.linalg.matrix_transpose, returns=Array)
def matrix_transpose(x: ArrayLike, /) -> Any:
    """Exchange the last two axes.

    A view of x.

    Parameters
    ----------
    x : array_like
        Matrices in the last two axes.
    """


@dispatching(np.linalg.multi_dot)
def multi_dot(arrays: Sequence[ArrayLike], *, out: Any = None) -> Any:
    """Multiply several matrices, in the order that costs least.

    Fresh, or `out`.

    Parameters
    ----------
    arrays : sequence of array_like
        The first and the last may be vectors.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    """


@dispatching(np.linalg.norm)
def norm(x: ArrayLike, ord: Any = None, axis: Axes = None, keepdims: bool = False) -> Any:
    """Compute norms of matrices or vectors.

    Fresh.

    Parameters
    ----------
    x : array_like
    ord : int, float or str, optional
        Which norm. Default: the square root of the sum of squares.
    axis : int or pair of int, optional
        The axis of vectors, or the axes of matrices. Default: all.
    keepdims : bool, default False
        Whether reduced axes stay, with length 1.
    """


@dispatching(np.linalg.outer, arrays=2, returns=Array)
def outer(x1: ArrayLike, x2: ArrayLike, /) -> Any:
    """Multiply each element of one vector by each element of another.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
        One-dimensional.
    """


@dispatching(np.linalg.pinv, arrays=2, returns=Array)
def pinv(
    a: ArrayLike,
    rcond: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rtol: ArrayLike | _NoValueType | None = _DEFAULT,
) -> Any:
    """Compute pseudo-inverses of matrices.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.
    rcond : array_like, optional
        Singular values up to this fraction of the largest count as 0.
    hermitian : bool, default False
        Whether the matrices are symmetric or Hermitian; that is faster.
    rtol : array_like, optional
        The standard's name for `rcond`.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """


@dispatching(np.linalg.qr)
def qr(a: ArrayLike, mode: Literal["reduced", "complete", "r", "raw"] = "reduced") -> Any:
    """Factor matrices into an orthonormal and an upper triangular one.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.
    mode : {'reduced', 'complete', 'r', 'raw'}, default 'reduced'
        The sizes of the factors, R alone, or what LAPACK computes.

    Returns
    -------
    QRResult, ndarray or tuple
        Fresh: a named tuple ``(Q, R)`` of ndarray, R alone, or a plain tuple.
    """


@dispatching(np.linalg.slogdet)
def slogdet(a: ArrayLike) -> Any:
    """Compute the signs, and the logarithms of the magnitudes, of determinants.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.

    Returns
    -------
    SlogdetResult
        A named tuple ``(sign, logabsdet)`` of ndarray or scalars: fresh.
    """


@dispatching(np.linalg.solve, arrays=2, returns=Array)
def solve(a: ArrayLike, b: ArrayLike) -> Any:
    """Solve ``a @ x = b``.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.
    b : array_like
        A vector, or matrices with a right-hand side in each column.

    Raises
    ------
    LinAlgError
        A matrix has no inverse.
    """


@dispatching(np.linalg.svd)
def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Compute singular value decompositions of matrices.

    Parameters
    ----------
    a : array_like
        Matrices in the last two axes.
    full_matrices : bool, default True
        Whether U and Vh are square.
    compute_uv : bool, default True
        ``False``: S alone.
    hermitian : bool, default False
        Whether the matrices are symmetric or Hermitian; that is faster.

    Returns
    -------
    SVDResult or ndarray
        Fresh: a named tuple ``(U, S, Vh)`` of ndarray, or S.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """


@dispatching(np.linalg.svdvals, returns=Array)
def svdvals(x: ArrayLike, /) -> Any:
    """Compute singular values of matrices.

    Fresh.

    Parameters
    ----------
    x : array_like
        Matrices in the last two axes.
    """


@dispatching(np.linalg.tensordot, arrays=2)
def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: int | Sequence[Any] = 2) -> Any:
    """Sum products over several axes.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    axes : int or pair of sequences of int, default 2
        How many of x1's last and x2's first axes, or the axes of each.
    """


@dispatching(np.linalg.tensorinv, returns=Array)
def tensorinv(a: ArrayLike, ind: int = 2) -> Any:
    """Compute the inverse of an array for `tensordot`.

    Fresh.

    Parameters
    ----------
    a : array_like
    ind : int, default 2
        How many of the first axes of a are the last axes of the result.

    Raises
    ------
    LinAlgError
        There is no inverse.
    """


@dispatching(np.linalg.tensorsolve, arrays=2, returns=Array)
def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Sequence[int] | None = None) -> Any:
    """Solve ``tensordot(a, x, x.ndim) = b``.

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


@dispatching(np.linalg.trace)
def trace(x: ArrayLike, /, *, offset: SupportsIndex = 0, dtype: DType = None) -> Any:
    """Sum elements along the diagonals of matrices.

    Fresh.

    Parameters
    ----------
    x : array_like
        Matrices in the last two axes.
    offset : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    dtype : dtype, optional
        The type of the sums and of the result.
    """


@dispatching(np.linalg.vecdot, arrays=2)
def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Any:
    """Compute dot products of vectors, the first one conjugated.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    axis : int, default -1
        The axis along which vectors lie.
    """


@dispatching(np.linalg.vector_norm)
def vector_norm(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Compute norms of vectors.

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


_complete(globals(), "numpy.linalg")
