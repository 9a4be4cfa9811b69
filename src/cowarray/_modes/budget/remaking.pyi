from typing import Any, final

from cowarray._modes.record.nodes import Node

class NoRoom(Exception): ...

@final
class Frame: ...

def as_recorded(node: Node, args: list[Any], kwargs: dict[str, Any], values: dict[Any, Any], /) -> Any: ...
