from collections.abc import Callable
from typing import Any
from weakref import ReferenceType

import numpy as np

from cowarray._modes.record.nodes import Version
from cowarray.random import Generator

__all__ = ["NotRecorded", "State", "draw_of", "repeated", "rest", "rest_after"]

settle: Callable[[State], object] | None

class NotRecorded(Exception): ...

class State:
    generator: np.random.Generator
    latest: Version | None
    owner: ReferenceType[Generator]
    def __init__(self, owner: Generator, generator: np.random.Generator) -> None: ...

class Waiting:
    state: State
    def __init__(self, state: State) -> None: ...
    def settle(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class Draw:
    replay: Callable[..., Any]
    state: State
    def __init__(self, state: State, name: str) -> None: ...
    def is_possible(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool: ...

def draw_of(function: Callable[..., Any]) -> Draw | None: ...
def repeated(draw: Draw) -> Callable[..., Any]: ...
def rest(state: State) -> None: ...
def rest_after(generator: np.random.Generator) -> None: ...
