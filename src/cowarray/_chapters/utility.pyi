from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy._globals import _NoValueType
from numpy.typing import ArrayLike

from cowarray._face.ndarray import ndarray

_Any: TypeAlias = ndarray[Any, Any]
_Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None

def all(
    a: ArrayLike,
    axis: _Axes = None,
    out: _Any | np.ndarray[Any, Any] | None = None,
    keepdims: bool | _NoValueType = ...,
    *,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def any(
    a: ArrayLike,
    axis: _Axes = None,
    out: _Any | np.ndarray[Any, Any] | None = None,
    keepdims: bool | _NoValueType = ...,
    *,
    where: ArrayLike | _NoValueType = ...,
) -> Any: ...
def diff(
    a: ArrayLike,
    n: int = 1,
    axis: SupportsIndex = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> _Any: ...
def ediff1d(ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> _Any: ...
def gradient(f: ArrayLike, *varargs: Any, axis: _Axes = None, edge_order: Literal[1, 2] = 1) -> Any: ...
def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> Any: ...
def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: float = 1.0, axis: SupportsIndex = -1) -> Any: ...
