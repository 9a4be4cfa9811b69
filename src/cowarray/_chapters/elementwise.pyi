from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.ndarray import ndarray

_Array: TypeAlias = ndarray[Any, Any] | np.ndarray[Any, Any]
_Out: TypeAlias = _Array | tuple[_Array | None] | None
_Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]

# Defaults: no out, where everything, the dtype of NumPy's rules, casting "same_kind".
# Arrays, or NumPy's scalars where there are no axes: only NumPy's rules say which, at run time.
def abs(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def acos(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def acosh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def add(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def asin(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def asinh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def atan(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def atan2(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def atanh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def bitwise_and(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def bitwise_invert(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def bitwise_left_shift(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def bitwise_or(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def bitwise_right_shift(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def bitwise_xor(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
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
def conj(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def copysign(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def cos(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def cosh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def divide(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def exp(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def expm1(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def floor(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def floor_divide(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def greater(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def greater_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
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
def isfinite(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def isinf(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def isnan(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def less(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def less_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def log(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def log10(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def log1p(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def log2(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def logaddexp(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def logical_and(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def logical_not(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def logical_or(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def logical_xor(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def maximum(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def minimum(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def multiply(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def negative(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def nextafter(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def not_equal(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def positive(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
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
def reciprocal(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
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
def sign(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def signbit(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def sin(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def sinh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def sqrt(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def square(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def subtract(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def tan(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def tanh(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def trunc(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
