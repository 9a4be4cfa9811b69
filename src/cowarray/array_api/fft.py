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
    """Transform along an axis."""
    return _standard(_fft.fft(x, n=n, axis=axis, norm=norm))


@_completed
def fftfreq(n: int, /, *, d: float = 1.0, dtype: DType = None, device: Device = None) -> Array:
    """Return the frequencies of the elements of `fft`'s result."""
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
    """Transform along several axes."""
    return _standard(_fft.fftn(x, s=s, axes=axes, norm=norm))


@_completed
def fftshift(x: ArrayLike, /, *, axes: Axes = None) -> Array:
    """Move frequency 0 to the middle."""
    return _standard(_fft.fftshift(x, axes=axes))


@_completed
def hfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """Transform symmetric values, given one half of them, to real numbers.

    Fresh.
    """
    return _standard(_fft.hfft(x, n=n, axis=axis, norm=norm))


@_completed
def ifft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """Invert `fft`."""
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
    """Invert `fftn`."""
    return _standard(_fft.ifftn(x, s=s, axes=axes, norm=norm))


@_completed
def ifftshift(x: ArrayLike, /, *, axes: Axes = None) -> Array:
    """Invert `fftshift`."""
    return _standard(_fft.ifftshift(x, axes=axes))


@_completed
def ihfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """Invert `hfft`."""
    return _standard(_fft.ihfft(x, n=n, axis=axis, norm=norm))


@_completed
def irfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """Invert `rfft`, to real numbers."""
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
    """Invert `rfftn`, to real numbers."""
    return _standard(_fft.irfftn(x, s=s, axes=axes, norm=norm))


@_completed
def rfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> Array:
    """Transform real numbers along an axis; half of the symmetric result is returned."""
    return _standard(_fft.rfft(x, n=n, axis=axis, norm=norm))


@_completed
def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DType = None, device: Device = None) -> Array:
    """Return the frequencies of the elements of `rfft`'s result."""
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
    """Transform real numbers along several axes; half of the symmetric result is returned."""
    return _standard(_fft.rfftn(x, s=s, axes=axes, norm=norm))


# The namespace has only the standard's names.
del Array, ArrayLike, Axes, Device, DType, Literal, Sequence, SupportsIndex, TypeAlias
