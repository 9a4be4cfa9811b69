"""Broadcasts for a planned program: arrays without bytes have a known shape, but no elements."""

from typing import Any

import numpy as np

from cowarray._modes.fake.planning import is_fake
from cowarray._modes.fake.refusals import FakeError

__all__ = ["replaced"]

_broadcast = np.broadcast


def replaced() -> dict[Any, Any]:
    """Return the replacements, in the program, of NumPy's classes.

    Returns
    -------
    dict
    """
    return {_broadcast: broadcast}


class _Kind(type):
    """The class of `broadcast`: NumPy's broadcasts, of arrays with bytes, are instances as well."""

    def __call__(cls, /, *args: Any) -> Any:
        return super().__call__(*args) if any(map(_has_no_bytes, args)) else _broadcast(*args)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _broadcast) or super().__instancecheck__(value)


class broadcast(metaclass=_Kind):
    """A replacement of NumPy's class that knows what follows from shapes, and refuses to return elements."""

    def __init__(self, *args: Any) -> None:
        self._of = _broadcast(*map(_shown, args))

    def __getattr__(self, name: str) -> Any:
        if name in ("nd", "ndim", "numiter", "shape", "size"):
            return getattr(self._of, name)
        if hasattr(_broadcast, name):
            raise _refusal()
        raise AttributeError(f"'numpy.broadcast' object has no attribute {name!r}")

    def __iter__(self) -> Any:
        raise _refusal()

    def __next__(self) -> Any:
        raise _refusal()


def _has_no_bytes(value: object) -> bool:
    return is_fake(value) or type(value) is broadcast


def _shown(value: Any) -> Any:
    """Return an object of the same shape for NumPy's class."""
    if is_fake(value):
        return np.broadcast_to(np.empty((), "?"), value.shape)
    return value._of if type(value) is broadcast else value


def _refusal() -> FakeError:
    return FakeError("broadcast", "elements are needed", None, "use numpy.broadcast_arrays")
