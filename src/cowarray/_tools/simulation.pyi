from collections.abc import Mapping
from os import PathLike
from typing import Any, Final

import cowarray
from cowarray._tools.programs import Program
from cowarray._tools.stand_ins import Site

__all__ = ["FORMAT", "run"]

FORMAT: Final[str]

def run(
    program: Program,
    *,
    error: bool = False,
    exact: bool = False,
    as_json: bool = False,
    output: str | PathLike[str] | None = None,
) -> int: ...
def described(
    program: Program, found: cowarray.simulate, borrowed: Mapping[str, Site], exact: bool, status: int
) -> dict[str, Any]: ...
def mend(copied_by: str) -> str: ...
def written_out(report: Mapping[str, Any], folder: str) -> str: ...
