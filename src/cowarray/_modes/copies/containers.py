"""A walk that replaces each array in nested containers and rebuilds the containers around the replacements."""

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray

__all__ = ["Walk"]


class Walk:
    """A walk through tuples, lists and dicts. A value that occurs twice, or contains itself, gets one replacement.

    own : returns the replacement of an array.
    opened : returns the replacement of any other value; also takes the walk, to continue with the value's contents.
    """

    def __init__(self, own: Callable[[Any], Any], opened: Callable[[Any, "Walk"], Any] | None = None) -> None:
        self.own = own
        self.opened = opened
        self.replaced: dict[int, tuple[object, Any]] = {}  # by id: a value and its replacement

    # No closure: Python 3.11 loses the arguments of a function if it cannot allocate its cells.
    def __call__(self, value: object) -> Any:
        if id(value) in self.replaced:
            return self.replaced[id(value)][1]
        made: Any
        if isinstance(value, (ndarray, np.ndarray)):
            made = self.own(value)
        elif isinstance(value, tuple):
            items = list(map(self, value))
            # Named tuples have `_make`. The constructor of any other tuple class may need more than the items.
            kind: Any = type(value)
            made = kind._make(items) if hasattr(kind, "_make") else tuple(items) if kind is tuple else value
        elif isinstance(value, list):
            made = self.begin(value)
            made[:] = map(self, value)
        elif isinstance(value, dict):
            made = self.begin(value)
            for key in made:
                made[key] = self(made[key])
        elif self.opened is not None:
            made = self.opened(value, self)
        else:
            return value
        self.replaced[id(value)] = value, made
        return made

    def begin(self, value: Any) -> Any:
        """Make a shallow copy the value's replacement right away, because the value may contain itself."""
        made = copy.copy(value)
        self.replaced[id(value)] = value, made
        return made

    def through_attributes(self, value: Any) -> Any:
        """Return a shallow copy of a dataclass instance, whose attributes the walk has replaced."""
        made = self.begin(value)
        for name in {*getattr(made, "__dict__", ()), *(field.name for field in dataclasses.fields(value))}:
            if hasattr(made, name):
                object.__setattr__(made, name, self(getattr(made, name)))  # works for frozen dataclasses
        return made
