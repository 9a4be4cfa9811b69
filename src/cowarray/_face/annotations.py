"""Types of parameters that many functions have."""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from cowarray._face.ndarray import ndarray

__all__ = [
    "AnyArray",
    "Array",
    "Axes",
    "Axis",
    "Cast",
    "DType",
    "Device",
    "Operand",
    "Order",
    "Out",
    "Shape",
    "Size",
    "Where",
]

Array: TypeAlias = ndarray[Any, Any]
AnyArray: TypeAlias = Array | np.ndarray[Any, Any]
Axis: TypeAlias = SupportsIndex | None
Axes: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | None
Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Size: TypeAlias = Shape | None
DType: TypeAlias = DTypeLike | None
Order: TypeAlias = Literal["C", "F", "A", "K"] | None
Device: TypeAlias = Literal["cpu"] | None
# For element-wise functions.
Operand: TypeAlias = ArrayLike
Out: TypeAlias = AnyArray | tuple[AnyArray | None] | None
Where: TypeAlias = ArrayLike
Cast: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
