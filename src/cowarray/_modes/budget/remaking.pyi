from typing import Any, final

from cowarray._modes.budget.runs import ManagedNode

@final
class Frame: ...

def as_recorded(node: ManagedNode, args: list[Any], kwargs: dict[str, Any], values: dict[Any, Any], /) -> Any: ...
