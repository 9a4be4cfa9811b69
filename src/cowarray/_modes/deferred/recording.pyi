from typing import Self, final

from cowarray._modes.common.dispatching import Handler
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

@final
class DeferralsHandler(Handler): ...
