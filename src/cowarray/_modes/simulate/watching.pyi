from contextvars import ContextVar
from typing import final

from cowarray import ndarray
from cowarray._modes.simulate.shadows import Run

innermost: ContextVar[Run | None]

@final
class Step: ...

def aliases_here() -> bool: ...
def watched_alias(view: ndarray, operation: str) -> ndarray | None: ...
def exported(x: ndarray) -> None: ...
