from typing import Any, Final, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from cowarray import _elementwise
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
    "aliases",
    "array",
    "asarray",
    "explain",
    "from_dlpack",
    "get_include",
    "keep_freed",
    "lazy_clone",
    "load",
    "ndarray",
    "no_copy",
    "reset_stats",
    "save",
    "shares_bytes",
    "stats",
    "trace",
]
__all__ += _elementwise.__all__

__version__: Final[str]

_Shape = TypeVar("_Shape", bound=tuple[Any, ...])
_DType = TypeVar("_DType", bound=np.dtype[Any])

@overload
def lazy_clone(x: ndarray[_Shape, _DType] | np.ndarray[_Shape, _DType], /) -> ndarray[_Shape, _DType]: ...
@overload
def lazy_clone(x: ArrayLike, /) -> ndarray[Any, Any]: ...
def get_include() -> str: ...
