from collections.abc import Callable
from typing import Any

def runs_user_code(function: Callable[..., Any], /) -> bool: ...
def written_by(
    operation: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], /
) -> list[Any]: ...
