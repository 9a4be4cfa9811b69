"""Fourier transforms: the extension of the array API standard, 2025.12."""

from collections.abc import Sequence
from typing import Literal, SupportsIndex, TypeAlias

from numpy.typing import ArrayLike

from cowarray import fft as _fft
from cowarray._chapters.docstrings import Completed as _Completed
from cowarray._face.annotations import Array, Axes, Device, DType
from cowarray._ops.conversion import standard as _standard

_Norm: TypeAlias = Literal["backward", "ortho", "forward"]

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

_PARAMETERS = {
    "x": "array_like",
    "n": "int, optional\n    The length of the transform: the argument is cut off, or filled up with 0, to fit.",
    "axis": "int, default -1",
    "norm": (
        "{'backward', 'ortho', 'forward'}, default 'backward'\n"
        "    Which transforms are scaled by 1/n: the inverse (the default), both by its root, or the forward one."
    ),
    "s": "sequence of int, optional\n    The lengths along the axes, likewise.",
    "axes": "sequence of int, optional\n    ``None``: the last ones if `s` is given, else all.",
}
_completed = _Completed(_PARAMETERS, "ndarray", "cowarray.fft", "Has NumPy's parameters.")


@_completed
def fft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The transform along an axis.

    Fresh.
    """
    return _standard(_fft.fft(x, n=n, axis=axis, norm=norm))


def fftfreq(n: int, /, *, d: float = 1.0, dtype: DType = None, device: Device = None) -> Array:
    """The frequencies of what `fft` gives.

    Parameters
    ----------
    n : int
        How many samples.
    d : float, default 1.0
        The time between samples.
    dtype : dtype, optional
        Real and floating. Default: float64.
    device : {'cpu'}, optional

    Returns
    -------
    ndarray
        Fresh, of shape (n,).

    Raises
    ------
    ValueError
        The dtype is not real and floating.

    See Also
    --------
    cowarray.fft.fftfreq : Has NumPy's parameters.
    """
    return _standard(_fft.fftfreq(n, d=d, dtype=dtype, device=device))


@_completed
def fftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> Array:
    """The transform along several axes.

    Fresh.
    """
    return _standard(_fft.fftn(x, s=s, axes=axes, norm=norm))


def fftshift(x: ArrayLike, /, *, axes: Axes = None) -> Array:
    """Move the frequency 0 to the middle.

    Parameters
    ----------
    x : array_like
    axes : int or sequence of int, optional
        All axes if omitted.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.fft.fftshift : Has NumPy's parameters.
    """
    return _standard(_fft.fftshift(x, axes=axes))


@_completed
def hfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The transform of what is symmetric, of which one half is given: real numbers.

    Fresh.
    """
    return _standard(_fft.hfft(x, n=n, axis=axis, norm=norm))


@_completed
def ifft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The inverse of `fft`.

    Fresh.
    """
    return _standard(_fft.ifft(x, n=n, axis=axis, norm=norm))


@_completed
def ifftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> Array:
    """The inverse of `fftn`.

    Fresh.
    """
    return _standard(_fft.ifftn(x, s=s, axes=axes, norm=norm))


def ifftshift(x: ArrayLike, /, *, axes: Axes = None) -> Array:
    """The inverse of `fftshift`.

    Parameters
    ----------
    x : array_like
    axes : int or sequence of int, optional
        All axes if omitted.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.fft.ifftshift : Has NumPy's parameters.
    """
    return _standard(_fft.ifftshift(x, axes=axes))


@_completed
def ihfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The inverse of `hfft`.

    Fresh.
    """
    return _standard(_fft.ihfft(x, n=n, axis=axis, norm=norm))


@_completed
def irfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The inverse of `rfft`: real numbers.

    Fresh.
    """
    return _standard(_fft.irfft(x, n=n, axis=axis, norm=norm))


@_completed
def irfftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> Array:
    """The inverse of `rfftn`: real numbers.

    Fresh.
    """
    return _standard(_fft.irfftn(x, s=s, axes=axes, norm=norm))


@_completed
def rfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The transform of real numbers along an axis: half of it, which says all.

    Fresh.
    """
    return _standard(_fft.rfft(x, n=n, axis=axis, norm=norm))


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DType = None, device: Device = None) -> Array:
    """The frequencies of what `rfft` gives.

    Parameters
    ----------
    n : int
        How many samples.
    d : float, default 1.0
        The time between samples.
    dtype : dtype, optional
        Real and floating. Default: float64.
    device : {'cpu'}, optional

    Returns
    -------
    ndarray
        Fresh, of shape (n // 2 + 1,).

    Raises
    ------
    ValueError
        The dtype is not real and floating.

    See Also
    --------
    cowarray.fft.rfftfreq : Has NumPy's parameters.
    """
    return _standard(_fft.rfftfreq(n, d=d, dtype=dtype, device=device))


@_completed
def rfftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> Array:
    """The transform of real numbers along several axes: half of it, which says all.

    Fresh.
    """
    return _standard(_fft.rfftn(x, s=s, axes=axes, norm=norm))


# The namespace has the standard's names alone.
del Array, ArrayLike, Axes, Device, DType, Literal, Sequence, SupportsIndex, TypeAlias
