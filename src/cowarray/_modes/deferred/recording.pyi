from typing import Self, final

from cowarray._modes.common.dispatching import Handler
from cowarray._modes.record.draws import Waiting
from cowarray._modes.record.nodes import Node
from cowarray._modes.record.rehearsing import Rehearsal

@final
class Deferral:
    def __new__(cls, strict: bool, at_least: int) -> Self: ...
    @property
    def strict(self) -> bool: ...
    @property
    def at_least(self) -> int: ...

@final
class Recording(Rehearsal): ...

def note_draw(node: Node, waiting: Waiting) -> None: ...

@final
class DeferralsHandler(Handler): ...
