from collections.abc import Callable
from os import PathLike
from typing import Any

from cowarray._modes.simulate.divergences import Site
from cowarray._tools import stand_ins
from cowarray._tools.programs import ImportRule, Program

__all__ = ["cut", "head", "line_of", "names", "run"]

def run(
    command: str,
    program: Program,
    enter: Callable[[], object],
    report: Callable[[int, ImportRule], tuple[str, int]],
    *,
    output: str | PathLike[str] | None = None,
    failed: Callable[[ImportRule, BaseException], object] | None = None,
) -> int: ...
def head(form: str, program: Program, status: int, exit_status: int) -> dict[str, Any]: ...
def line_of(site: Site | stand_ins.Site) -> dict[str, Any]: ...
def names(folder: str) -> Callable[[dict[str, Any]], str]: ...
def cut(code: str) -> str: ...
