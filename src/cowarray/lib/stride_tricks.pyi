from typing import Any, SupportsIndex

from numpy.typing import ArrayLike

from cowarray._chapters.manipulation import broadcast_arrays as broadcast_arrays
from cowarray._chapters.manipulation import broadcast_shapes as broadcast_shapes
from cowarray._chapters.manipulation import broadcast_to as broadcast_to
from cowarray._face.ndarray import ndarray
from cowarray._ops.strided import as_strided as as_strided

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]

def sliding_window_view(
    x: ArrayLike,
    window_shape: SupportsIndex | tuple[SupportsIndex, ...],
    axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> ndarray[Any, Any]: ...
