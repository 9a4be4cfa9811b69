from typing import Any, TypeAlias

from numpy.typing import ArrayLike, DTypeLike

from cowarray._chapters import elementwise
from cowarray._chapters.elementwise import _Array, _Casting, _Out
from cowarray._chapters.ufunc_methods import _ufunc

absolute = elementwise.abs
arccos = elementwise.acos
arccosh = elementwise.acosh
arcsin = elementwise.asin
arcsinh = elementwise.asinh
arctan = elementwise.atan
arctan2 = elementwise.atan2
arctanh = elementwise.atanh
bitwise_not = elementwise.bitwise_invert
invert = elementwise.bitwise_invert
left_shift = elementwise.bitwise_left_shift
right_shift = elementwise.bitwise_right_shift
conjugate = elementwise.conj
true_divide = elementwise.divide
power = elementwise.pow
mod = elementwise.remainder
around = elementwise.round

_Pair: TypeAlias = tuple[_Array | None, _Array | None] | None

def angle(z: ArrayLike, deg: bool = False) -> Any: ...
@_ufunc
def bitwise_count(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def cbrt(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def deg2rad(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def degrees(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def divmod(
    x1: ArrayLike,
    x2: ArrayLike,
    out1: _Array | None = None,
    out2: _Array | None = None,
    /,
    out: _Pair = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> tuple[Any, Any]: ...
@_ufunc
def exp2(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def fabs(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def fix(x: ArrayLike, out: _Array | None = None) -> Any: ...
@_ufunc
def float_power(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def fmax(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def fmin(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def fmod(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def frexp(
    x: ArrayLike,
    out1: _Array | None = None,
    out2: _Array | None = None,
    /,
    out: _Pair = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> tuple[Any, Any]: ...
@_ufunc
def gcd(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def heaviside(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
def i0(x: ArrayLike) -> Any: ...
def isclose(
    a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08, equal_nan: bool = False
) -> Any: ...
def iscomplex(x: ArrayLike) -> Any: ...
@_ufunc
def isnat(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def isneginf(x: ArrayLike, out: _Array | None = None) -> Any: ...
def isposinf(x: ArrayLike, out: _Array | None = None) -> Any: ...
def isreal(x: ArrayLike) -> Any: ...
@_ufunc
def lcm(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def ldexp(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def logaddexp2(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: _Out = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> Any: ...
@_ufunc
def modf(
    x: ArrayLike,
    out1: _Array | None = None,
    out2: _Array | None = None,
    /,
    out: _Pair = ...,
    where: ArrayLike = ...,
    dtype: DTypeLike | None = ...,
    casting: _Casting = ...,
) -> tuple[Any, Any]: ...
def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Any: ...
@_ufunc
def rad2deg(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
@_ufunc
def radians(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def real_if_close(a: ArrayLike, tol: float = 100) -> Any: ...
@_ufunc
def rint(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def sinc(x: ArrayLike) -> Any: ...
@_ufunc
def spacing(
    x: ArrayLike, /, out: _Out = ..., where: ArrayLike = ..., dtype: DTypeLike | None = ..., casting: _Casting = ...
) -> Any: ...
def unwrap(p: ArrayLike, discont: float | None = None, axis: int = -1, *, period: float = ...) -> Any: ...
