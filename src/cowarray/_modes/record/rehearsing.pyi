from collections.abc import Callable
from typing import Any

from typing_extensions import disjoint_base

from cowarray._modes.common.site import Site
from cowarray._modes.fake.calls import Call

beneath: Callable[..., Any] | None

@disjoint_base
class Rehearsal:
    @property
    def site(self) -> Site: ...

class RehearsedCall(Call): ...

def dispatch(operation: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
