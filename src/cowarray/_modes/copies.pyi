from collections.abc import Iterator
from types import TracebackType
from typing import NamedTuple, Self

from cowarray._native.errors import CopyError as CopyError

__all__ = ["CopyError", "Materialization", "no_copy", "trace"]

class Materialization(NamedTuple):
    kind: str
    nbytes: int
    filename: str
    lineno: int

def forbids_copy() -> bool: ...
def report(kind: str, nbytes: int) -> None: ...

class _Mode:
    def __init__(self) -> None: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...

class no_copy(_Mode):
    def __enter__(self) -> Self: ...

class trace(_Mode):
    def __enter__(self) -> Self: ...
    def __iter__(self) -> Iterator[Materialization]: ...
    def __len__(self) -> int: ...
