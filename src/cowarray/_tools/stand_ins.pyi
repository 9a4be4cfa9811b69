from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Site", "StandIns", "ndarray", "taken_in", "with_lent"]

class Site(NamedTuple):
    filename: str
    lineno: int

def taken_in(value: Any) -> Any: ...
def with_lent(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    taken_in: Callable[[Any], Any] | None = None,
) -> Any: ...

ndarray: type[np.ndarray[Any, Any]]

class StandIns:
    borrowed: dict[str, Site]
    def __init__(self, replaced: dict[Any, Any] | None = None) -> None: ...
    def replacing(self, value: object) -> Any: ...
    def known(self, value: object) -> Any: ...
    def of(self, module: ModuleType, *, quiet: bool = False) -> ModuleType: ...
    def note(self, name: str) -> None: ...
