from collections.abc import Callable
from typing import Any

from cowarray._modes.calls import Call

__all__ = ["rule_of"]

def rule_of(function: Callable[..., Any]) -> Callable[[Call], Any] | None: ...
