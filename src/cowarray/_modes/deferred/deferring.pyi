from collections.abc import Callable
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from cowarray import ndarray

__all__ = ["deferred", "deferred_init", "is_deferred", "materialize"]

_P = ParamSpec("_P")
_T = TypeVar("_T")

class deferred:
    def __init__(self, strict: bool = False, at_least: int = 0) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...

def deferred_init(fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T: ...
def is_deferred(obj: object, /) -> bool: ...
def materialize(
    obj: _T,
    /,
    where: Callable[[ndarray], Any] | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> _T: ...
