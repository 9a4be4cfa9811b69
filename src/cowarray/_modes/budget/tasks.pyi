from typing import Any, final

from cowarray._modes.budget.runs import Run
from cowarray._modes.common.site import Site
from cowarray._modes.record.nodes import Reference, Version
from cowarray._modes.record.rehearsing import Rehearsal

@final
class Outlook(Rehearsal): ...

@final
class Task: ...

def hold_arguments(
    run: Run,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    versions: dict[Version, None],
    known: dict[int, Reference],
    site: Site,
) -> tuple[list[Any], dict[str, Any]]: ...
