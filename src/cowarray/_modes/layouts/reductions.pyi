from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cowarray._modes.layouts.layouts import Layout

__all__ = ["accumulation", "reduction", "segments"]

_Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
_Out: TypeAlias = _Array | tuple[_Array | None, ...] | None

def reduction(
    ufunc: np.ufunc,
    x: _Array,
    *,
    axis: int | tuple[int, ...] | None = 0,
    dtype: npt.DTypeLike | None = None,
    out: _Out = None,
    keepdims: bool = False,
    initial: object = ...,
    where: object = True,
) -> Layout: ...
def accumulation(
    ufunc: np.ufunc, x: _Array, axis: int = 0, dtype: npt.DTypeLike | None = None, out: _Out = None
) -> Layout: ...
def segments(
    ufunc: np.ufunc,
    x: _Array,
    indices_length: int,
    axis: int = 0,
    dtype: npt.DTypeLike | None = None,
    out: _Out = None,
) -> Layout: ...
