from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any, TypeVar

from cowarray._modes.common.entering import Entry
from cowarray._modes.common.thread import Instead

_T = TypeVar("_T")

variable: ContextVar[Entry | None]

def current() -> Any: ...
def call_in(
    block: object, function: Callable[..., _T], args: tuple[Any, ...], kwargs: dict[str, Any], bearing: bool = False
) -> _T: ...
def enter(entry: Entry, /) -> list[Token[Any] | Instead | None]: ...
def leave(entered: list[Token[Any] | Instead | None], is_innermost: bool, /) -> None: ...
