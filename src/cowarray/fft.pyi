from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.ndarray import ndarray

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_Norm: TypeAlias = Literal["backward", "ortho", "forward"] | None
_Array: TypeAlias = ndarray[Any, Any]
_Axes: TypeAlias = Sequence[SupportsIndex] | None
_Shape: TypeAlias = Sequence[SupportsIndex | None] | None

def fft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> _Array: ...
def fft2(
    a: ArrayLike, s: _Shape = None, axes: Sequence[SupportsIndex] = (-2, -1), norm: _Norm = None, out: Any = None
) -> _Array: ...
def fftfreq(
    n: int, d: float = 1.0, device: Literal["cpu"] | None = None, *, dtype: DTypeLike | None = None
) -> _Array: ...
def fftn(a: ArrayLike, s: _Shape = None, axes: _Axes = None, norm: _Norm = None, out: Any = None) -> _Array: ...
def fftshift(x: ArrayLike, axes: SupportsIndex | Sequence[SupportsIndex] | None = None) -> _Array: ...
def hfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> _Array: ...
def ifft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> _Array: ...
def ifft2(
    a: ArrayLike, s: _Shape = None, axes: Sequence[SupportsIndex] = (-2, -1), norm: _Norm = None, out: Any = None
) -> _Array: ...
def ifftn(a: ArrayLike, s: _Shape = None, axes: _Axes = None, norm: _Norm = None, out: Any = None) -> _Array: ...
def ifftshift(x: ArrayLike, axes: SupportsIndex | Sequence[SupportsIndex] | None = None) -> _Array: ...
def ihfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> _Array: ...
def irfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> _Array: ...
def irfft2(
    a: ArrayLike, s: _Shape = None, axes: Sequence[SupportsIndex] = (-2, -1), norm: _Norm = None, out: Any = None
) -> _Array: ...
def irfftn(a: ArrayLike, s: _Shape = None, axes: _Axes = None, norm: _Norm = None, out: Any = None) -> _Array: ...
def rfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: SupportsIndex = -1, norm: _Norm = None, out: Any = None
) -> _Array: ...
def rfft2(
    a: ArrayLike, s: _Shape = None, axes: Sequence[SupportsIndex] = (-2, -1), norm: _Norm = None, out: Any = None
) -> _Array: ...
def rfftfreq(
    n: int, d: float = 1.0, device: Literal["cpu"] | None = None, *, dtype: DTypeLike | None = None
) -> _Array: ...
def rfftn(a: ArrayLike, s: _Shape = None, axes: _Axes = None, norm: _Norm = None, out: Any = None) -> _Array: ...
