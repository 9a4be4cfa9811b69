from contextvars import ContextVar
from typing import final

from cowarray import ndarray
from cowarray._modes.common.entering import Entry

variable: ContextVar[Entry | None]

@final
class Step: ...

def aliases_here() -> bool: ...
def watched_alias(view: ndarray, operation: str) -> ndarray | None: ...
def exported(x: ndarray) -> None: ...
