from collections.abc import Callable
from typing import Any, TypeAlias

_Interceptor: TypeAlias = Callable[[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]

def register(function: _Interceptor | None, /) -> _Interceptor | None: ...
def watch_births(change: int, /) -> int: ...
