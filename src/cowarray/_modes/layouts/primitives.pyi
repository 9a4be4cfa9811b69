from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np

from cowarray._modes.layouts.layouts import Layout

__all__ = [
    "argbest",
    "argsorted",
    "bincount",
    "choose",
    "dot",
    "inner",
    "lexsort",
    "packbits",
    "repeat",
    "searchsorted",
    "sorted_copy",
    "take",
    "unpackbits",
    "vdot",
]

_Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

def dot(a: object, b: object, out: _Array | None = None) -> Layout: ...
def inner(a: object, b: object) -> Layout: ...
def vdot(a: object, b: object) -> Layout: ...
def take(
    x: object, indices: object, axis: int | None = None, mode: str = "raise", out: _Array | None = None
) -> Layout: ...
def sorted_copy(x: object, axis: int | None = -1) -> Layout: ...
def argsorted(x: object, axis: int | None = -1) -> Layout: ...
def lexsort(keys: Iterable[object], axis: int = -1) -> Layout: ...
def argbest(
    x: object,
    axis: int | None = None,
    out: _Array | None = None,
    keepdims: bool = False,
    name: Literal["argmax", "argmin"] = "argmax",
) -> Layout: ...
def choose(index: object, choices: Iterable[object]) -> Layout: ...
def repeat(x: object, count: int, axis: int | None = None) -> Layout: ...
def searchsorted(x: object, values: object, side: Literal["left", "right"] = "left") -> Layout: ...
def packbits(x: object, axis: int | None = None) -> Layout: ...
def unpackbits(x: object, axis: int | None = None, count: int | None = None) -> Layout: ...
def bincount(x: object, length: int, weights: object = None) -> Layout: ...
