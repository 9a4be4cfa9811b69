from typing import Any, Literal, SupportsIndex, TypeAlias

from numpy._globals import _NoValueType
from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.ndarray import ndarray

_Axes: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | None
_Bins: TypeAlias = int | str | ArrayLike
_Mode: TypeAlias = Literal["full", "same", "valid"]
_Vector: TypeAlias = ndarray[tuple[int], Any]

# Arrays, or NumPy's scalars where there are no axes: only NumPy's rules say which, at run time.
def amax(
    a: ArrayLike,
    axis: _Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    initial: Any = ...,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def amin(
    a: ArrayLike,
    axis: _Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    initial: Any = ...,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def average(
    a: ArrayLike,
    axis: _Axes = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool | _NoValueType = ...,
) -> Any: ...
def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: SupportsIndex = 0) -> _Vector: ...
def convolve(a: ArrayLike, v: ArrayLike, mode: _Mode = "full") -> _Vector: ...
def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None
) -> Any: ...
def correlate(a: ArrayLike, v: ArrayLike, mode: _Mode = "valid") -> _Vector: ...
def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: SupportsIndex | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Any: ...
def cumprod(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, out: Any = None
) -> Any: ...
def cumsum(a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, out: Any = None) -> Any: ...
def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any: ...
def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    include_initial: bool = False,
) -> Any: ...
def histogram(
    a: ArrayLike,
    bins: _Bins = 10,
    range: ArrayLike | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[_Vector, _Vector]: ...
def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: _Bins = 10,
    range: ArrayLike | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray[tuple[int, int], Any], _Vector, _Vector]: ...
def histogram_bin_edges(
    a: ArrayLike, bins: _Bins = 10, range: ArrayLike | None = None, weights: ArrayLike | None = None
) -> _Vector: ...
def histogramdd(
    sample: ArrayLike,
    bins: _Bins = 10,
    range: ArrayLike | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray[Any, Any], list[_Vector]]: ...
def max(
    a: ArrayLike,
    axis: _Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    initial: Any = ...,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def mean(
    a: ArrayLike,
    axis: _Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    *,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def median(
    a: ArrayLike, axis: _Axes = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any: ...
def min(
    a: ArrayLike,
    axis: _Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    initial: Any = ...,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def nanargmax(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Any = None, *, keepdims: bool | _NoValueType = ...
) -> Any: ...
def nanargmin(
    a: ArrayLike, axis: SupportsIndex | None = None, out: Any = None, *, keepdims: bool | _NoValueType = ...
) -> Any: ...
def nancumprod(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, out: Any = None
) -> Any: ...
def nancumsum(
    a: ArrayLike, axis: SupportsIndex | None = None, dtype: DTypeLike | None = None, out: Any = None
) -> Any: ...
def nanmax(
    a: ArrayLike,
    axis: _Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    initial: Any = ...,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def nanmean(
    a: ArrayLike,
    axis: _Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    *,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def nanmedian(
    a: ArrayLike,
    axis: _Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool | _NoValueType = ...,
) -> Any: ...
def nanmin(
    a: ArrayLike,
    axis: _Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    initial: Any = ...,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool | _NoValueType = ...,
    *,
    weights: ArrayLike | None = None,
) -> Any: ...
def nanprod(
    a: ArrayLike,
    axis: _Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    initial: Any = ...,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool | _NoValueType = ...,
    *,
    weights: ArrayLike | None = None,
) -> Any: ...
def nanstd(
    a: ArrayLike,
    axis: _Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool | _NoValueType = ...,
    *,
    where: ArrayLike | _NoValueType = ...,
    mean: ArrayLike | _NoValueType = ...,
    correction: float | _NoValueType = ...,
) -> Any: ...
def nansum(
    a: ArrayLike,
    axis: _Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    initial: Any = ...,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def nanvar(
    a: ArrayLike,
    axis: _Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool | _NoValueType = ...,
    *,
    where: ArrayLike | _NoValueType = ...,
    mean: ArrayLike | _NoValueType = ...,
    correction: float | _NoValueType = ...,
) -> Any: ...
def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Any: ...
def prod(
    a: ArrayLike,
    axis: _Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    initial: Any = ...,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def ptp(a: ArrayLike, axis: _Axes = None, out: Any = None, keepdims: bool | _NoValueType = ...) -> Any: ...
def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Any: ...
def std(
    a: ArrayLike,
    axis: _Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool | _NoValueType = ...,
    *,
    where: ArrayLike | _NoValueType = ...,
    mean: ArrayLike | _NoValueType = ...,
    correction: float | _NoValueType = ...,
) -> Any: ...
def sum(
    a: ArrayLike,
    axis: _Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: bool | _NoValueType = ...,
    initial: Any = ...,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def var(
    a: ArrayLike,
    axis: _Axes = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool | _NoValueType = ...,
    *,
    where: ArrayLike | _NoValueType = ...,
    mean: ArrayLike | _NoValueType = ...,
    correction: float | _NoValueType = ...,
) -> Any: ...
