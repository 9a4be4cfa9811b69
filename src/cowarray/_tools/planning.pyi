from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Final

import cowarray
from cowarray._tools import stand_ins
from cowarray._tools.programs import ImportRule, Program

__all__ = ["FORMAT", "Stop", "program", "run"]

FORMAT: Final[str]

def program(
    target: str, arguments: Sequence[str] = (), *, module: bool = False, include: Sequence[str] = ()
) -> Program: ...
def run(
    program: Program,
    *,
    real: int = 4096,
    limit: int | None = None,
    as_json: bool = False,
    output: str | PathLike[str] | None = None,
) -> int: ...

class Stop:
    site: cowarray.Site | None
    kind: str
    message: str
    refused: dict[str, Any] | None
    def __init__(self, error: BaseException, rule: ImportRule) -> None: ...

def described(
    program: Program,
    plan: cowarray.fake,
    stops: Sequence[Stop],
    borrowed: Mapping[str, stand_ins.Site],
    real: int,
    limit: int | None,
    status: int,
) -> dict[str, Any]: ...
def written_out(report: Mapping[str, Any], plan: cowarray.fake, place: Any) -> str: ...
