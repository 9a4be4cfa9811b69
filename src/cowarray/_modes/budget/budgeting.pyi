from collections.abc import Iterable
from os import PathLike
from typing import Final, Literal, Self, TypeVar

from cowarray._face.ndarray import ndarray
from cowarray._modes.common.entering import Mode

__all__ = ["budget", "checkpoint", "decheckpoint", "evict", "is_checkpointed"]

_Array = TypeVar("_Array", bound=ndarray)

class budget(Mode):
    def __init__(
        self,
        nbytes: int | str,
        *,
        heuristic: Literal["dtr", "local", "lru", "size", "random"] = ...,
        cost: Literal["clock", "model"] = ...,
        spill: str | PathLike[str] | None = ...,
        log: str | PathLike[str] | None = ...,
        verify: bool = ...,
        keep: Iterable[str] = ...,
        recompute: Iterable[str] = ...,
        sample: bool = ...,
        small: int | str = ...,
    ) -> None: ...
    def start(self) -> Self: ...
    def stop(self) -> None: ...
    def stats(self) -> dict[str, float]: ...
    base_time: Final[float]
    remat_time: Final[float]
    search_time: Final[float]
    evictions: Final[int]
    remakes: Final[int]
    spills: Final[int]
    spilled_bytes: Final[int]
    peak_bytes: Final[int]
    live_bytes: Final[int]

def checkpoint(x: _Array, /) -> _Array: ...
def is_checkpointed(x: object, /) -> bool: ...
def decheckpoint(x: _Array, /) -> _Array: ...
def where_away(x: ndarray) -> str: ...
def evict(x: ndarray, /) -> None: ...
