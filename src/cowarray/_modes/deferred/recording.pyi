from collections.abc import Callable
from typing import Any, Self, final

from cowarray._modes.fake.calls import Call
from cowarray._modes.simulate.divergences import Site

beneath: Callable[..., Any] | None

@final
class Deferral:
    def __new__(cls, strict: bool, at_least: int) -> Self: ...
    @property
    def strict(self) -> bool: ...
    @property
    def at_least(self) -> int: ...

@final
class Seen:
    @property
    def site(self) -> Site: ...

class DryCall(Call): ...

def travel(operation: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
