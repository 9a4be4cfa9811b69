from types import CodeType

from cowarray import Site

def spot() -> tuple[Site, tuple[CodeType, int] | None]: ...
