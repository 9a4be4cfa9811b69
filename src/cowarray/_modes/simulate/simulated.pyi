from collections.abc import Callable
from typing import Any

def travel(operation: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
