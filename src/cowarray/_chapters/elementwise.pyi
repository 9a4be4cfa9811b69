from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from cowarray._chapters.ufunc_methods import _ufunc
from cowarray._face.ndarray import ndarray

_Array: TypeAlias = ndarray[Any, Any] | np.ndarray[Any, Any]
_Out: TypeAlias = _Array | tuple[_Array | None] | None
_Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]

# Defaults: no out, where everything, the dtype of NumPy's rules, casting "same_kind".
# Arrays, or NumPy's scalars where there are no axes: only NumPy's rules say which, at run time.
@_ufunc
def abs(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def acos(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def acosh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def add(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def asin(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def asinh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def atan(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def atan2(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def atanh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def bitwise_and(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def bitwise_invert(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def bitwise_left_shift(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def bitwise_or(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def bitwise_right_shift(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def bitwise_xor(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def ceil(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def clip(
    a: ArrayLike,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    out: _Array | None = None,
    *,
    a_min: ArrayLike | None = None,
    a_max: ArrayLike | None = None,
    **kwargs: Any,
) -> Any: ...
@_ufunc
def conj(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def copysign(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def cos(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def cosh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def divide(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def exp(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def expm1(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def floor(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def floor_divide(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def greater(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def greater_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def hypot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def imag(val: ArrayLike) -> Any: ...
@_ufunc
def isfinite(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def isinf(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def isnan(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def less(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def less_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def log(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def log10(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def log1p(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def log2(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def logaddexp(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def logical_and(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def logical_not(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def logical_or(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def logical_xor(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def maximum(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def minimum(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def multiply(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def negative(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def nextafter(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def not_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def positive(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def pow(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def real(val: ArrayLike) -> Any: ...
@_ufunc
def reciprocal(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def remainder(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def round(a: ArrayLike, decimals: SupportsIndex = 0, out: _Array | None = None) -> Any: ...
@_ufunc
def sign(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def signbit(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def sin(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def sinh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def sqrt(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def square(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def subtract(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def tan(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def tanh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def trunc(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
