from collections.abc import Callable
from typing import Any, Final, NamedTuple

__all__ = [
    "COPY",
    "FRESH",
    "KEYWORD_ONLY",
    "OPERATIONS",
    "OVERLAPPING",
    "SAME",
    "VIEW",
    "Operation",
    "Parameter",
    "Picks",
    "Row",
    "WritesIf",
    "is_numpys",
    "lookup",
    "method",
    "name_of",
]

VIEW: Final = "view"
SAME: Final = "same"
COPY: Final = "copy"
FRESH: Final = "fresh"

OVERLAPPING: Final = "overlapping"

class WritesIf(NamedTuple):
    written: str | Parameter
    flag: str | Parameter
    value: bool

class Picks(NamedTuple):
    way: str
    by: str | Parameter
    beside: str | Parameter = ""

class Row(NamedTuple):
    result: str = "fresh"
    writes: tuple[str, ...] = ()
    writes_if: WritesIf | None = None
    readonly: bool | str = False
    calls_user: bool = False
    overwrites_unless: str | Parameter = ""
    picks: Picks | None = None

class Parameter(NamedTuple):
    name: str
    position: int
    default: object = None

class Operation(NamedTuple):
    result: str = "fresh"
    writes: tuple[Parameter, ...] = ()
    writes_if: WritesIf | None = None
    readonly: bool | str = False
    calls_user: bool = False
    overwrites_unless: Parameter | None = None
    picks: Picks | None = None

SELF: Final = -1
KEYWORD_ONLY: Final = 1000000
OPERATIONS: dict[str, Row]

def name_of(function: Callable[..., Any]) -> str: ...
def lookup(function: Callable[..., Any]) -> Operation: ...
def is_numpys(function: Callable[..., Any]) -> bool: ...
def method(name: str) -> Operation: ...
