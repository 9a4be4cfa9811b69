from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from cowarray import ndarray
from cowarray._modes.common.entering import Mode

__all__ = ["deferred", "deferred_init", "is_deferred", "materialize"]

_P = ParamSpec("_P")
_T = TypeVar("_T")

class deferred(Mode):
    def __init__(self, strict: bool = False, at_least: int = 0) -> None: ...

def deferred_init(fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T: ...
def is_deferred(obj: object, /) -> bool: ...
def materialize(
    obj: _T,
    /,
    where: Callable[[ndarray], Any] | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> _T: ...
