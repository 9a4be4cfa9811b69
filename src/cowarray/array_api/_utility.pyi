from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias

from numpy.typing import ArrayLike

from cowarray._face.ndarray import ndarray

_Array: TypeAlias = ndarray[Any, Any]
_Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex]

def all(x: ArrayLike, /, *, axis: _Axes | None = None, keepdims: bool = False) -> _Array: ...
def any(x: ArrayLike, /, *, axis: _Axes | None = None, keepdims: bool = False) -> _Array: ...
def diff(
    x: ArrayLike,
    /,
    *,
    axis: SupportsIndex = -1,
    n: int = 1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> _Array: ...
