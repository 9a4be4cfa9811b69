from typing import Any, SupportsIndex, TypeAlias

from numpy.typing import ArrayLike

from cowarray._face.ndarray import ndarray

_Array: TypeAlias = ndarray[Any, Any]

def argsort(x: ArrayLike, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True) -> _Array: ...
def sort(x: ArrayLike, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True) -> _Array: ...
