from collections.abc import Callable
from typing import Any, Final, NamedTuple

__all__ = ["COPY", "FRESH", "OPERATIONS", "SAME", "VIEW", "Operation", "lookup"]

VIEW: Final = "view"
SAME: Final = "same"
COPY: Final = "copy"
FRESH: Final = "fresh"

class Operation(NamedTuple):
    result: str = "fresh"
    writes: tuple[tuple[str, int], ...] = ()
    writes_if: tuple[()] | tuple[str, int, str, int, bool, bool] = ()
    readonly: bool = False
    calls_user: bool = False

OPERATIONS: dict[str, Operation]

def lookup(function: Callable[..., Any]) -> Operation: ...
