from typing import Any, SupportsIndex, TypeAlias

from numpy.typing import ArrayLike

from cowarray._face.ndarray import ndarray

_Array: TypeAlias = ndarray[Any, Any]

def take(x: ArrayLike, indices: ArrayLike, /, *, axis: SupportsIndex | None = None) -> _Array: ...
def take_along_axis(x: ArrayLike, indices: ArrayLike, /, *, axis: SupportsIndex = -1) -> _Array: ...
