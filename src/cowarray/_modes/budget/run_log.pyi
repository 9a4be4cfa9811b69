import os
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import ClassVar, NamedTuple, Self

__all__ = [
    "Annotate",
    "Call",
    "Constant",
    "Copy",
    "CopyFrom",
    "Mutate",
    "Pin",
    "Release",
    "Result",
    "RunLog",
    "read_log",
]

class Constant(NamedTuple):
    name: str
    nbytes: int

class Result(NamedTuple):
    name: str
    nbytes: int
    alias: int

class Call(NamedTuple):
    operation: str
    results: tuple[Result, ...]
    args: tuple[str, ...]
    time: int

class Mutate(NamedTuple):
    operation: str
    args: tuple[str, ...]
    written: tuple[int, ...]
    time: int

class Copy(NamedTuple):
    to: str
    source: str

class CopyFrom(NamedTuple):
    to: str
    source: str

class Release(NamedTuple):
    name: str

class Pin(NamedTuple):
    name: str

class Annotate(NamedTuple):
    text: str

class RunLog:
    LEAST: ClassVar[int]
    def __init__(self, path: str | os.PathLike[str]) -> None: ...
    def constant(self, name: str, nbytes: int) -> None: ...
    def call(
        self, operation: str, results: Sequence[tuple[str, int, int]], args: Sequence[str], time_ns: int
    ) -> None: ...
    def mutate(self, operation: str, args: Sequence[str], written: Sequence[int], time_ns: int) -> None: ...
    def copy(self, to: str, source: str) -> None: ...
    def copy_from(self, to: str, source: str) -> None: ...
    def release(self, name: str) -> None: ...
    def pin(self, name: str) -> None: ...
    def annotate(self, text: str) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

def read_log(
    path: str | os.PathLike[str],
) -> Iterator[tuple[int, Constant | Call | Mutate | Copy | CopyFrom | Release | Pin | Annotate]]: ...
