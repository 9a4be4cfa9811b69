from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from cowarray._face.ndarray import ndarray
from cowarray._modes.fakes import Ledger, Origin
from cowarray._modes.layouts import Layout
from cowarray._modes.refusals import FakeError

__all__ = ["Block", "Call", "disown", "innermost"]

innermost: ContextVar[Block | None]

class Block:
    ledger: Ledger
    real: int
    origin: Origin | None
    assumed: frozenset[str] | None
    def __init__(
        self, ledger: Ledger, real: int, origin: Origin | None = None, assumed: frozenset[str] | None = None
    ) -> None: ...

class Call:
    operation: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    block: Block
    faked: ndarray | None
    def __init__(
        self,
        operation: str,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        block: Block | None,
        faked: ndarray | None,
    ) -> None: ...
    @property
    def origin(self) -> Origin: ...
    def compute(self) -> Any: ...
    def forgotten(self) -> Any: ...
    def is_large(self, x: Any) -> bool: ...
    def is_written(self, x: Any) -> bool: ...
    def mapped(self, x: Any) -> ndarray: ...
    def resized(self, x: ndarray, shape: Any) -> None: ...
    def give(self, *layouts: Layout) -> Any: ...
    def view(self, *arrays: ndarray) -> Any: ...
    def copy(self) -> Any: ...
    def writes(self, x: Any, whole: bool = False, text: bool = False) -> bool: ...
    def refusal(self, reason: str, advice: str = "") -> FakeError: ...
    def header(self, value: Any) -> Any: ...

def disown(result: object) -> None: ...
