from typing import Any, NamedTuple

from cowarray._face.ndarray import ndarray
from cowarray._modes.copies import Sharer

__all__ = ["Explanation", "explain"]

class Explanation(NamedTuple):
    made: str
    nbytes: int
    window: int
    allocated: int
    shares: int
    sharers: tuple[Sharer, ...]
    readonly: bool
    pinned: bool
    foreign: bool
    next_write_copies: int
    why: str
    away: str = ...
    by_page: bool = ...
    own: int = ...

def explain(x: ndarray[Any, Any], /) -> Explanation: ...
