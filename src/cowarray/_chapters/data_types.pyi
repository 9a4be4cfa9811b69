import builtins
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy import (
    bool,
    bool_,
    byte,
    bytes_,
    cdouble,
    character,
    clongdouble,
    complex64,
    complex128,
    complexfloating,
    csingle,
    datetime64,
    double,
    dtype,
    flexible,
    float16,
    float32,
    float64,
    floating,
    generic,
    half,
    inexact,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    integer,
    intp,
    long,
    longdouble,
    longlong,
    number,
    object_,
    short,
    signedinteger,
    single,
    str_,
    timedelta64,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ulong,
    ulonglong,
    unsignedinteger,
    ushort,
    void,
)
from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.ndarray import ndarray

__all__ = [
    "astype",
    "bool",
    "bool_",
    "byte",
    "bytes_",
    "can_cast",
    "cdouble",
    "character",
    "clongdouble",
    "complex64",
    "complex128",
    "complexfloating",
    "csingle",
    "datetime64",
    "double",
    "dtype",
    "finfo",
    "flexible",
    "float16",
    "float32",
    "float64",
    "floating",
    "generic",
    "half",
    "iinfo",
    "inexact",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "intc",
    "integer",
    "intp",
    "isdtype",
    "issubdtype",
    "long",
    "longdouble",
    "longlong",
    "number",
    "object_",
    "promote_types",
    "result_type",
    "short",
    "signedinteger",
    "single",
    "str_",
    "timedelta64",
    "ubyte",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "unsignedinteger",
    "ushort",
    "void",
]

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
def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype[Any]: ...
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]: ...
