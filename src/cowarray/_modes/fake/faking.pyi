from typing import Any

from cowarray._modes.fake.calls import Call

__all__ = ["follow"]

def follow(call: Call) -> Any: ...
