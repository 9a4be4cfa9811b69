from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["replaced"]

def replaced() -> dict[Any, Any]: ...

load: Callable[..., Any]
fromfile: Callable[..., Any]
open_memmap: Callable[..., Any]

class memmap(np.memmap[Any, Any]):
    def __new__(
        cls, filename: Any, dtype: Any = ..., mode: Any = "r+", offset: int = 0, shape: Any = None, order: Any = "C"
    ) -> Any: ...
