"""Where arrays are: a walk through containers, which are made anew around what stands for each array."""

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray

__all__ = ["Walk"]


class Walk:
    """A walk through tuples, lists and dicts, with one result for a value that is met twice, or that is in itself.

    own : what stands for an array.
    opened : what stands for any other value; it is also given the walk, to go on with what is in the value.
    """

    def __init__(self, own: Callable[[Any], Any], opened: Callable[[Any, "Walk"], Any] | None = None) -> None:
        self.own = own
        self.opened = opened
        self.replaced: dict[int, tuple[object, Any]] = {}  # by id: a value, and what stands for it

    # Without a closure: Python 3.11 loses the arguments of a function whose cells it cannot allocate.
    def __call__(self, value: object) -> Any:
        if id(value) in self.replaced:
            return self.replaced[id(value)][1]
        made: Any
        if isinstance(value, (ndarray, np.ndarray)):
            made = self.own(value)
        elif isinstance(value, tuple):
            items = list(map(self, value))
            # A named tuple is made by `_make`. Any other class of tuples may want more than its items.
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
        """A shallow copy of a value, which stands for it from now on: it may be in itself."""
        made = copy.copy(value)
        self.replaced[id(value)] = value, made
        return made

    def through_attributes(self, value: Any) -> Any:
        """A shallow copy of a dataclass's object, for whose attributes stands what the walk makes of them."""
        made = self.begin(value)
        for name in {*getattr(made, "__dict__", ()), *(field.name for field in dataclasses.fields(value))}:
            if hasattr(made, name):
                object.__setattr__(made, name, self(getattr(made, name)))  # as frozen ones do
        return made
