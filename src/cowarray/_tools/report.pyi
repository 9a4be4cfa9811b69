from typing import Any, NamedTuple

from cowarray._face.ndarray import ndarray

__all__ = ["Explanation", "explain"]

class Explanation(NamedTuple):
    made: str
    nbytes: int
    window: int
    allocated: int
    shares: int
    pinned: bool
    foreign: bool
    next_write_copies: int
    why: str

def explain(x: ndarray[Any, Any], /) -> Explanation: ...
