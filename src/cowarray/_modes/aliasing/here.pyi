from contextvars import ContextVar

from cowarray._modes.common.entering import Entry

variable: ContextVar[Entry | None]

def alias_everywhere(change: int, /) -> None: ...
