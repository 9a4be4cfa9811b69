from collections.abc import Iterator
from types import TracebackType
from typing import NamedTuple, Self

from cowarray._native.errors import CopyError as CopyError
from cowarray._native.storage import Storage, Unread

__all__ = ["CopyError", "Sharer", "TraceEvent", "no_copy", "trace"]

class TraceEvent(NamedTuple):
    kind: str
    nbytes: int
    reason: str
    filename: str
    lineno: int

class Sharer(NamedTuple):
    kind: str
    filename: str
    lineno: int

def forbids_copy() -> bool: ...
def forbids_eager() -> bool: ...
def report(kind: str, nbytes: int, reason: str, unread: Unread | None = None) -> None: ...
def born(kind: str, storage: Storage) -> None: ...
def known_sharers(storage: Storage) -> tuple[Sharer, ...]: ...

class _Mode:
    def __init__(self) -> None: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...

class no_copy(_Mode):
    def __init__(self, *, eager: bool = False) -> None: ...
    def __enter__(self) -> Self: ...

class trace(_Mode):
    def __enter__(self) -> Self: ...
    def __iter__(self) -> Iterator[TraceEvent]: ...
    def __len__(self) -> int: ...
