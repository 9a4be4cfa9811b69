"""Run recorded operations, one thread at a time: on their recorded arguments, with results laid out as recorded."""

import threading
from typing import Any

from cowarray._chapters.creation import zeros
from cowarray._face.ndarray import ndarray
from cowarray._modes.record.nodes import Reference, Version, clone, has_outline, has_room, lay
from cowarray._native.fork_locks import new_fork_lock
from cowarray._native.storage import Storage
from cowarray._ops.conversion import asarray

__all__ = ["NotAsForetold", "flat", "laid", "making", "rebuilt"]


class NotAsForetold(RuntimeError):
    """An operation's result differs from the one that the rules inferred: an error of cowarray."""


# One thread makes arrays; the others wait, without holding the GIL.
_lock = new_fork_lock()


def making() -> threading.RLock:
    """Return the lock to hold while making something, or recording what is to be made.

    Returns
    -------
    RLock
    """
    return _lock


def flat(result: object) -> list[Any]:
    """Return the items of a nested result, in order."""
    if isinstance(result, (tuple, list)):
        return [each for item in result for each in flat(item)]
    return [result]


def rebuilt(value: Any, values: dict[Version, Any]) -> Any:
    """Return a recorded argument with each `Reference` replaced by its array, on the given bytes."""
    kind = type(value)
    if kind is Reference:
        return value.on(values[value.version])
    if kind is list or kind is tuple:
        return kind([rebuilt(item, values) for item in value])
    if kind is dict:
        return {name: rebuilt(item, values) for name, item in value.items()}
    return value


def laid(made: Any, outline: tuple[ndarray, int], values: dict[Version, Any]) -> Storage:
    """Return a Storage in which a result lies as its outline says; never one of the values'."""
    if type(made) is not ndarray:
        # A NumPy scalar. Text has its own length, so it is converted to its array's dtype.
        made = asarray(made, outline[0].dtype if isinstance(made, (str, bytes)) else None)
    if has_outline(made, outline):
        storage = made.storage
        return clone(storage) if storage in values.values() else storage
    place = outline[0]
    if made.shape != place.shape or made.dtype != place.dtype:
        raise NotAsForetold(
            f"{made.dtype} of shape {made.shape} came where {place.dtype} of shape {place.shape} was foretold: "
            "this is an error of cowarray"
        )
    if not has_room(outline):
        raise NotAsForetold(
            f"elements of {place.dtype} of shape {place.shape}, {place.strides} bytes apart, were foretold to lie in "
            f"{outline[1]} bytes: this is an error of cowarray"
        )
    copy = lay(outline, zeros(outline[1], "u1").storage)
    copy[...] = made
    return copy.storage
