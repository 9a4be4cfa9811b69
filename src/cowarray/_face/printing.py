"""How arrays print: NumPy makes the text, under the class that the program wants to see."""

from contextvars import ContextVar
from typing import Any

import numpy as np

__all__ = ["named", "outline", "repr_class"]

# The class whose name NumPy prints; None for its own. Set by `cowarray.set_printoptions`.
repr_class: ContextVar[type[np.ndarray] | None] = ContextVar("cowarray_repr_class", default=None)


def named(header: np.ndarray) -> np.ndarray:
    """Return the array that NumPy makes the `repr` from."""
    kind = repr_class.get()
    return header if kind is None else header.view(kind)


def outline(shape: tuple[int, ...], dtype: np.dtype[Any], state: str) -> str:
    """Return the text that an array without bytes prints as."""
    name = str(dtype) if dtype.names is None else repr(dtype)
    return f"array(..., shape={shape}, dtype={name}, {state})"
