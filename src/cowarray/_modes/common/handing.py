"""Who is handed operations where several modes want them: one after the other, in one order."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from cowarray._ops.operands import register

__all__ = ["hand_to"]

# Each hands what is no concern of its own to the next.
_ORDER = ("deferral", "fakes", "budget", "simulation")
_roads: dict[str, Any] = {}


def hand_to(mode: str, road: ModuleType) -> None:
    """Have operations handed to a mode, too.

    Parameters
    ----------
    mode : str
        One of "deferral", "fakes", "budget", "simulation".
    road : module
        With a function ``travel(operation, function, args, kwargs)``, and a variable ``beneath`` for the one that is
        handed what is no concern of its own.
    """
    _roads[mode] = road
    travel: Callable[..., Any] | None = None
    for each in reversed(_ORDER):
        if each in _roads:
            _roads[each].beneath = travel
            travel = _roads[each].travel
    register(travel)
