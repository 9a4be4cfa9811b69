from collections.abc import Callable
from typing import Any

from cowarray._modes.calls import Call

__all__ = ["RULES", "rule"]

RULES: dict[str, Callable[[Call], Any]]

def rule(*operations: str) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]: ...
