"""Linear algebra: the extension of the array API standard, 2025.12."""

from typing import Any, Literal, SupportsIndex

from numpy.typing import ArrayLike

from cowarray import linalg as _linalg
from cowarray._chapters.docstrings import Completed as _Completed
from cowarray._face.annotations import Array, Axes, DType
from cowarray._ops.conversion import standard as _standard
from cowarray.array_api._linear_algebra import matmul, matrix_transpose, tensordot, vecdot

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

_PARAMETERS = {
    "x": "array_like\n    Matrices, along the last two axes.",
}
_completed = _Completed(_PARAMETERS, "ndarray", "cowarray.linalg", "Has NumPy's parameters.")


def cholesky(x: ArrayLike, /, *, upper: bool = False) -> Array:
    """The triangular factors L of positive definite matrices, ``L @ L.conj().mT``.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    upper : bool, default False
        The upper factors instead.

    Returns
    -------
    ndarray
        Fresh.

    Raises
    ------
    LinAlgError
        A matrix has no such factor.

    See Also
    --------
    cowarray.linalg.cholesky : Has NumPy's parameters.
    """
    return _standard(_linalg.cholesky(x, upper=upper))


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """Cross products of vectors with three elements.

    Parameters
    ----------
    x1 : array_like
    x2 : array_like
    axis : int, default -1
        The axis along which vectors lie.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.linalg.cross : Has NumPy's parameters.
    """
    return _standard(_linalg.cross(x1, x2, axis=axis))


@_completed
def det(x: ArrayLike, /) -> Array:
    """Determinants of matrices.

    Fresh.
    """
    return _standard(_linalg.det(x))


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """Diagonals of matrices.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    offset : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.

    Returns
    -------
    ndarray
        A read-only view of x.

    See Also
    --------
    cowarray.linalg.diagonal : Has NumPy's parameters.
    """
    return _standard(_linalg.diagonal(x, offset=offset))


def eig(x: ArrayLike, /) -> Any:
    """Eigenvalues and eigenvectors of matrices: complex, with any version of NumPy.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.

    Returns
    -------
    EigResult
        A named tuple ``(eigenvalues, eigenvectors)`` of ndarray: fresh.

    Raises
    ------
    LinAlgError
        The computation does not converge.

    See Also
    --------
    cowarray.linalg.eig : Has NumPy's parameters.
    """
    return _standard(_linalg.eig(x))


