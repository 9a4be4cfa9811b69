from typing import Any

__all__ = ["rule_of"]

def rule_of(function: Any) -> Any: ...
