from typing import final

from cowarray._modes.budget.runs import Run
from cowarray._modes.common.dispatching import Handler

BY_NUMBER: frozenset[str]
everywhere: Run | None

@final
class BudgetsHandler(Handler): ...

def start(run: Run, /) -> None: ...
def stop(run: Run, /) -> None: ...
def count_block(change: int, run: Run, /) -> None: ...
