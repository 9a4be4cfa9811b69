import builtins
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy import bool as bool
from numpy import bool_ as bool_
from numpy import byte as byte
from numpy import bytes_ as bytes_
from numpy import cdouble as cdouble
from numpy import character as character
from numpy import clongdouble as clongdouble
from numpy import complex64 as complex64
from numpy import complex128 as complex128
from numpy import complexfloating as complexfloating
from numpy import csingle as csingle
from numpy import datetime64 as datetime64
from numpy import double as double
from numpy import dtype as dtype
from numpy import flexible as flexible
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import floating as floating
from numpy import generic as generic
from numpy import half as half
from numpy import inexact as inexact
from numpy import int8 as int8
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import int_ as int_
from numpy import intc as intc
from numpy import integer as integer
from numpy import intp as intp
from numpy import long as long
from numpy import longdouble as longdouble
from numpy import longlong as longlong
from numpy import number as number
from numpy import object_ as object_
from numpy import short as short
from numpy import signedinteger as signedinteger
from numpy import single as single
from numpy import str_ as str_
from numpy import timedelta64 as timedelta64
from numpy import ubyte as ubyte
from numpy import uint as uint
from numpy import uint8 as uint8
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64
from numpy import uintc as uintc
from numpy import uintp as uintp
from numpy import ulong as ulong
from numpy import ulonglong as ulonglong
from numpy import unsignedinteger as unsignedinteger
from numpy import ushort as ushort
from numpy import void as void
from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.ndarray import ndarray

_Any: TypeAlias = ndarray[Any, Any]
_Device: TypeAlias = Literal["cpu"] | None
_Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]

def astype(x: ArrayLike, dtype: DTypeLike, /, *, copy: builtins.bool = True, device: _Device = None) -> _Any: ...
def can_cast(from_: Any, to: DTypeLike, casting: _Casting = "safe") -> builtins.bool: ...

class FloatLimits:
    def __init__(self, numpys: np.finfo[Any]) -> None: ...
    eps: float
    max: float
    min: float
    smallest_normal: float
    def __getattr__(self, name: str) -> Any: ...

def finfo(dtype: Any) -> FloatLimits: ...
def iinfo(int_type: Any) -> np.iinfo[Any]: ...
def isdtype(dtype: np.dtype[Any] | type[np.generic], kind: Any) -> builtins.bool: ...
def issubdtype(arg1: DTypeLike, arg2: DTypeLike) -> builtins.bool: ...
def min_scalar_type(a: ArrayLike, /) -> np.dtype[Any]: ...
def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype[Any]: ...
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]: ...
