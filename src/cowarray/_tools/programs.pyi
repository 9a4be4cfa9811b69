from collections.abc import Callable, Sequence
from types import CodeType, FrameType, ModuleType
from typing import Any

from cowarray._tools.stand_ins import StandIns

__all__ = ["CannotRun", "Program", "run"]

class CannotRun(Exception): ...

class Program:
    target: str
    arguments: list[str]
    module: bool
    include: tuple[str, ...]
    replacing: Callable[[], dict[Any, Any]]
    def __init__(
        self,
        target: str,
        arguments: Sequence[str] = (),
        *,
        module: bool = False,
        include: Sequence[str] = (),
        replacing: Callable[[], dict[Any, Any]] = ...,
    ) -> None: ...
    def prepare(self) -> ImportRule: ...
    def load(self) -> tuple[CodeType, ModuleType]: ...

class ImportRule:
    folder: str
    include: tuple[str, ...]
    replacing: Callable[[], dict[Any, Any]]
    stand_ins: StandIns
    def __init__(self, folder: str, include: Sequence[str], replacing: Callable[[], dict[Any, Any]] = ...) -> None: ...
    def covers(self, space: dict[str, Any] | None, frame: FrameType | None) -> bool: ...
    def tell(self, told: object) -> None: ...
    def has(self, file: str) -> bool: ...
    def install(self) -> None: ...

def run(
    program: Program,
    enter: Callable[[], object],
    finish: Callable[[int, ImportRule], int],
    failed: Callable[[ImportRule, BaseException], object] | None = None,
) -> int: ...
def clean(error: BaseException | None) -> None: ...
