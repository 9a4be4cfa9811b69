from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

from numpy.typing import ArrayLike

_Kind: TypeAlias = Literal["quicksort", "mergesort", "heapsort", "stable"] | None
_Fields: TypeAlias = str | Sequence[str] | None

def argpartition(
    a: ArrayLike,
    kth: ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: Literal["introselect"] = "introselect",
    order: _Fields = None,
) -> Any: ...
def argsort(
    a: ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: _Kind = None,
    order: _Fields = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Any: ...
def lexsort(keys: Any, axis: SupportsIndex = -1) -> Any: ...
def partition(
    a: ArrayLike,
    kth: ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: Literal["introselect"] = "introselect",
    order: _Fields = None,
) -> Any: ...
def sort(
    a: ArrayLike,
    axis: SupportsIndex | None = -1,
    kind: _Kind = None,
    order: _Fields = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Any: ...
