from _thread import RLock
from threading import Condition
from typing import Any, Self, final

from typing_extensions import disjoint_base

from cowarray._modes.budget.pools import Pool, Pools
from cowarray._modes.budget.run_log import RunLog
from cowarray._modes.budget.spilling import Spill
from cowarray._modes.common.site import Site
from cowarray._modes.record.nodes import Node, Traced, Version

guard: RLock
ended: Condition

@disjoint_base
class Run:
    is_over: bool
    base_time: float
    remat_time: float
    search_time: float
    def __new__(
        cls,
        pools: Pools,
        by_model: bool,
        verify: bool,
        log: RunLog | None,
        spill: Spill | None,
        keep: frozenset[str],
        recompute: frozenset[str],
    ) -> Self: ...
    @property
    def pools(self) -> Pools: ...
    @property
    def by_model(self) -> bool: ...
    @property
    def verify(self) -> bool: ...
    @property
    def log(self) -> RunLog | None: ...
    @property
    def spill(self) -> Spill | None: ...
    @property
    def keep(self) -> frozenset[str]: ...
    @property
    def recompute(self) -> frozenset[str]: ...
    def finish(self) -> None: ...
    def largest_constants(self) -> str: ...
    def lines_kept(self) -> dict[str, int]: ...
    def stats(self) -> dict[str, Any]: ...

@final
class Allocation(Pool):
    @property
    def run(self) -> Run: ...
    @property
    def site(self) -> Site: ...
    @property
    def why(self) -> str | None: ...

@final
class ManagedVersion(Version): ...

@final
class ManagedNode(Node): ...

@final
class Managed(Traced):
    @property
    def unit(self) -> Allocation: ...
