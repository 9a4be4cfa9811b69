from collections.abc import Sequence
from typing import Any, SupportsIndex

from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.ndarray import ndarray as _Array

def as_strided(
    x: ArrayLike,
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
    strides: SupportsIndex | Sequence[SupportsIndex] | None = None,
    subok: bool = False,
    writeable: bool = True,
) -> _Array[Any, Any]: ...
def ndarray(
    shape: SupportsIndex | Sequence[SupportsIndex],
    dtype: DTypeLike | None = None,
    buffer: Any = None,
    offset: SupportsIndex = 0,
    strides: SupportsIndex | Sequence[SupportsIndex] | None = None,
    order: str | None = None,
) -> _Array[Any, Any]: ...
