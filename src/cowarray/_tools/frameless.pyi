from collections.abc import Callable
from typing import Any, final

@final
class Followed:
    __wrapped__: Callable[..., Any]
    def __init__(
        self,
        function: Callable[..., Any],
        then: Callable[..., Any],
        /,
        first: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None,
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def converting(function: Callable[..., Any], convert: Callable[[Any], Any], /) -> Callable[..., Any]: ...
def converting_item(method: Callable[..., None], convert: Callable[[Any], Any], /) -> Callable[..., None]: ...
def with_lent(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    taken_in: Callable[[Any], Any] | None = None,
    /,
) -> Any: ...

class Lending:
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any: ...
