"""Fourier transforms: the extension of the array API standard, 2025.12."""

from collections.abc import Sequence
from typing import Literal, SupportsIndex, TypeAlias

from numpy.typing import ArrayLike

import cowarray.fft as _fft
from cowarray._chapters.docstrings import CompletedFrom as _CompletedFrom
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

_completed = _CompletedFrom(_fft, "cowarray.fft")


@_completed
def fft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The transform along an axis."""
    return _standard(_fft.fft(x, n=n, axis=axis, norm=norm))


@_completed
def fftfreq(n: int, /, *, d: float = 1.0, dtype: DType = None, device: Device = None) -> Array:
    """The frequencies of what `fft` gives."""
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
    """The transform along several axes."""
    return _standard(_fft.fftn(x, s=s, axes=axes, norm=norm))


@_completed
def fftshift(x: ArrayLike, /, *, axes: Axes = None) -> Array:
    """Move the frequency 0 to the middle."""
    return _standard(_fft.fftshift(x, axes=axes))


@_completed
def hfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The transform of symmetric values, of which one half is given: real numbers.

    Fresh.
    """
    return _standard(_fft.hfft(x, n=n, axis=axis, norm=norm))


@_completed
def ifft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The inverse of `fft`."""
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
    """The inverse of `fftn`."""
    return _standard(_fft.ifftn(x, s=s, axes=axes, norm=norm))


@_completed
def ifftshift(x: ArrayLike, /, *, axes: Axes = None) -> Array:
    """The inverse of `fftshift`."""
    return _standard(_fft.ifftshift(x, axes=axes))


@_completed
def ihfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The inverse of `hfft`."""
    return _standard(_fft.ihfft(x, n=n, axis=axis, norm=norm))


@_completed
def irfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The inverse of `rfft`: real numbers."""
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
    """The inverse of `rfftn`: real numbers."""
    return _standard(_fft.irfftn(x, s=s, axes=axes, norm=norm))


@_completed
def rfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """The transform of real numbers along an axis: half of it, which says all."""
    return _standard(_fft.rfft(x, n=n, axis=axis, norm=norm))


@_completed
def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DType = None, device: Device = None) -> Array:
    """The frequencies of what `rfft` gives."""
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
    """The transform of real numbers along several axes: half of it, which says all."""
    return _standard(_fft.rfftn(x, s=s, axes=axes, norm=norm))


# The namespace has the standard's names alone.
del Array, ArrayLike, Axes, Device, DType, Literal, Sequence, SupportsIndex, TypeAlias
