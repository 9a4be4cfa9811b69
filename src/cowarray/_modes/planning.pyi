from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from cowarray._face.ndarray import ndarray
from cowarray._modes.divergences import Site

__all__ = ["Line", "fake", "fake_like", "is_fake"]

_Shape = TypeVar("_Shape", bound=tuple[Any, ...])
_DType = TypeVar("_DType", bound=np.dtype[Any])

class Line(NamedTuple):
    site: Site
    peak_bytes: int
    live_bytes: int
    bytes_copied: int

class fake:
    def __init__(self, real: int = 0) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...
    @property
    def peak_bytes(self) -> int: ...
    @property
    def live_bytes(self) -> int: ...
    @property
    def bytes_copied(self) -> int: ...
    @property
    def peak_site(self) -> Site | None: ...
    @property
    def series(self) -> list[tuple[int, int]]: ...
    @property
    def lines(self) -> list[Line]: ...
    def _repr_html_(self) -> str: ...

def is_fake(x: object, /) -> bool: ...
@overload
def fake_like(x: ndarray[_Shape, _DType], /) -> ndarray[_Shape, _DType]: ...
@overload
def fake_like(x: ArrayLike, /) -> ndarray[Any, Any]: ...
@overload
def fake_like(x: ArrayLike, y: ArrayLike, /, *arrays: ArrayLike) -> tuple[ndarray[Any, Any], ...]: ...
