from collections.abc import Callable
from typing import Any, final

@final
class Followed:
    __wrapped__: Callable[..., Any]
    def __init__(self, function: Callable[..., Any], then: Callable[..., Any], /) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
