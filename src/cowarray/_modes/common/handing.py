"""Who is handed operations where several modes want them: one after the other, in one order."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from cowarray._ops.operands import register

__all__ = ["hand_to"]

# Each passes on to the next what it does not do itself.
_ORDER = ("rehearsals", "deferral", "fakes", "budget", "simulation")
_roads: dict[str, Any] = {}


def hand_to(**roads: ModuleType) -> None:
    """Hand operations to modes.

    Parameters
    ----------
    **roads : module
        By mode: "rehearsals", "deferral", "fakes", "budget", "simulation". Each with a function
        ``dispatch(operation, function, args, kwargs)``, and a variable ``beneath`` for the function to which it passes
        on.
    """
    _roads.update(roads)
    dispatch: Callable[..., Any] | None = None
    for each in reversed(_ORDER):
        if each in _roads:
            _roads[each].beneath = dispatch
            dispatch = _roads[each].dispatch
    register(dispatch)
