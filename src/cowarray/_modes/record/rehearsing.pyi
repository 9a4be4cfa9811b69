from typing import final

from typing_extensions import disjoint_base

from cowarray._modes.common.dispatching import Handler
from cowarray._modes.common.site import Site
from cowarray._modes.fake.calls import Call

@disjoint_base
class Rehearsal:
    @property
    def site(self) -> Site: ...

class RehearsedCall(Call): ...

@final
class RehearsalsHandler(Handler): ...
