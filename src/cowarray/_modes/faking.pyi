from collections.abc import Callable
from typing import Any

from cowarray._modes.calls import Call

__all__ = ["beneath", "travel"]

beneath: Callable[[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any] | None

def travel(operation: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
def follow(call: Call) -> Any: ...
