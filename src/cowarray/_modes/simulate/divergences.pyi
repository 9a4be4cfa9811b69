from typing import NamedTuple

__all__ = ["AliasingError", "AliasingWarning", "Divergence", "Site"]

class Site(NamedTuple):
    filename: str
    lineno: int

class Divergence(NamedTuple):
    kind: str
    operation: str
    nbytes: int
    made: Site
    written: Site
    accessed: Site
    times: int = ...
    differed: bool | None = ...
    copied_by: str = ...

class AliasingWarning(UserWarning):
    divergence: Divergence
    def __init__(self, divergence: Divergence) -> None: ...

class AliasingError(RuntimeError):
    divergence: Divergence
    def __init__(self, divergence: Divergence) -> None: ...
