from typing import Any

__all__ = ["by_operations"]

def by_operations(*operations: Any) -> Any: ...
