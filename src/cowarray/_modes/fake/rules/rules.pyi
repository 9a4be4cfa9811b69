from collections.abc import Callable, Iterable
from typing import Any, Final

from cowarray._modes.fake.calls import Call

__all__ = ["CODE", "ELEMENTWISE", "KINDS", "RULE", "RULES", "VALUES", "VIEWS", "enter", "kind_of", "rule"]

VIEWS: Final[str]
ELEMENTWISE: Final[str]
CODE: Final[str]
RULE: Final[str]
VALUES: Final[str]

RULES: dict[str, Callable[[Call], Any]]
KINDS: dict[str, str]

def enter(names: str | Iterable[str], function: Callable[[Call], Any], kind: str) -> None: ...
def rule(*operations: str, kind: str = ...) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]: ...
def kind_of(operation: str) -> str | None: ...
