from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.ndarray import ndarray

_Any: TypeAlias = ndarray[Any, Any]
_Order: TypeAlias = Literal["C", "F", "A", "K"] | None
_Device: TypeAlias = Literal["cpu"] | None
_ShapeLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex]

def arange(
    start_or_stop: Any = None,
    /,
    stop: Any = None,
    step: Any = 1,
    dtype: DTypeLike | None = None,
    *,
    start: Any = None,
    device: _Device = None,
    like: Any = None,
) -> _Any: ...
def asanyarray(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: _Order = None,
    *,
    device: _Device = None,
    copy: bool | None = None,
    like: Any = None,
) -> _Any: ...
def ascontiguousarray(a: ArrayLike, dtype: DTypeLike | None = None, *, like: Any = None) -> _Any: ...
def asfortranarray(a: ArrayLike, dtype: DTypeLike | None = None, *, like: Any = None) -> _Any: ...
def copy(a: ArrayLike, order: _Order = "K", subok: bool = False) -> _Any: ...
def diag(v: ArrayLike, k: int = 0) -> _Any: ...
def diagflat(v: ArrayLike, k: int = 0) -> _Any: ...
def empty(
    shape: _ShapeLike, dtype: DTypeLike | None = None, order: _Order = "C", *, device: _Device = None, like: Any = None
) -> _Any: ...
def empty_like(
    prototype: ArrayLike,
    /,
    dtype: DTypeLike | None = None,
    order: _Order = "K",
    subok: bool = True,
    shape: _ShapeLike | None = None,
    *,
    device: _Device = None,
) -> _Any: ...
def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = ...,
    order: _Order = "C",
    *,
    device: _Device = None,
    like: Any = None,
) -> _Any: ...
def fromfunction(
    function: Callable[..., Any], shape: _ShapeLike, *, dtype: DTypeLike | None = ..., like: Any = None, **kwargs: Any
) -> Any: ...
def fromiter(iter: Iterable[Any], dtype: DTypeLike, count: int = -1, *, like: Any = None) -> _Any: ...
def fromstring(
    string: str | bytes, dtype: DTypeLike | None = None, count: int = -1, *, sep: str = "", like: Any = None
) -> _Any: ...
def full(
    shape: _ShapeLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: _Order = "C",
    *,
    device: _Device = None,
    like: Any = None,
) -> _Any: ...
def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: _Order = "K",
    subok: bool = True,
    shape: _ShapeLike | None = None,
    *,
    device: _Device = None,
) -> _Any: ...
def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: SupportsIndex = 0,
) -> _Any: ...
def identity(n: int, dtype: DTypeLike | None = None, *, like: Any = None) -> _Any: ...
def indices(dimensions: Sequence[int], dtype: DTypeLike = ..., sparse: bool = False) -> Any: ...
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: SupportsIndex = 0,
    *,
    device: _Device = None,
) -> Any: ...
def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: SupportsIndex = 0,
) -> _Any: ...
def meshgrid(
    *xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: Literal["xy", "ij"] = "xy"
) -> tuple[_Any, ...]: ...
def ones(
    shape: _ShapeLike, dtype: DTypeLike | None = None, order: _Order = "C", *, device: _Device = None, like: Any = None
) -> _Any: ...
def ones_like(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: _Order = "K",
    subok: bool = True,
    shape: _ShapeLike | None = None,
    *,
    device: _Device = None,
) -> _Any: ...
def require(
    a: ArrayLike, dtype: DTypeLike | None = None, requirements: str | Sequence[str] | None = None, *, like: Any = None
) -> _Any: ...
def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = ..., *, like: Any = None) -> _Any: ...
def tril(m: ArrayLike, k: int = 0) -> _Any: ...
def triu(m: ArrayLike, k: int = 0) -> _Any: ...
def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> _Any: ...
def zeros(
    shape: _ShapeLike, dtype: DTypeLike | None = None, order: _Order = "C", *, device: _Device = None, like: Any = None
) -> _Any: ...
def zeros_like(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: _Order = "K",
    subok: bool = True,
    shape: _ShapeLike | None = None,
    *,
    device: _Device = None,
) -> _Any: ...
