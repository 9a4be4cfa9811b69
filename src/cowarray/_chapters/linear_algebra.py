"""The chapter "linear algebra functions" of the array API standard, 2025.12, and NumPy's functions of that kind.

Arguments are array_like: cowarray's arrays or NumPy's, scalars, lists, anything with a buffer or ``__array__``. They
are only read, and lazy copies stay lazy; ``out`` is written to and returned, and no copy of it changes. Options,
results and errors are those of NumPy's function of the same name; other arrays come back as fresh `cowarray.ndarray`,
or as views where the docstring says so. `cowarray.linalg` has more, including `trace`; `cowarray.trace` is a mode.
"""

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.declared import calling, dispatching
from cowarray._chapters.docstrings import complete
from cowarray._face.annotations import Array, Axis
from cowarray._ops.functions import dispatched

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


@dispatching(np.cross, arrays=2)
def cross(a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Axis = None) -> Any:
    """Compute cross products of vectors.

    Fresh; shapes broadcast.

    Parameters
    ----------
    a, b : array_like
    axisa : int, default -1
        The axis of `a` along which its vectors lie.
    axisb : int, default -1
        The same for `b`.
    axisc : int, default -1
        The same for the result.
    axis : int, optional
        Sets all three of these.
    """


@dispatching(np.dot, arrays=2)
def dot(a: ArrayLike, b: ArrayLike, out: Any = None) -> Any:
    """Compute dot products: of vectors, of matrices, or over a's last axis and b's second-to-last.

    Fresh, or `out`.

    Parameters
    ----------
    a, b : array_like
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    """


@dispatching(np.einsum, arrays=None)
def einsum(*operands: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> Any:
    """Sum products over named axes, as in "ij,jk->ik".

    Fresh, or `out`; a view of a single operand if nothing is summed (a diagonal, axes in another order).

    Parameters
    ----------
    *operands : str or array_like
        The subscripts, and then an array for each.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    optimize : bool, 'greedy', 'optimal' or list, default False
        Whether, and how, to look for a cheaper order of products.
    **kwargs : object
        Options of NumPy: ``dtype``, ``order``, ``casting``.

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


def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> tuple[list[Any], str]:
    """Find the order in which to contract the operands of `einsum`.

    Parameters
    ----------
    *operands : str or array_like
        As for `einsum`; arrays are not read.
    optimize : bool, str or tuple, default 'greedy'
        How to look for the order.
    einsum_call : bool, default False
        For NumPy's own use.

    Returns
    -------
    list
        The order: "einsum_path", then the operands of each step.
    str
        A text that explains it.
    """
    return dispatched(np.einsum_path, *operands, optimize=optimize, einsum_call=einsum_call)


@dispatching(np.inner, arrays=2)
def inner(a: ArrayLike, b: ArrayLike, /) -> Any:
    """Sum products over the last axes.

    Fresh.

    Parameters
    ----------
    a, b : array_like
    """


@dispatching(np.kron, arrays=2)
def kron(a: ArrayLike, b: ArrayLike) -> Any:
    """Compute the Kronecker product: a matrix of multiples of b.

    Fresh.

    Parameters
    ----------
    a, b : array_like
    """


@calling(np.matmul)
def matmul(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, **kwargs: Any) -> Any:
    """Multiply matrices, ``x1 @ x2``.

    Fresh, or `out`.

    Parameters
    ----------
    x1, x2 : array_like
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    **kwargs : object
        Other options of a ufunc: ``axes``, ``dtype``, ``casting``, ...

    Raises
    ------
    ValueError
        An operand has no axes, or shapes do not fit.
    """


@dispatching(np.matrix_transpose, returns=Array)
def matrix_transpose(x: ArrayLike, /) -> Any:
    """Exchange the last two axes.

    A view of x.

    Parameters
    ----------
    x : array_like
    """


@calling(np.matvec)
def matvec(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, **kwargs: Any) -> Any:
    """Multiply matrices by vectors.

    Fresh, or `out`.

    Parameters
    ----------
    x1, x2 : array_like
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    **kwargs : object
        Other options of a ufunc: ``axes``, ``dtype``, ``casting``, ...
    """


@dispatching(np.outer, arrays=2)
def outer(a: ArrayLike, b: ArrayLike, out: Any = None) -> Any:
    """Multiply each element of a by each element of b; each element of a gives a row.

    Parameters
    ----------
    a, b : array_like
    out : ndarray, optional
        Written and returned, in place of a fresh array.

    Returns
    -------
    ndarray
        Fresh, or `out`.
    """


@dispatching(np.tensordot, arrays=2)
def tensordot(a: ArrayLike, b: ArrayLike, axes: int | Sequence[Any] = 2) -> Any:
    """Sum products over several axes.

    Fresh.

    Parameters
    ----------
    a, b : array_like
    axes : int or pair of sequences of int, default 2
        How many of a's last and b's first axes, or the axes of each.
    """


@dispatching(np.vdot, arrays=2)
def vdot(a: ArrayLike, b: ArrayLike, /) -> Any:
    """Compute the dot product of two flattened arrays, the first one conjugated.

    Parameters
    ----------
    a, b : array_like

    Returns
    -------
    scalar
    """


@calling(np.vecdot)
def vecdot(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, *, axis: SupportsIndex = -1, **kwargs: Any) -> Any:
    """Compute dot products of vectors, the first one conjugated.

    Fresh, or `out`.

    Parameters
    ----------
    x1, x2 : array_like
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    axis : int, default -1
        The axis along which vectors lie.
    **kwargs : object
        Other options of a ufunc: ``axes``, ``dtype``, ``casting``, ...
    """


@calling(np.vecmat)
def vecmat(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, **kwargs: Any) -> Any:
    """Multiply conjugated vectors by matrices.

    Fresh, or `out`.

    Parameters
    ----------
    x1, x2 : array_like
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    **kwargs : object
        Other options of a ufunc: ``axes``, ``dtype``, ``casting``, ...
    """


complete(globals())
