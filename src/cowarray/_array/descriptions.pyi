from typing import Any

import numpy as np

__all__ = ["describe", "described"]

def describe(dtype: np.dtype[Any], depth: int = 0) -> str | tuple[Any, ...] | None: ...
def described(description: object, depth: int = 0) -> np.dtype[Any]: ...
