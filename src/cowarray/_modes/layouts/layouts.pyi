from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

__all__ = [
    "Layout",
    "ValuesNeeded",
    "axis_in",
    "broadcast",
    "checked_order",
    "contiguous",
    "copied_order",
    "dense",
    "ghost",
    "iteration_order",
    "laid_out",
    "merged_order",
    "resolved_order",
    "spread",
]

_Integers: TypeAlias = tuple[int, ...]
_Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

class Layout(NamedTuple):
    shape: _Integers
    dtype: np.dtype[Any]
    strides: _Integers

class ValuesNeeded(TypeError): ...

def contiguous(shape: _Integers, itemsize: int) -> _Integers: ...
def dense(shape: _Integers, order: Iterable[int], itemsize: int) -> _Integers: ...
def laid_out(shape: _Integers, dtype: np.dtype[Any], order: Iterable[int]) -> Layout: ...
def broadcast(shapes: Iterable[_Integers]) -> _Integers | None: ...
def spread(shape: _Integers, strides: _Integers, ndim: int) -> _Integers: ...
def iteration_order(operands: Sequence[Sequence[int]], ndim: int) -> list[int]: ...
def merged_order(arrays: Sequence[tuple[_Integers, _Integers]], ndim: int) -> list[int]: ...
def axis_in(axis: object, ndim: int) -> int: ...
def checked_order(order: object) -> str: ...
def resolved_order(x: _Array, order: str | None) -> str: ...
def copied_order(x: _Array, order: str | None = "K", ndim: int | None = None) -> list[int]: ...
def ghost(shape: _Integers) -> _Array: ...
