"""The chapter "indexing functions" of the array API standard, and NumPy's functions of that kind.

Functions that write do so to their first argument, an array: every view of it sees the write; no copy does.

Read it a function at a time.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from cowarray._chapters.creation import ones
from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import complete, describe_methods
from cowarray._face.annotations import Array, Axis, Order, Shape
from cowarray._ops.conversion import asarray

_Mode: TypeAlias = Literal["raise", "wrap", "clip"]

__all__ = [
    "choose",
    "compress",
    "diag_indices",
    "diag_indices_from",
    "diagonal",
    "extract",
    "fill_diagonal",
    "ix_",
    "mask_indices",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "ravel_multi_index",
    "select",
    "take",
    "take_along_axis",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]


@dispatching(np.choose, arrays=2)
def choose(
    a: ArrayLike,
    choices: ArrayLike | Sequence[ArrayLike],
    out: Array | np.ndarray[Any, Any] | None = None,
    mode: _Mode = "raise",
) -> Any:
    """For each index in a, pick the element at the same place from the array that it names.

    Fresh, or `out`.

    Parameters
    ----------
    a : array_like of int
    choices : sequence of array_like
        Broadcast with `a`.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    mode : {'raise', 'wrap', 'clip'}, default 'raise'
        How to treat indices out of bounds.
    """


@dispatching(np.compress, arrays=2, returns=Array)
def compress(
    condition: ArrayLike, a: ArrayLike, axis: Axis = None, out: Array | np.ndarray[Any, Any] | None = None
) -> Any:
    """Return the slices along an axis for which a condition is true.

    Fresh, or `out`.

    Parameters
    ----------
    condition : array_like of bool
        One-dimensional.
    a : array_like
    axis : int, optional
        The flattened array if omitted.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    """


@dispatching(np.diag_indices, returns=tuple[Array, ...])
def diag_indices(n: int, ndim: int = 2) -> Any:
    """Return the indices of the main diagonal of an array with ndim axes of length n.

    Fresh.

    Parameters
    ----------
    n : int
    ndim : int, default 2
    """


@dispatching(np.diag_indices_from, returns=tuple[Array, ...])
def diag_indices_from(arr: ArrayLike) -> Any:
    """Return the indices of the main diagonal of an array.

    Fresh.

    Parameters
    ----------
    arr : array_like
        With at least two axes, all of one length.
    """


@dispatching(np.diagonal, returns=Array, imports=True)
def diagonal(a: ArrayLike, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1) -> Any:
    """Return the diagonals in the planes of two axes, along a new last axis.

    A read-only view of a.

    Parameters
    ----------
    a : array_like
    offset : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    axis1 : int, default 0
    axis2 : int, default 1
    """


@dispatching(np.extract, arrays=2, returns=Array)
def extract(condition: ArrayLike, arr: ArrayLike) -> Any:
    """Return the elements for which a condition is true, along one axis.

    Fresh.

    Parameters
    ----------
    condition : array_like of bool
    arr : array_like
    """


@dispatching(np.fill_diagonal, arrays=2)
def fill_diagonal(a: Array | np.ndarray[Any, Any], val: ArrayLike, wrap: bool = False) -> None:
    """Write a value, or several in turn, to the main diagonal of an array.

    Parameters
    ----------
    a : ndarray
        With at least two axes; written in place.
    val : array_like
    wrap : bool, default False
        Whether the diagonal of a tall matrix starts again below its end.

    Returns
    -------
    None
        Views of a see the write; copies do not.
    """


@dispatching(np.ix_, arrays=None, returns=tuple[Array, ...])
def ix_(*args: ArrayLike) -> Any:
    """Shape indices along each axis so that they select all combinations.

    For each argument a copy, lazy where possible; of booleans fresh.

    Parameters
    ----------
    *args : array_like of int or bool
        Each one-dimensional.

    See Also
    --------
    numpy.ix_ : Returns views if it can.
    """


def mask_indices(n: int, mask_func: Callable[[Any, Any], Any], k: Any = 0) -> tuple[Array, ...]:
    """Return the indices of the elements of a square array that a function keeps.

    Fresh.

    Parameters
    ----------
    n : int
        Length of both axes.
    mask_func : callable
        Such as `triu`: called as ``mask_func(ones, k)``, where ones is an array of this library.
    k : scalar, default 0
        Passed on to it.
    """
    return asarray(mask_func(ones((n, n), int), k) != 0).nonzero()


@dispatching(np.place, arrays=3)
def place(arr: Array | np.ndarray[Any, Any], mask: ArrayLike, vals: ArrayLike) -> None:
    """Write values, in turn, into the elements where a mask is true.

    Parameters
    ----------
    arr : ndarray
        Written in place.
    mask : array_like of bool
        Of arr's size.
    vals : array_like

    Returns
    -------
    None
        Views of arr see the write; copies do not.
    """


@dispatching(np.put, arrays=3)
def put(a: Array | np.ndarray[Any, Any], ind: ArrayLike, v: ArrayLike, mode: _Mode = "raise") -> None:
    """Write values at indices of an array, as if it had one axis.

    Parameters
    ----------
    a : ndarray
        Written in place.
    ind : array_like of int
    v : array_like
        Repeated if it is too short.
    mode : {'raise', 'wrap', 'clip'}, default 'raise'
        How to treat indices out of bounds.

    Returns
    -------
    None
        Views of a see the write; copies do not.
    """


@dispatching(np.put_along_axis, arrays=3)
def put_along_axis(arr: Array | np.ndarray[Any, Any], indices: ArrayLike, values: ArrayLike, axis: Axis) -> None:
    """Write values at indices along an axis.

    Parameters
    ----------
    arr : ndarray
        Written in place.
    indices : array_like of int
    values : array_like
        Broadcast to the shape of `indices`.
    axis : int or None
        ``None``: the flattened array.

    Returns
    -------
    None
        Views of arr see the write; copies do not.
    """


@dispatching(np.putmask, arrays=3)
def putmask(a: Array | np.ndarray[Any, Any], mask: ArrayLike, values: ArrayLike) -> None:
    """Write values into an array where a mask is true, each at the same position.

    Parameters
    ----------
    a : ndarray
        Written in place.
    mask : array_like of bool
        Of a's shape.
    values : array_like
        Repeated if it is too short.

    Returns
    -------
    None
        Views of a see the write; copies do not.
    """


@dispatching(np.ravel_multi_index)
def ravel_multi_index(multi_index: Any, dims: Shape, mode: _Mode = "raise", order: Order = "C") -> Any:
    """Convert indices into an array's axes to indices into the flattened array.

    Fresh.

    Parameters
    ----------
    multi_index : tuple of array_like of int
        One for each axis.
    dims : tuple of int
        The array's shape.
    mode : {'raise', 'wrap', 'clip'}, or tuple of these, default 'raise'
        How to treat indices out of bounds.
    order : {'C', 'F'}, default 'C'
        The order of the elements.
    """


@dispatching(np.select, arrays=3, returns=Array)
def select(condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0) -> Any:
    """Pick elements from the first choice whose condition is true.

    Fresh.

    Parameters
    ----------
    condlist : sequence of array_like of bool
    choicelist : sequence of array_like
        One for each condition.
    default : scalar, default 0
        The value where no condition is true.
    """


@dispatching(np.take, arrays=2)
def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: Axis = None,
    out: Array | np.ndarray[Any, Any] | None = None,
    mode: _Mode = "raise",
) -> Any:
    """Return the elements at indices along an axis; without an axis, of the flattened array.

    Fresh, or `out`.

    Parameters
    ----------
    a : array_like
    indices : array_like of int
    axis : int, optional
        The flattened array if omitted.
    out : ndarray, optional
        Written and returned, in place of a fresh array.
    mode : {'raise', 'wrap', 'clip'}, default 'raise'
        How to treat indices out of bounds.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.take(cowarray.asarray([10, 20, 30]), [2, 0])
    array([30, 10])
    """


@dispatching(np.take_along_axis, arrays=2, returns=Array)
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: Axis = -1) -> Any:
    """Return the elements at indices along an axis; each position on the other axes has its own indices.

    Fresh.

    Parameters
    ----------
    arr : array_like
    indices : array_like of int
    axis : int or None, default -1
        ``None``: the flattened array.
    """


@dispatching(np.tril_indices, returns=tuple[Array, Array])
def tril_indices(n: int, k: int = 0, m: int | None = None) -> Any:
    """Return the indices of the elements at and below the k-th diagonal of a matrix.

    Fresh.

    Parameters
    ----------
    n : int
        Rows.
    k : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    m : int, optional
        Columns. Default: n.
    """


@dispatching(np.tril_indices_from, returns=tuple[Array, Array])
def tril_indices_from(arr: ArrayLike, k: int = 0) -> Any:
    """Return the indices of the elements at and below the k-th diagonal of a matrix.

    Fresh.

    Parameters
    ----------
    arr : array_like
    k : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    """


@dispatching(np.triu_indices, returns=tuple[Array, Array])
def triu_indices(n: int, k: int = 0, m: int | None = None) -> Any:
    """Return the indices of the elements at and above the k-th diagonal of a matrix.

    Fresh.

    Parameters
    ----------
    n : int
        Rows.
    k : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    m : int, optional
        Columns. Default: n.
    """


@dispatching(np.triu_indices_from, returns=tuple[Array, Array])
def triu_indices_from(arr: ArrayLike, k: int = 0) -> Any:
    """Return the indices of the elements at and above the k-th diagonal of a matrix.

    Fresh.

    Parameters
    ----------
    arr : array_like
    k : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    """


@dispatching(np.unravel_index, returns=tuple[Any, ...])
def unravel_index(indices: ArrayLike, shape: Shape, order: Order = "C") -> Any:
    """Convert indices into a flattened array to indices into the array's axes.

    Parameters
    ----------
    indices : array_like of int
    shape : tuple of int
    order : {'C', 'F'}, default 'C'
        The order of the elements.

    Returns
    -------
    tuple of ndarray or scalar
        Fresh.
    """


complete(globals())
describe_methods(globals())
