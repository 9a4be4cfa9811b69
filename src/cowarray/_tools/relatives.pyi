from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from cowarray._face.ndarray import ndarray

__all__ = ["Relative", "relatives_of"]

ITSELF: Final[str]
VIEW: Final[str]
COPY: Final[str]
SNAPSHOT: Final[str]
MEMORY: Final[str]

class Relative(NamedTuple):
    name: str
    kind: str
    storage: int | None
    nbytes: int

def relatives_of(x: ndarray[Any, Any], among: Mapping[str, object] | Sequence[object]) -> tuple[Relative, ...]: ...
