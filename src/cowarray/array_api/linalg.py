"""Linear algebra: the extension of the array API standard, 2025.12."""

from typing import Any, Literal, SupportsIndex

import numpy as _np
from numpy.typing import ArrayLike

import cowarray.linalg as _linalg
from cowarray._chapters.docstrings import CompletedFrom as _CompletedFrom
from cowarray._face.annotations import Array, Axes, DType
from cowarray._face.ndarray import ndarray as _ndarray
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

_completed = _CompletedFrom(_linalg, "cowarray.linalg")


@_completed
def cholesky(x: ArrayLike, /, *, upper: bool = False) -> Array:
    """The triangular factors L of positive definite matrices, ``L @ L.conj().mT``."""
    return _standard(_linalg.cholesky(x, upper=upper))


@_completed
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """Cross products of vectors with three elements."""
    return _standard(_linalg.cross(x1, x2, axis=axis))


@_completed
def det(x: ArrayLike, /) -> Array:
    """Determinants of matrices."""
    return _standard(_linalg.det(x))


@_completed
def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """Diagonals of matrices."""
    return _standard(_linalg.diagonal(x, offset=offset))


@_completed
def eig(x: ArrayLike, /) -> Any:
    """Eigenvalues and eigenvectors of matrices.

    A named tuple ``(eigenvalues, eigenvectors)``: fresh, and complex with any version of NumPy.
    """
    result = _linalg.eig(x)
    return _standard(type(result)(*map(_complex, result)) if isinstance(result, tuple) else result)


@_completed
def eigh(x: ArrayLike, /) -> Any:
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices."""
    return _standard(_linalg.eigh(x))


@_completed
def eigvals(x: ArrayLike, /) -> Array:
    """Eigenvalues of matrices.

    Fresh, and complex with any version of NumPy.
    """
    return _standard(_complex(_linalg.eigvals(x)))


@_completed
def eigvalsh(x: ArrayLike, /) -> Array:
    """Eigenvalues of symmetric or Hermitian matrices."""
    return _standard(_linalg.eigvalsh(x))


@_completed
def inv(x: ArrayLike, /) -> Array:
    """Inverses of matrices."""
    return _standard(_linalg.inv(x))


@_completed
def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """Norms of matrices."""
    return _standard(_linalg.matrix_norm(x, keepdims=keepdims, ord=ord))


@_completed
def matrix_power(x: ArrayLike, n: int, /) -> Array:
    """Matrices to a whole power.

    Parameters
    ----------
    n : int
        Of an inverse, if it is negative.
    """
    return _standard(_linalg.matrix_power(x, n))


@_completed
def matrix_rank(x: ArrayLike, /, *, rtol: ArrayLike | None = None) -> Array:
    """Ranks of matrices.

    Parameters
    ----------
    rtol : array_like, optional
        Singular values up to this part of the greatest count as 0.
    """
    return _standard(_linalg.matrix_rank(x, rtol=rtol))


@_completed
def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """All products of two elements of two vectors."""
    return _standard(_linalg.outer(x1, x2))


@_completed
def pinv(x: ArrayLike, /, *, rtol: ArrayLike | None = None) -> Array:
    """Pseudo-inverses of matrices.

    Parameters
    ----------
    rtol : array_like, optional
        Singular values up to this part of the greatest count as 0.
    """
    return _standard(_linalg.pinv(x, rtol=rtol))


@_completed
def qr(x: ArrayLike, /, *, mode: Literal["reduced", "complete"] = "reduced") -> Any:
    """Matrices as products of an orthonormal and an upper triangular one.

    Parameters
    ----------
    mode : {'reduced', 'complete'}, default 'reduced'
        ``'reduced'``: Q has as many columns as the shorter side of `x`; ``'complete'``: Q is square.

    Returns
    -------
    QRResult
        A named tuple ``(Q, R)`` of ndarray: fresh.
    """
    return _standard(_linalg.qr(x, mode=mode))


@_completed
def slogdet(x: ArrayLike, /) -> Any:
    """Signs and logarithms of the magnitude of determinants.

    A named tuple ``(sign, logabsdet)`` of ndarray: fresh.
    """
    return _standard(_linalg.slogdet(x))


@_completed
def solve(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Solutions x of ``x1 @ x = x2``."""
    return _standard(_linalg.solve(x1, x2))


@_completed
def svd(x: ArrayLike, /, *, full_matrices: bool = True) -> Any:
    """Singular value decompositions of matrices.

    Returns
    -------
    SVDResult
        A named tuple ``(U, S, Vh)`` of ndarray: fresh.
    """
    return _standard(_linalg.svd(x, full_matrices=full_matrices))


@_completed
def svdvals(x: ArrayLike, /) -> Array:
    """Singular values of matrices."""
    return _standard(_linalg.svdvals(x))


@_completed
def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DType = None) -> Array:
    """Sums along the diagonals of matrices."""
    return _standard(_linalg.trace(x, offset=offset, dtype=dtype))


@_completed
def vector_norm(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: Any = 2) -> Array:
    """Norms of vectors."""
    return _standard(_linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord))


def _complex(values: Any) -> Any:
    """NumPy before 2.5 returns real arrays if no eigenvalue happens to have an imaginary part."""
    if not isinstance(values, _ndarray):  # the result of another type's __array_function__
        return values
    return values.astype(_np.result_type(values.dtype, _np.complex64), copy=False)


# The namespace has the standard's names alone.
del Any, Array, ArrayLike, Axes, DType, Literal, SupportsIndex
