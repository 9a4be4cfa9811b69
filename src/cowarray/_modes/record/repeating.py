"""Doing recorded operations, one thread at a time: their arguments as they were, their results as outlined."""

import threading
from typing import Any

from cowarray._chapters.creation import zeros
from cowarray._face.ndarray import ndarray
from cowarray._modes.record.nodes import Reference, Version, clone, lay, lies_as
from cowarray._native.fork_locks import new_fork_lock
from cowarray._native.storage import Storage
from cowarray._ops.conversion import asarray

__all__ = ["NotAsForetold", "flat", "laid", "making", "rebuilt"]


class NotAsForetold(RuntimeError):
    """An operation gave something else than the rules have said: an error of cowarray."""


# One thread makes, the others wait; none of them holds the GIL meanwhile.
_lock = new_fork_lock()


def making() -> threading.RLock:
    """The lock of whoever makes something, or notes what is to be made.

    Returns
    -------
    RLock
    """
    return _lock


def flat(result: object) -> list[Any]:
    """What a result has in it, in order."""
    if isinstance(result, (tuple, list)):
        return [each for item in result for each in flat(item)]
    return [result]


def rebuilt(value: Any, values: dict[Version, Any]) -> Any:
    """An argument as it was recorded, on the bytes that are there now."""
    kind = type(value)
    if kind is Reference:
        return value.on(values[value.version])
    if kind is list or kind is tuple:
        return kind([rebuilt(item, values) for item in value])
    if kind is dict:
        return {name: rebuilt(item, values) for name, item in value.items()}
    return value


def laid(made: Any, outline: tuple[ndarray, int], values: dict[Version, Any]) -> Storage:
    """The Storage of a result, in which it lies as its outline says: of its own, and none of the values'."""
    if type(made) is not ndarray:
        # NumPy's scalar; text is as long as it is, and not as its array has room for.
        made = asarray(made, outline[0].dtype if isinstance(made, (str, bytes)) else None)
    if lies_as(made, outline):
        storage = made.storage
        return clone(storage) if storage in values.values() else storage
    place = outline[0]
    if made.shape != place.shape or made.dtype != place.dtype:
        raise NotAsForetold(
            f"{made.dtype} of shape {made.shape} came where {place.dtype} of shape {place.shape} was foretold: "
            "this is an error of cowarray"
        )
    copy = lay(outline, zeros(outline[1], "u1").storage)
    copy[...] = made
    return copy.storage
