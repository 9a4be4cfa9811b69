from collections.abc import Sequence
from typing import Any

from cowarray._face.ndarray import ndarray

__all__ = ["model_cost"]

def model_cost(operation: str, args: tuple[Any, ...], results: Sequence[tuple[int, ndarray]], writes: bool) -> int: ...
