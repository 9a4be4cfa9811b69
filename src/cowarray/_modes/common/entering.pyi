from collections.abc import Callable
from contextvars import ContextVar
from types import ModuleType
from typing import Any, ParamSpec, Self, TypeVar, final

from typing_extensions import disjoint_base

_P = ParamSpec("_P")
_R = TypeVar("_R")

@final
class Entry:
    @property
    def value(self) -> Any: ...
    @property
    def outer(self) -> Entry | None: ...
    @property
    def is_over(self) -> bool: ...

def holding(variable: ContextVar[Entry | None], /) -> list[Any]: ...
def innermost(variable: ContextVar[Entry | None], /) -> Any: ...

@disjoint_base
class Mode:
    def __init__(
        self,
        name: str,
        variable: ContextVar[Entry | None],
        value: object,
        counters: tuple[tuple[Callable[..., object], *tuple[Any, ...]], ...],
        blocks: ModuleType | None = None,
    ) -> None: ...
    def __enter__(self) -> Self: ...
    def __call__(self, function: Callable[_P, _R], /) -> Callable[_P, _R]: ...
    def __exit__(self, kind: object = None, error: object = None, traceback: object = None, /) -> None: ...
