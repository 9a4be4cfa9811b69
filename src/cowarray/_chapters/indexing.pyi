from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from cowarray._face.ndarray import ndarray

__all__ = [
    "choose",
    "compress",
    "diag_indices",
    "diag_indices_from",
    "diagonal",
    "extract",
    "fill_diagonal",
    "ix_",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "ravel_multi_index",
    "select",
    "take",
    "take_along_axis",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]

_Any: TypeAlias = ndarray[Any, Any]
_Order: TypeAlias = Literal["C", "F", "A", "K"] | None
_ShapeLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
_Mode: TypeAlias = Literal["raise", "wrap", "clip"]

def choose(
    a: ArrayLike,
    choices: ArrayLike | Sequence[ArrayLike],
    out: _Any | np.ndarray[Any, Any] | None = None,
    mode: _Mode = "raise",
) -> Any: ...
def compress(
    condition: ArrayLike,
    a: ArrayLike,
    axis: SupportsIndex | None = None,
    out: _Any | np.ndarray[Any, Any] | None = None,
) -> _Any: ...
def diag_indices(n: int, ndim: int = 2) -> tuple[_Any, ...]: ...
def diag_indices_from(arr: ArrayLike) -> tuple[_Any, ...]: ...
def diagonal(a: ArrayLike, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1) -> _Any: ...
def extract(condition: ArrayLike, arr: ArrayLike) -> _Any: ...
def fill_diagonal(a: _Any | np.ndarray[Any, Any], val: ArrayLike, wrap: bool = False) -> None: ...
def ix_(*args: ArrayLike) -> tuple[_Any, ...]: ...
def place(arr: _Any | np.ndarray[Any, Any], mask: ArrayLike, vals: ArrayLike) -> None: ...
def put(a: _Any | np.ndarray[Any, Any], ind: ArrayLike, v: ArrayLike, mode: _Mode = "raise") -> None: ...
def put_along_axis(
    arr: _Any | np.ndarray[Any, Any], indices: ArrayLike, values: ArrayLike, axis: SupportsIndex | None
) -> None: ...
def putmask(a: _Any | np.ndarray[Any, Any], mask: ArrayLike, values: ArrayLike) -> None: ...
def ravel_multi_index(multi_index: Any, dims: _ShapeLike, mode: _Mode = "raise", order: _Order = "C") -> Any: ...
def select(condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0) -> _Any: ...
def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: SupportsIndex | None = None,
    out: _Any | np.ndarray[Any, Any] | None = None,
    mode: _Mode = "raise",
) -> Any: ...
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: SupportsIndex | None = -1) -> _Any: ...
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[_Any, _Any]: ...
def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[_Any, _Any]: ...
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[_Any, _Any]: ...
def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[_Any, _Any]: ...
def unravel_index(indices: ArrayLike, shape: _ShapeLike, order: _Order = "C") -> tuple[Any, ...]: ...
