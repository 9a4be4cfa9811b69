from collections.abc import Callable
from typing import Any, Final

import numpy as np

NAMES: Final[frozenset[str]]

def legacy_function(name: str) -> Callable[..., Any]: ...

# Its methods have NumPy's parameters, and arrays of this library as results.
class RandomState(np.random.RandomState):
    def __init__(self, seed: Any = None) -> None: ...
    def __setstate__(self, state: Any) -> None: ...
    def __getattribute__(self, name: str, /) -> Any: ...
