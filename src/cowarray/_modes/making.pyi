from threading import RLock
from typing import Any

from cowarray._modes.recipes import Recipe

__all__ = ["flat", "make", "making"]

def flat(result: object) -> list[Any]: ...
def make(recipe: Recipe) -> None: ...
def making() -> RLock: ...
