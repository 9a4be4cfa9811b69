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
    """Compute the triangular factors L of positive definite matrices, ``L @ L.conj().mT``."""
    return _standard(_linalg.cholesky(x, upper=upper))


@_completed
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex = -1) -> Array:
    """Compute cross products of vectors with three elements."""
    return _standard(_linalg.cross(x1, x2, axis=axis))


@_completed
def det(x: ArrayLike, /) -> Array:
    """Compute determinants of matrices."""
    return _standard(_linalg.det(x))


@_completed
def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """Return the diagonals of matrices."""
    return _standard(_linalg.diagonal(x, offset=offset))


@_completed
def eig(x: ArrayLike, /) -> Any:
    """Compute eigenvalues and eigenvectors of matrices.

    A named tuple ``(eigenvalues, eigenvectors)``: fresh, and complex with any version of NumPy.
    """
    result = _linalg.eig(x)
    return _standard(type(result)(*map(_complex, result)) if isinstance(result, tuple) else result)


@_completed
def eigh(x: ArrayLike, /) -> Any:
    """Compute eigenvalues and eigenvectors of symmetric or Hermitian matrices."""
    return _standard(_linalg.eigh(x))


@_completed
def eigvals(x: ArrayLike, /) -> Array:
    """Compute eigenvalues of matrices.

    Fresh, and complex with any version of NumPy.
    """
    return _standard(_complex(_linalg.eigvals(x)))


@_completed
def eigvalsh(x: ArrayLike, /) -> Array:
    """Compute eigenvalues of symmetric or Hermitian matrices."""
    return _standard(_linalg.eigvalsh(x))


@_completed
def inv(x: ArrayLike, /) -> Array:
    """Invert matrices."""
    return _standard(_linalg.inv(x))


@_completed
def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """Compute norms of matrices."""
    return _standard(_linalg.matrix_norm(x, keepdims=keepdims, ord=ord))


@_completed
def matrix_power(x: ArrayLike, n: int, /) -> Array:
    """Raise matrices to a whole power.

    Parameters
    ----------
    n : int
        If negative, the power of the inverse.
    """
    return _standard(_linalg.matrix_power(x, n))


@_completed
def matrix_rank(x: ArrayLike, /, *, rtol: ArrayLike | None = None) -> Array:
    """Compute ranks of matrices.

    Parameters
    ----------
    rtol : array_like, optional
        Singular values up to this fraction of the largest count as 0.
    """
    return _standard(_linalg.matrix_rank(x, rtol=rtol))


@_completed
def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Multiply each element of one vector by each element of another."""
    return _standard(_linalg.outer(x1, x2))


@_completed
def pinv(x: ArrayLike, /, *, rtol: ArrayLike | None = None) -> Array:
    """Compute pseudo-inverses of matrices.

    Parameters
    ----------
    rtol : array_like, optional
        Singular values up to this fraction of the largest count as 0.
    """
    return _standard(_linalg.pinv(x, rtol=rtol))


@_completed
def qr(x: ArrayLike, /, *, mode: Literal["reduced", "complete"] = "reduced") -> Any:
    """Factor matrices into an orthonormal and an upper triangular one.

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
    """Compute the signs, and the logarithms of the magnitudes, of determinants.

    A named tuple ``(sign, logabsdet)`` of ndarray: fresh.
    """
    return _standard(_linalg.slogdet(x))


@_completed
def solve(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Solve ``x1 @ x = x2`` for x."""
    return _standard(_linalg.solve(x1, x2))


@_completed
def svd(x: ArrayLike, /, *, full_matrices: bool = True) -> Any:
    """Compute singular value decompositions of matrices.

    Returns
    -------
    SVDResult
        A named tuple ``(U, S, Vh)`` of ndarray: fresh.
    """
    return _standard(_linalg.svd(x, full_matrices=full_matrices))


@_completed
def svdvals(x: ArrayLike, /) -> Array:
    """Compute singular values of matrices."""
    return _standard(_linalg.svdvals(x))


@_completed
def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DType = None) -> Array:
    """Sum elements along the diagonals of matrices."""
    return _standard(_linalg.trace(x, offset=offset, dtype=dtype))


@_completed
def vector_norm(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False, ord: Any = 2) -> Array:
    """Compute norms of vectors."""
    return _standard(_linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord))


def _complex(values: Any) -> Any:
    """Convert to complex: NumPy before 2.5 returns real arrays if no eigenvalue has an imaginary part."""
    if not isinstance(values, _ndarray):  # the result of another type's __array_function__
        return values
    return values.astype(_np.result_type(values.dtype, _np.complex64), copy=False)


# The namespace has only the standard's names.
del Any, Array, ArrayLike, Axes, DType, Literal, SupportsIndex
