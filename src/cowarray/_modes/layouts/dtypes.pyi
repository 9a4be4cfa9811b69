from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "COMPLEX",
    "FLOAT",
    "INTEGER",
    "LARGEST_ALIKE",
    "found_late",
    "has_gaps",
    "header",
    "kept_dtypes",
    "number_of",
    "result_dtypes",
]

_Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

INTEGER: int
FLOAT: int
COMPLEX: int
LARGEST_ALIKE: int

def header(x: object) -> _Array: ...
def kept_dtypes(function: Callable[..., Any], key: tuple[object, ...]) -> tuple[np.dtype[Any], ...]: ...
def number_of(dtype: object) -> int | None: ...
def result_dtypes(
    function: Callable[..., Any],
    operands: Sequence[object],
    out: tuple[_Array | None, ...] | None = None,
    mask: _Array | None = None,
    dtype: npt.DTypeLike | None = None,
    **options: Any,
) -> tuple[np.dtype[Any], ...]: ...
def found_late(error: BaseException) -> bool: ...
def has_gaps(dtype: np.dtype[Any]) -> bool: ...
