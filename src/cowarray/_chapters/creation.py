"""The chapter "creation functions" of the array API standard, and NumPy's other ways to make an array.

`array`, `asarray` and `from_dlpack` are in `_ops/conversion.pyx`. NumPy makes the array, and its memory is adopted: all
results are fresh, except where a docstring says copy. With ``like``, another library's array, NumPy lets that library
make the result.

It is one file because a chapter of the standard is one module. Read it a function at a time.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, SupportsIndex, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from cowarray._array.copies import aliases_here
from cowarray._chapters.declared import dispatching, shaping
from cowarray._chapters.docstrings import complete
from cowarray._face.annotations import Array, Device, DType, Order, Shape
from cowarray._face.ndarray import ndarray
from cowarray._ops.conversion import copied_array
from cowarray._ops.creation import arange as _arange
from cowarray._ops.creation import made as _made
from cowarray._ops.functions import dispatched

__all__ = [
    "arange",
    "asanyarray",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "diag",
    "diagflat",
    "empty",
    "empty_like",
    "eye",
    "fromfunction",
    "fromiter",
    "fromstring",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "require",
    "tri",
    "tril",
    "triu",
    "vander",
    "zeros",
    "zeros_like",
]


def arange(
    start_or_stop: Any = None,
    /,
    stop: Any = None,
    step: Any = 1,
    dtype: DType = None,
    *,
    start: Any = None,
    device: Device = None,
    like: Any = None,
) -> Array:
    """Return evenly spaced numbers from start up to, but without, stop; given one number, from 0 up to it.

    Fresh, with one axis.

    Parameters
    ----------
    start_or_stop : number, optional
        The first number. Given alone, it is `stop`.
    stop : number, optional
    step : number, default 1
    dtype : dtype, optional
    start : number, default 0
        The first number, given by name: then `stop` is required.
    device : {'cpu'}, optional
    like : array, optional
        Another library's array; that library then makes the result.

    Raises
    ------
    TypeError
        There is no `stop`, or `start` is given twice.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.arange(2, 10, 3)
    array([2, 5, 8])
    """
    if start_or_stop is None:
        if stop is None:
            raise TypeError("arange: stop is required (got none)")
        start_or_stop = 0 if start is None else start
    elif start is not None:
        raise TypeError(f"arange: start is given by place and by name (got {start_or_stop!r} and {start!r})")
    return _arange(start_or_stop, stop, step, dtype, device, like)


def asanyarray(
    a: ArrayLike,
    dtype: DType = None,
    order: Order = None,
    *,
    device: Device = None,
    copy: bool | None = None,
    like: Any = None,
) -> Array:
    """Copy an array_like.

    A copy, lazy where possible; with ``copy=False`` the same array. An array of a subclass of NumPy's (a masked array,
    a matrix; not a memory map) gives a copy of its class, made at once. In `aliasing` it gives that array itself, as
    does a memory map.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    order : {'K', 'A', 'C', 'F'}, optional
        Memory layout. Default: a's own.
    device : {'cpu'}, optional
    copy : bool, optional
        ``False``: `a` itself if it need not be converted.
    like : array, optional
        Another library's array; that library then makes the result.

    Raises
    ------
    ValueError
        With ``copy=False``, the array would have to be copied.

    See Also
    --------
    numpy.asanyarray : Returns its argument if it can, as `cowarray.asarray` does.
    """
    return copied_array("asanyarray", a, dtype, order=order, subok=True, device=device, like=like, copy=copy)


def ascontiguousarray(a: ArrayLike, dtype: DType = None, *, like: Any = None) -> Array:
    """Copy in C order, with at least one axis.

    A copy, lazy if `a` already lies in that order.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    like : array, optional
        Another library's array; that library then makes the result.

    See Also
    --------
    numpy.ascontiguousarray : Returns its argument if it can.
    """
    return copied_array("ascontiguousarray", a, dtype, order="C", ndmin=1, like=like)


def asfortranarray(a: ArrayLike, dtype: DType = None, *, like: Any = None) -> Array:
    """Copy in Fortran order, with at least one axis.

    A copy, lazy if `a` already lies in that order.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    like : array, optional
        Another library's array; that library then makes the result.

    See Also
    --------
    numpy.asfortranarray : Returns its argument if it can.
    """
    return copied_array("asfortranarray", a, dtype, order="F", ndmin=1, like=like)


@dispatching(np.copy, returns=Array)
def copy(a: ArrayLike, order: Order = "K", subok: bool = False) -> Any:
    """Copy an array_like.

    A copy, lazy if `a` is an array of this library that lies in the order asked for.

    Parameters
    ----------
    a : array_like
    order : {'K', 'A', 'C', 'F'}, default 'K'
        Memory layout; 'K' is as near to a's own as possible.
    subok : bool, default False
        Whether an array of a subclass of NumPy's keeps its class. Otherwise the result is a `cowarray.ndarray`.
    """


@dispatching(np.diag, returns=Array)
def diag(v: ArrayLike, k: int = 0) -> Any:
    """Make a matrix with v on its k-th diagonal; for a matrix v, copy that diagonal.

    Fresh, or a copy of the diagonal; writable.

    Parameters
    ----------
    v : array_like
        With one or two axes.
    k : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.

    See Also
    --------
    numpy.diag : Returns a read-only view of a matrix's diagonal, as `cowarray.diagonal` does.
    """


@dispatching(np.diagflat, returns=Array)
def diagflat(v: ArrayLike, k: int = 0) -> Any:
    """Make a matrix with the elements of v, in C order, on its k-th diagonal.

    Fresh.

    Parameters
    ----------
    v : array_like
    k : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    """


@shaping(np.empty)
def empty(shape: Shape, dtype: DType = None, order: Order = "C", *, device: Device = None, like: Any = None) -> Any:
    """Make an array with uninitialized elements.

    Fresh.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, default float
    order : {'C', 'F'}, default 'C'
        Memory layout.
    device : {'cpu'}, optional
    like : array, optional
        Another library's array; that library then makes the result.
    """


@dispatching(np.empty_like, returns=Array)
def empty_like(
    prototype: ArrayLike,
    /,
    dtype: DType = None,
    order: Order = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: Device = None,
) -> Any:
    """Make an array of the shape and dtype of another, with uninitialized elements.

    Fresh.

    Parameters
    ----------
    prototype : array_like
    dtype : dtype, optional
        Default: that of the prototype.
    order : {'C', 'F', 'A', 'K'}, default 'K'
        Memory layout; 'K' is as near to the prototype's as possible.
    subok : bool, default True
        Whether to keep the argument's subclass of NumPy's array.
    shape : int or tuple of int, optional
        Default: that of the prototype.
    device : {'cpu'}, optional
    """


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DType = float,
    order: Order = "C",
    *,
    device: Device = None,
    like: Any = None,
) -> Array:
    """Make a matrix with ones on its k-th diagonal and zeros elsewhere.

    Fresh.

    Parameters
    ----------
    N : int
        Rows.
    M : int, optional
        Columns. Default: N.
    k : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    dtype : dtype, default float
    order : {'C', 'F'}, default 'C'
        Memory layout.
    device : {'cpu'}, optional
    like : array, optional
        Another library's array; that library then makes the result.
    """
    return _made(np.eye, device, like, N, M, k, dtype, order)


def fromfunction(
    function: Callable[..., Any], shape: Shape, *, dtype: DType = float, like: Any = None, **kwargs: Any
) -> Any:
    """Call a function with the coordinates of all elements: one array for each axis.

    Parameters
    ----------
    function : callable
        Called once, with fresh arrays.
    shape : tuple of int
    dtype : dtype, default float
        That of the coordinates.
    like : array, optional
        Another library's array; that library then makes the result.
    **kwargs : object
        Passed on to the function.

    Returns
    -------
    object
        The object itself that the function returns.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype=int)
    array([[ 0,  1,  2],
           [10, 11, 12]])
    """
    if like is not None:
        return dispatched(np.fromfunction, function, shape, dtype=dtype, like=like, **kwargs)
    return function(*indices(cast(Any, shape), dtype=cast(Any, dtype)), **kwargs)


@dispatching(np.fromiter, returns=Array)
def fromiter(iter: Iterable[Any], dtype: DTypeLike, count: int = -1, *, like: Any = None) -> Any:
    """Make a one-dimensional array of the items of an iterable.

    Fresh.

    Parameters
    ----------
    iter : iterable
    dtype : dtype
    count : int, default -1
        How many items to take; -1 means all.
    like : array, optional
        Another library's array; that library then makes the result.
    """


def fromstring(string: str | bytes, dtype: DType = None, count: int = -1, *, sep: str = "", like: Any = None) -> Array:
    """Read numbers separated by sep from a text.

    Fresh, with one axis.

    Parameters
    ----------
    string : str
    dtype : dtype, default float
    count : int, default -1
        How many numbers to read; -1 means all.
    sep : str, default ''
        The separator between two numbers.
    like : array, optional
        Another library's array; that library then makes the result.

    Raises
    ------
    ValueError
        `sep` is empty: bytes are for `frombuffer`.
    """
    return dispatched(np.fromstring, string, dtype, count, sep=sep, like=like)


def full(
    shape: Shape,
    fill_value: ArrayLike,
    dtype: DType = None,
    order: Order = "C",
    *,
    device: Device = None,
    like: Any = None,
) -> Array:
    """Make an array filled with one value, or with values that broadcast to its shape.

    Fresh.

    Parameters
    ----------
    shape : int or tuple of int
    fill_value : array_like
    dtype : dtype, optional
        Default: that of the value.
    order : {'C', 'F'}, default 'C'
        Memory layout.
    device : {'cpu'}, optional
    like : array, optional
        Another library's array; that library then makes the result.
    """
    return _made(np.full, device, like, shape, fill_value, dtype, order)


@dispatching(np.full_like, arrays=2, returns=Array)
def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DType = None,
    order: Order = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: Device = None,
) -> Any:
    """Make an array of the shape and dtype of another, filled with one value.

    Fresh.

    Parameters
    ----------
    a : array_like
    fill_value : array_like
    dtype : dtype, optional
        Default: that of `a`.
    order : {'C', 'F', 'A', 'K'}, default 'K'
        Memory layout; 'K' is as near to a's as possible.
    subok : bool, default True
        Whether to keep the argument's subclass of NumPy's array.
    shape : int or tuple of int, optional
        Default: that of `a`.
    device : {'cpu'}, optional
    """


@dispatching(np.geomspace, arrays=2, returns=Array)
def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    dtype: DType = None,
    axis: SupportsIndex = 0,
) -> Any:
    """Return numbers from start to stop, each the same multiple of the one before.

    Fresh.

    Parameters
    ----------
    start : array_like
        Arrays broadcast; each pair gives a sequence.
    stop : array_like
        Arrays broadcast; each pair gives a sequence.
    num : int, default 50
        How many numbers.
    endpoint : bool, default True
        Whether `stop` is the last number.
    dtype : dtype, optional
    axis : int, default 0
        The axis of the result along which the numbers lie.
    """


@dispatching(np.identity, returns=Array)
def identity(n: int, dtype: DType = None, *, like: Any = None) -> Any:
    """Make a square matrix with ones on its diagonal and zeros elsewhere.

    Fresh.

    Parameters
    ----------
    n : int
        Rows and columns.
    dtype : dtype, default float
    like : array, optional
        Another library's array; that library then makes the result.
    """


@dispatching(np.indices)
def indices(dimensions: Sequence[int], dtype: DTypeLike = int, sparse: bool = False) -> Any:
    """Return the coordinates of all elements of a shape: ``result[i]`` has those along axis i.

    Parameters
    ----------
    dimensions : sequence of int
        The shape.
    dtype : dtype, default int
    sparse : bool, default False
        Whether the array for axis i extends along that axis only, and broadcasts.

    Returns
    -------
    ndarray or tuple of ndarray
        Fresh; a tuple where sparse.
    """


@dispatching(np.linspace, arrays=2)
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DType = None,
    axis: SupportsIndex = 0,
    *,
    device: Device = None,
) -> Any:
    """Return evenly spaced numbers from start to stop.

    Parameters
    ----------
    start : array_like
        Arrays broadcast; each pair gives a sequence.
    stop : array_like
        Arrays broadcast; each pair gives a sequence.
    num : int, default 50
        How many numbers.
    endpoint : bool, default True
        Whether `stop` is the last number.
    retstep : bool, default False
        Whether to return the step between numbers as well.
    dtype : dtype, optional
    axis : int, default 0
        The axis of the result along which the numbers lie.
    device : {'cpu'}, optional

    Returns
    -------
    ndarray or tuple
        Fresh; with `retstep` a tuple of the numbers and their distance.
    """


@dispatching(np.logspace, arrays=5, returns=Array)
def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DType = None,
    axis: SupportsIndex = 0,
) -> Any:
    """Return powers of a base whose exponents are evenly spaced from start to stop.

    Fresh.

    Parameters
    ----------
    start : array_like
        Arrays broadcast; each pair gives a sequence.
    stop : array_like
        Arrays broadcast; each pair gives a sequence.
    num : int, default 50
        How many numbers.
    endpoint : bool, default True
        Whether `stop` is the last number.
    base : array_like, default 10.0
    dtype : dtype, optional
    axis : int, default 0
        The axis of the result along which the numbers lie.
    """


@dispatching(np.meshgrid, arrays=None, returns=tuple[Array, ...])
def meshgrid(*xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: Literal["xy", "ij"] = "xy") -> Any:
    """Return the coordinates of a grid, from those along each of its axes.

    For each argument a copy, with its own Storage.

    Parameters
    ----------
    *xi : array_like
        Each one-dimensional.
    copy : bool, default True
        ``False`` makes no visible difference.
    sparse : bool, default False
        Whether each result extends along its own axis only.
    indexing : {'xy', 'ij'}, default 'xy'
        Whether the first argument runs along the second axis, or along the first.

    See Also
    --------
    numpy.meshgrid : With ``copy=False``, returns views that overlap.
    """


@shaping(np.ones)
def ones(shape: Shape, dtype: DType = None, order: Order = "C", *, device: Device = None, like: Any = None) -> Any:
    """Make an array of ones.

    Fresh.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, default float
    order : {'C', 'F'}, default 'C'
        Memory layout.
    device : {'cpu'}, optional
    like : array, optional
        Another library's array; that library then makes the result.
    """


@dispatching(np.ones_like, returns=Array)
def ones_like(
    a: ArrayLike,
    dtype: DType = None,
    order: Order = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: Device = None,
) -> Any:
    """Make an array of ones of the shape and dtype of another.

    Fresh.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
        Default: that of `a`.
    order : {'C', 'F', 'A', 'K'}, default 'K'
        Memory layout; 'K' is as near to a's as possible.
    subok : bool, default True
        Whether to keep the argument's subclass of NumPy's array.
    shape : int or tuple of int, optional
        Default: that of `a`.
    device : {'cpu'}, optional
    """


def require(
    a: ArrayLike, dtype: DType = None, requirements: str | Sequence[str] | None = None, *, like: Any = None
) -> Array:
    """Make a copy that meets requirements on its memory.

    A copy, lazy where possible; writable and aligned.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
        Default: that of `a`.
    requirements : str or sequence of str, optional
        "C" or "F" for an order. A copy meets the others ("A", "W", "O") anyway.
    like : array, optional
        Another library's array; that library then makes the result.

    See Also
    --------
    numpy.require : Returns its argument if it can.
    """
    if requirements:
        met = {"O", "OWNDATA"} if not aliases_here() or (isinstance(a, ndarray) and a.flags.owndata) else set[str]()
        if not aliases_here():
            met |= {"W", "WRITEABLE"}  # a copy is writable and on its own: NumPy need not make another
        requirements = [each for each in requirements if each.upper() not in met]
    return dispatched(np.require, a, dtype, requirements, like=like)


@dispatching(np.tri, returns=Array)
def tri(N: int, M: int | None = None, k: int = 0, dtype: DType = float, *, like: Any = None) -> Any:
    """Make a matrix with ones at and below the k-th diagonal and zeros above.

    Fresh.

    Parameters
    ----------
    N : int
        Rows.
    M : int, optional
        Columns. Default: N.
    k : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    dtype : dtype, default float
    like : array, optional
        Another library's array; that library then makes the result.
    """


@dispatching(np.tril, returns=Array)
def tril(m: ArrayLike, k: int = 0) -> Any:
    """Copy matrices with the elements above the k-th diagonal zeroed.

    Fresh, of m's shape and dtype.

    Parameters
    ----------
    m : array_like
    k : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    """


@dispatching(np.triu, returns=Array)
def triu(m: ArrayLike, k: int = 0) -> Any:
    """Copy matrices with the elements below the k-th diagonal zeroed.

    Fresh, of m's shape and dtype.

    Parameters
    ----------
    m : array_like
    k : int, default 0
        Which diagonal: 0 is the main one, those above it are positive.
    """


@dispatching(np.vander, returns=Array)
def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Any:
    """Make the Vandermonde matrix: columns of powers of x.

    Fresh.

    Parameters
    ----------
    x : array_like
        One-dimensional.
    N : int, optional
        Columns. Default: as many as rows.
    increasing : bool, default False
        Whether powers grow from left to right.
    """


@shaping(np.zeros)
def zeros(shape: Shape, dtype: DType = None, order: Order = "C", *, device: Device = None, like: Any = None) -> Any:
    """Make an array of zeros.

    Fresh.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, default float
    order : {'C', 'F'}, default 'C'
        Memory layout.
    device : {'cpu'}, optional
    like : array, optional
        Another library's array; that library then makes the result.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.zeros([2, 3])
    array([[0., 0., 0.],
           [0., 0., 0.]])
    """


@dispatching(np.zeros_like, returns=Array)
def zeros_like(
    a: ArrayLike,
    dtype: DType = None,
    order: Order = "K",
    subok: bool = True,
    shape: Shape | None = None,
    *,
    device: Device = None,
) -> Any:
    """Make an array of zeros of the shape and dtype of another.

    Fresh.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
        Default: that of `a`.
    order : {'C', 'F', 'A', 'K'}, default 'K'
        Memory layout; 'K' is as near to a's as possible.
    subok : bool, default True
        Whether to keep the argument's subclass of NumPy's array.
    shape : int or tuple of int, optional
        Default: that of `a`.
    device : {'cpu'}, optional
    """


complete(globals())
