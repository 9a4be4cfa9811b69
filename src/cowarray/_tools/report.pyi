from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cowarray._face.ndarray import ndarray
from cowarray._modes.copies import Sharer
from cowarray._tools.relatives import Relative

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
    relatives: tuple[Relative, ...] = ...
    def _repr_html_(self) -> str: ...
    def mermaid(self) -> str: ...
    def graphviz(self) -> str: ...
    def svg(self) -> str: ...

def explain(x: ndarray[Any, Any], /, among: Mapping[str, object] | Sequence[object] = ...) -> Explanation: ...
