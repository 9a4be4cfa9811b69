from collections.abc import Callable, Sequence
from typing import Any, Literal, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from cowarray._face.attributes import FlatIterator

def apply_along_axis(
    func1d: Callable[..., Any], axis: SupportsIndex, arr: ArrayLike, *args: Any, **kwargs: Any
) -> Any: ...
def apply_over_axes(
    func: Callable[[Any, int], Any], a: ArrayLike, axes: SupportsIndex | Sequence[SupportsIndex]
) -> Any: ...
def piecewise(x: ArrayLike, condlist: ArrayLike, funclist: Sequence[Any], *args: Any, **kw: Any) -> Any: ...

class vectorize(np.vectorize):
    __module__: Literal["cowarray"] = "cowarray"  # type: ignore[assignment]
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class ndenumerate:
    iter: FlatIterator
    def __init__(self, arr: ArrayLike) -> None: ...
    def __next__(self) -> tuple[tuple[int, ...], Any]: ...
    def __iter__(self) -> Self: ...
