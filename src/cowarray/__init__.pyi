from typing import Any, Final, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from cowarray._elementwise import *  # noqa: F403 - a chapter lists its names itself
from cowarray._files import load, save
from cowarray._modes import CopyError, Materialization, no_copy, trace
from cowarray._native import Storage, keep_freed, reset_stats, stats
from cowarray._ndarray import aliases, array, asarray, from_dlpack, ndarray, shares_bytes
from cowarray._report import Explanation, explain

__all__ = [
    "CopyError",
    "Explanation",
    "Materialization",
    "Storage",
    "abs",
    "acos",
    "acosh",
    "add",
    "aliases",
    "array",
    "asarray",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "explain",
    "expm1",
    "floor",
    "floor_divide",
    "from_dlpack",
    "get_include",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "keep_freed",
    "lazy_clone",
    "less",
    "less_equal",
    "load",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "ndarray",
    "negative",
    "nextafter",
    "no_copy",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "reset_stats",
    "round",
    "save",
    "shares_bytes",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "stats",
    "subtract",
    "tan",
    "tanh",
    "trace",
    "trunc",
]

__version__: Final[str]

_Shape = TypeVar("_Shape", bound=tuple[Any, ...])
_DType = TypeVar("_DType", bound=np.dtype[Any])

@overload
def lazy_clone(x: ndarray[_Shape, _DType] | np.ndarray[_Shape, _DType], /) -> ndarray[_Shape, _DType]: ...
@overload
def lazy_clone(x: ArrayLike, /) -> ndarray[Any, Any]: ...
def get_include() -> str: ...
