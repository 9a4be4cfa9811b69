from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.ndarray import ndarray

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

_Array: TypeAlias = ndarray[Any, Any]
_Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
_Norm: TypeAlias = Literal["backward", "ortho", "forward"]
_Device: TypeAlias = Literal["cpu"] | None

def fft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def fftfreq(n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: _Device = None) -> _Array: ...
def fftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> _Array: ...
def fftshift(x: ArrayLike, /, *, axes: _Axes | None = None) -> _Array: ...
def hfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def ifft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def ifftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> _Array: ...
def ifftshift(x: ArrayLike, /, *, axes: _Axes | None = None) -> _Array: ...
def ihfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def irfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def irfftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> _Array: ...
def rfft(x: ArrayLike, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: _Device = None) -> _Array: ...
def rfftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> _Array: ...
