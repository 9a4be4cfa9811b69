from collections.abc import Callable
from typing import Any

beneath: Callable[[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any] | None

def dispatch(operation: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
