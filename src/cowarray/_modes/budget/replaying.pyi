from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

__all__ = ["Replayed", "Stopped", "replay"]

class Stopped(NamedTuple):
    line: int
    operation: str
    reason: str

class Replayed(NamedTuple):
    operations: int
    base_time: int
    remat_time: int
    peak_bytes: int
    live_bytes: int
    constant_bytes: int
    evictions: int
    remakes: int
    repeats: int
    searches: int
    looked: int
    stopped: Stopped | None
    @property
    def compute_ratio(self) -> float: ...

def replay(
    records: Iterable[tuple[int, Any]],
    budget: int | None,
    heuristic: str = "dtr",
    *,
    small: int = 0,
    sample: bool = False,
    seed: int = 0,
    remat_limit: float | None = None,
    end: Literal["remake", "keep"] = "remake",
) -> Replayed: ...
