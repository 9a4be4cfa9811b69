from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["watch_imports"]

def watch_imports(
    is_left_alone: Callable[[ModuleType], bool], taken_in: Callable[[ModuleType], Callable[[Any], Any] | None]
) -> None: ...
