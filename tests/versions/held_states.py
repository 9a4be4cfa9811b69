"""What histories keep in tests."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

LARGE = (1200, 1000)  # doubles: an array by the page
SIZES = [(40, 30), LARGE]


@dataclass(frozen=True)
class Pair:
    first: Any
    second: Any


@dataclass(slots=True)
class Slotted:
    x: Any


class Point(NamedTuple):
    x: Any
    y: Any


def said(state):
    """A state as text and bytes, to compare."""
    if isinstance(state, dict):
        return type(state), [(key, said(item)) for key, item in state.items()]
    if isinstance(state, (list, tuple)):
        return type(state), [said(item) for item in state]
    if hasattr(state, "__dataclass_fields__"):
        return type(state), [(name, said(getattr(state, name))) for name in state.__dataclass_fields__]
    if hasattr(state, "shape"):
        return state.shape, np.asarray(state).dtype, np.asarray(state).tobytes()
    return type(state), repr(state)


def all_of(history):
    """Everything that a caller can see."""
    versions = {version.number: said(history[version.number]) for version in history.log()}
    return said(history.state), history.version, history.branch_name, history.branches, history.log(), versions


def arrays(state):
    if hasattr(state, "shape") and state.shape:
        yield state
    elif isinstance(state, dict):
        yield from (x for item in state.values() for x in arrays(item))
    elif isinstance(state, (list, tuple)):
        yield from (x for item in state for x in arrays(item))
    elif hasattr(state, "__dataclass_fields__"):
        yield from (x for name in state.__dataclass_fields__ for x in arrays(getattr(state, name)))
