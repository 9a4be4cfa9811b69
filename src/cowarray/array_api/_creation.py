"""The chapter "creation functions" of the array API standard, 2025.12."""

from typing import Any, Literal

from numpy.typing import ArrayLike

from cowarray._chapters import gathered as _chapters
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import Array, Device, DType, Shape
from cowarray._native.public import public
from cowarray._ops.conversion import from_dlpack as _from_dlpack
from cowarray._ops.conversion import standard, standard_asarray

_completed = CompletedFrom(_chapters, "cowarray")


@public
def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: DType = None, device: Device = None) -> Array:
    """Return evenly spaced numbers from start up to, but without, stop; given one number, from 0 up to it.

    Parameters
    ----------
    start : number
        The first number. Given alone, it is `stop`.
    stop : number, optional
    step : number, default 1
    dtype : dtype, optional
    device : {'cpu'}, optional

    Returns
    -------
    ndarray
        Fresh, with one axis.

    See Also
    --------
    cowarray.arange : Has NumPy's parameters.
    """
    return standard(_chapters.arange(start, stop=stop, step=step, dtype=dtype, device=device))


@public
def asarray(obj: Any, /, *, dtype: DType = None, device: Device = None, copy: bool | None = None) -> Array:
    """Convert to an array.

    Parameters
    ----------
    obj : array_like
        An array, anything with the buffer or ``__array__`` protocol, nested lists, a number.
    dtype : dtype, optional
        Default: obj's own.
    device : {'cpu'}, optional
    copy : bool, optional
        ``True``: a private copy. ``False``: never a copy; the caller promises that nobody writes to `obj` while arrays
        made from it share its memory. ``None``: see Returns.

    Returns
    -------
    ndarray
        `obj` itself, if it is one of these arrays and can be used as it is; a view of it, if it is another array of
        this library. Otherwise memory that is read-only down to its owner is shared until the result is written to, and
        everything else is copied once, as by `cowarray.asarray`.

    Raises
    ------
    ValueError
        With ``copy=False``, the dtype or the kind of `obj` needs a copy; an unknown device.

    See Also
    --------
    cowarray.asarray : Has NumPy's parameters.
    """
    return standard_asarray(obj, dtype, device, copy)


@_completed
def empty(shape: Shape, *, dtype: DType = None, device: Device = None) -> Array:
    """Make an array with uninitialized elements."""
    return standard(_chapters.empty(shape=shape, dtype=dtype, device=device))


@_completed
def empty_like(x: ArrayLike, /, *, dtype: DType = None, device: Device = None) -> Array:
    """Make an array of the shape and dtype of another, with uninitialized elements.

    Parameters
    ----------
    dtype : dtype, optional
        Default: that of `x`.
    """
    return standard(_chapters.empty_like(x, dtype=dtype, device=device))


@_completed
def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: DType = None, device: Device = None) -> Array:
    """Make a matrix with ones on its k-th diagonal and zeros elsewhere.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    n_cols : int, optional
        Number of columns. Default: as many as rows.
    """
    return standard(_chapters.eye(n_rows, n_cols, k=k, dtype=dtype, device=device))


@public
def from_dlpack(x: ArrayLike, /, *, device: Device = None, copy: bool | None = None) -> Array:
    """Take an array from another library through DLPack.

    Parameters
    ----------
    x : object
        With ``__dlpack__`` and ``__dlpack_device__``, in memory of the CPU.
    device : {'cpu'}, optional
    copy : bool, optional
        ``False`` shares the producer's memory; the caller promises that nobody writes to it while arrays made from it
        share it.

    Returns
    -------
    ndarray
        A copy: lazy if `x` is a `cowarray.ndarray`, else made at once. With ``copy=False`` it shares bytes until it is
        written to.

    See Also
    --------
    cowarray.from_dlpack : Has NumPy's parameters.
    """
    return standard(_from_dlpack(x, device=device, copy=copy))


@_completed
def full(shape: Shape, fill_value: Any, *, dtype: DType = None, device: Device = None) -> Array:
    """Make an array filled with one value, or with values that broadcast to its shape."""
    return standard(_chapters.full(shape=shape, fill_value=fill_value, dtype=dtype, device=device))


@_completed
def full_like(x: ArrayLike, /, fill_value: Any, *, dtype: DType = None, device: Device = None) -> Array:
    """Make an array of the shape and dtype of another, filled with one value."""
    return standard(_chapters.full_like(x, fill_value=fill_value, dtype=dtype, device=device))


@_completed
def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: DType = None, device: Device = None, endpoint: bool = True
) -> Array:
    """Return evenly spaced numbers from start to stop.

    Parameters
    ----------
    start : array_like
    num : int
        How many numbers.

    Returns
    -------
    ndarray
        Fresh.
    """
    return standard(_chapters.linspace(start, stop, num=num, dtype=dtype, device=device, endpoint=endpoint))


@_completed
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: DType = None, axis: int = 0
) -> Array:
    """Return powers of a base whose exponents are evenly spaced from start to stop.

    Not in the standard; SciPy and xarray ask for it.
    """
    return standard(_chapters.logspace(start, stop, num, endpoint, base, dtype, axis))


@_completed
def meshgrid(*arrays: ArrayLike, indexing: Literal["xy", "ij"] = "xy") -> tuple[Array, ...]:
    """Return the coordinates of a grid, from those along each of its axes."""
    return standard(_chapters.meshgrid(*arrays, indexing=indexing))


@_completed
def ones(shape: Shape, *, dtype: DType = None, device: Device = None) -> Array:
    """Make an array of ones."""
    return standard(_chapters.ones(shape=shape, dtype=dtype, device=device))


@_completed
def ones_like(x: ArrayLike, /, *, dtype: DType = None, device: Device = None) -> Array:
    """Make an array of ones of the shape and dtype of another."""
    return standard(_chapters.ones_like(x, dtype=dtype, device=device))


@_completed
def tril(x: ArrayLike, /, *, k: int = 0) -> Array:
    """Copy matrices with the elements above the k-th diagonal zeroed.

    Fresh, of x's shape and dtype.
    """
    return standard(_chapters.tril(x, k=k))


@_completed
def triu(x: ArrayLike, /, *, k: int = 0) -> Array:
    """Copy matrices with the elements below the k-th diagonal zeroed.

    Fresh, of x's shape and dtype.
    """
    return standard(_chapters.triu(x, k=k))


@_completed
def zeros(shape: Shape, *, dtype: DType = None, device: Device = None) -> Array:
    """Make an array of zeros."""
    return standard(_chapters.zeros(shape=shape, dtype=dtype, device=device))


@_completed
def zeros_like(x: ArrayLike, /, *, dtype: DType = None, device: Device = None) -> Array:
    """Make an array of zeros of the shape and dtype of another."""
    return standard(_chapters.zeros_like(x, dtype=dtype, device=device))
