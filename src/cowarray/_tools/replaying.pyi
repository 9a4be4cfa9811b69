import os
from collections.abc import Sequence
from typing import Any, Final, Literal

from cowarray._modes.budget.replaying import Replayed

__all__ = ["FORMAT", "run"]

FORMAT: Final[str]

def run(
    path: str | os.PathLike[str],
    budgets: Sequence[int],
    heuristics: Sequence[str] = ("dtr",),
    *,
    small: int = 0,
    sample: bool = False,
    seed: int = 0,
    remat_limit: float = 100.0,
    end: Literal["remake", "keep"] = "remake",
    as_json: bool = False,
) -> int: ...
def described(found: Replayed) -> dict[str, Any]: ...
def written_out(path: str | os.PathLike[str], without: Replayed, runs: Sequence[tuple[int, str, Replayed]]) -> str: ...