def eigh(x: ArrayLike, /) -> Any:
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.

    Returns
    -------
    EighResult
        A named tuple ``(eigenvalues, eigenvectors)`` of ndarray: fresh.

    Raises
    ------
    LinAlgError
        The computation does not converge.

    See Also
    --------
    cowarray.linalg.eigh : Has NumPy's parameters.
    """
    return _standard(_linalg.eigh(x))


@_completed
def eigvals(x: ArrayLike, /) -> Array:
    """Eigenvalues of matrices: complex, with any version of NumPy.

    Fresh.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """
    return _standard(_linalg.eigvals(x))


@_completed
def eigvalsh(x: ArrayLike, /) -> Array:
    """Eigenvalues of symmetric or Hermitian matrices.

    Fresh.

    Raises
    ------
    LinAlgError
        The computation does not converge.
    """
    return _standard(_linalg.eigvalsh(x))


@_completed
def inv(x: ArrayLike, /) -> Array:
    """Inverses of matrices.

    Fresh.

    Raises
    ------
    LinAlgError
        A matrix has no inverse.
    """
    return _standard(_linalg.inv(x))


def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """Norms of matrices.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    keepdims : bool, default False
        Whether reduced axes stay, with length 1.
    ord : {'fro', 'nuc', 1, -1, 2, -2, inf, -inf}, default 'fro'
        Which norm.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.linalg.matrix_norm : Has NumPy's parameters.
    """
    return _standard(_linalg.matrix_norm(x, keepdims=keepdims, ord=ord))


def matrix_power(x: ArrayLike, n: int, /) -> Array:
    """Matrices to a whole power.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    n : int
        Of an inverse, if it is negative.

    Returns
    -------
    ndarray
        Fresh; a lazy copy for the power 1.

    Raises
    ------
    LinAlgError
        A negative power of a matrix without inverse.

    See Also
    --------
    cowarray.linalg.matrix_power : Has NumPy's parameters.
    """
    return _standard(_linalg.matrix_power(x, n))


def matrix_rank(x: ArrayLike, /, *, rtol: ArrayLike | None = None) -> Array:
    """Ranks of matrices.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    rtol : array_like, optional
        Singular values up to this part of the greatest count as 0.

    Returns
    -------
    ndarray
        Fresh; integers.

    See Also
    --------
    cowarray.linalg.matrix_rank : Has NumPy's parameters.
    """
    return _standard(_linalg.matrix_rank(x, rtol=rtol))


def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """All products of two elements of two vectors.

    Parameters
    ----------
    x1 : array_like
        Of one axis.
    x2 : array_like
        Of one axis.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.linalg.outer : Has NumPy's parameters.
    """
    return _standard(_linalg.outer(x1, x2))


def pinv(x: ArrayLike, /, *, rtol: ArrayLike | None = None) -> Array:
    """Pseudo-inverses of matrices.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    rtol : array_like, optional
        Singular values up to this part of the greatest count as 0.

    Returns
    -------
    ndarray
        Fresh.

    Raises
    ------
    LinAlgError
        The computation does not converge.

    See Also
    --------
    cowarray.linalg.pinv : Has NumPy's parameters.
    """
    return _standard(_linalg.pinv(x, rtol=rtol))


def qr(x: ArrayLike, /, *, mode: Literal["reduced", "complete"] = "reduced") -> Any:
    """Matrices as products of an orthonormal and an upper triangular one.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    mode : {'reduced', 'complete'}, default 'reduced'
        ``'reduced'``: Q has as many columns as the shorter side of `x`; ``'complete'``: Q is square.

    Returns
    -------
    QRResult
        A named tuple ``(Q, R)`` of ndarray: fresh.

    See Also
    --------
    cowarray.linalg.qr : Has NumPy's parameters.
    """
    return _standard(_linalg.qr(x, mode=mode))


def slogdet(x: ArrayLike, /) -> Any:
    """Signs and logarithms of the magnitude of determinants.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.

    Returns
    -------
    SlogdetResult
        A named tuple ``(sign, logabsdet)`` of ndarray: fresh.

    See Also
    --------
    cowarray.linalg.slogdet : Has NumPy's parameters.
    """
    return _standard(_linalg.slogdet(x))


def solve(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Solutions x of ``x1 @ x = x2``.

    Parameters
    ----------
    x1 : array_like
        Matrices, along the last two axes.
    x2 : array_like
        A vector, or matrices with a right-hand side in each column.

    Returns
    -------
    ndarray
        Fresh.

    Raises
    ------
    LinAlgError
        A matrix has no inverse.

    See Also
    --------
    cowarray.linalg.solve : Has NumPy's parameters.
    """
    return _standard(_linalg.solve(x1, x2))


def svd(x: ArrayLike, /, *, full_matrices: bool = True) -> Any:
    """Singular value decompositions of matrices.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    full_matrices : bool, default True
        Whether U and Vh are square.

    Returns
    -------
    SVDResult
        A named tuple ``(U, S, Vh)`` of ndarray: fresh.

    Raises
    ------
    LinAlgError
        The computation does not converge.

    See Also
    --------
    cowarray.linalg.svd : Has NumPy's parameters.
    """
    return _standard(_linalg.svd(x, full_matrices=full_matrices))


@_completed
def svdvals(x: ArrayLike, /) -> Array:
    """Singular values of matrices.

    Fresh.
    """
    return _standard(_linalg.svdvals(x))


def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DType = None) -> Array:
    """Sums along the diagonals of matrices.

    Parameters
    ----------
    x : array_like
        Matrices, along the last two axes.
    offset : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    dtype : dtype, optional
        To sum in, and of the result.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.linalg.trace : Has NumPy's parameters.
    """
    return _standard(_linalg.trace(x, offset=offset, dtype=dtype))


def vector_norm(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: Any = 2) -> Array:
    """Norms of vectors.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        All axes if omitted.
    keepdims : bool, default False
        Whether reduced axes stay, with length 1.
    ord : int or float, default 2
        Which norm.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.linalg.vector_norm : Has NumPy's parameters.
    """
    return _standard(_linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord))


# The namespace has the standard's names alone.
del Any, Array, ArrayLike, Axes, DType, Literal, SupportsIndex
