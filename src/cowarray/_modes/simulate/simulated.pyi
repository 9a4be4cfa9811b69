from collections.abc import Callable
from typing import Any

def dispatch(operation: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
