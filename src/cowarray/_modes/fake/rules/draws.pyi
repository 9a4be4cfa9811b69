from typing import Any

__all__ = ["rule_of_draw"]

def rule_of_draw(function: Any) -> Any: ...
