from typing import Any

__all__ = ["NEEDED"]

NEEDED: Any
