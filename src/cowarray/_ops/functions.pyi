from collections.abc import Callable
from typing import Any

def dispatched(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any: ...
def dispatched_function(
    function: Callable[..., Any], declared: Callable[..., Any], arrays: int, /
) -> Callable[..., Any]: ...
