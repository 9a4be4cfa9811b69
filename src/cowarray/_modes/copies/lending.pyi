from types import TracebackType
from typing import Any, Self

from cowarray._face.ndarray import ndarray

__all__ = ["lend"]

class lend:
    def __init__(self, *arrays: ndarray[Any, Any]) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...
