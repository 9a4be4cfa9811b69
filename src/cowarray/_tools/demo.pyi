from os import PathLike
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray

__all__ = ["run"]

BLOCK: int
LARGEST: int
PEAK: int
QUICK: int
ROUNDS: int
SMALL: int
SNAPSHOTS: int

class UnusableFile(Exception): ...

def run(file: str | PathLike[str] | None = None) -> int: ...
def load(path: PathLike[str]) -> np.ndarray[Any, Any]: ...
def equal(ours: ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> bool: ...
def show_bytes(count: int) -> str: ...
def show_time(seconds: float) -> str: ...
