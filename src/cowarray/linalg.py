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


@dispatching(np.linalg.cond)
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


@dispatching(np.linalg.cross, arrays=2, returns=Array)
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Any:
    """Cross products of vectors with three elements.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    axis : int, default -1
        The axis along which vectors lie.
    """


@dispatching(np.linalg.det)
def det(a: ArrayLike) -> Any:
    """Determinants of matrices.

    Fresh.

    Parameters
    ----------
    a : array_like
        Matrices, along the last two axes.
    """


@dispatching(np.linalg.diagonal, returns=Array)
def diagonal(x: ArrayLike, /, *, offset: SupportsIndex = 0) -> Any:
    """Diagonals of matrices.

    A read-only view of x.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    offset : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    """


@dispatching(np.linalg.eig)
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


@dispatching(np.linalg.eigh)
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


@dispatching(np.linalg.eigvals, returns=Array)
def eigvals(a: ArrayLike) -> Any:
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


@dispatching(np.linalg.eigvalsh, returns=Array)
def eigvalsh(a: ArrayLike, UPLO: Literal["L", "U", "l", "u"] = "L") -> Any:
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


@dispatching(np.linalg.inv, returns=Array)
def inv(a: ArrayLike) -> Any:
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


@dispatching(np.linalg.lstsq, arrays=3, returns=tuple[Array, Array, int, Array])
def lstsq(a: ArrayLike, b: ArrayLike, rcond: ArrayLike | None = None) -> Any:
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


@dispatching(np.linalg.matmul, arrays=2)
def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Any:
    """Products of matrices.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    """


@dispatching(np.linalg.matrix_norm)
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


@dispatching(np.linalg.matrix_power, returns=Array)
def matrix_power(a: ArrayLike, n: SupportsIndex) -> Any:
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


@dispatching(np.linalg.matrix_rank, arrays=2)
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


@dispatching(np.linalg.matrix_transpose, returns=Array)
def matrix_transpose(x: ArrayLike, /) -> Any:
    """The last two axes exchanged.

    A view of x.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    """


@dispatching(np.linalg.multi_dot)
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


@dispatching(np.linalg.norm)
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


@dispatching(np.linalg.outer, arrays=2, returns=Array)
def outer(x1: ArrayLike, x2: ArrayLike, /) -> Any:
    """All products of two elements of two vectors.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
        Of one axis.
    """


@dispatching(np.linalg.pinv, arrays=2, returns=Array)
def pinv(
    a: ArrayLike,
    rcond: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rtol: ArrayLike | _NoValueType | None = _DEFAULT,
) -> Any:
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


@dispatching(np.linalg.qr)
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


@dispatching(np.linalg.slogdet)
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


@dispatching(np.linalg.solve, arrays=2, returns=Array)
def solve(a: ArrayLike, b: ArrayLike) -> Any:
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


@dispatching(np.linalg.svd)
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


@dispatching(np.linalg.svdvals, returns=Array)
def svdvals(x: ArrayLike, /) -> Any:
    """Singular values of matrices.

    Fresh.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    """


@dispatching(np.linalg.tensordot, arrays=2)
def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: int | Sequence[Any] = 2) -> Any:
    """Sums of products over several axes.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    axes : int or pair of sequences of int, default 2
        As many last axes of x1 and first of x2, or the axes of each.
    """


@dispatching(np.linalg.tensorinv, returns=Array)
def tensorinv(a: ArrayLike, ind: int = 2) -> Any:
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


@dispatching(np.linalg.tensorsolve, arrays=2, returns=Array)
def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Sequence[int] | None = None) -> Any:
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


@dispatching(np.linalg.trace)
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


@dispatching(np.linalg.vecdot, arrays=2)
def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Any:
    """Dot products of vectors, the first conjugated.

    Fresh.

    Parameters
    ----------
    x1, x2 : array_like
    axis : int, default -1
        The axis along which vectors lie.
    """


@dispatching(np.linalg.vector_norm)
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


_complete(globals(), "numpy.linalg")
