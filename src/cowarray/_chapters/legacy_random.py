"""NumPy's legacy random numbers as arrays of this library: `rand`, `seed`, `RandomState` and the like.

The functions are those of `numpy.random`, and draw from its one hidden state: `numpy.random.seed` sets it for both.
They are made when they are first used. New code should use `default_rng`.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from cowarray._chapters.generators import has_no_bytes, nothing_permuted, target
from cowarray._face.ndarray import ndarray
from cowarray._ops.conversion import asarray
from cowarray._ops.creation import born, drawing_function

__all__ = ["NAMES", "RandomState", "legacy_function"]

# Functions that return no arrays, or hand over NumPy's state, are NumPy's own.
_NUMPYS = frozenset(("bytes", "get_state", "seed", "set_state"))
# From an array of objects `choice` may return an element, which belongs to the user.
_KEPT = frozenset(("choice",))

NAMES = frozenset(
    name for name in np.random.__all__ if inspect.ismethod(getattr(np.random, name)) or name in _NUMPYS
) | {"ranf", "sample"}


def _draw(numpys: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Draw by a method of NumPy's; the results are this library's."""
    if name in _NUMPYS:
        return numpys(*args, **kwargs)
    if name == "permutation" and len(args) + len(kwargs) == 1 and (args or "x" in kwargs):
        x = kwargs.get("x", *args)
        if not isinstance(x, (int, np.integer)):
            x = asarray(x)
            if x.shape == (0,):
                return nothing_permuted(numpys.__self__, x)
            args, kwargs = (x,), {}
    if any(map(has_no_bytes, args)) or any(map(has_no_bytes, kwargs.values())):
        return born(numpys, *args, **kwargs)
    if name == "shuffle":
        return numpys(*map(target, args), **{key: target(value) for key, value in kwargs.items()})
    args = tuple([value.to_numpy() if type(value) is ndarray else value for value in args])
    kwargs = {key: value.to_numpy() if type(value) is ndarray else value for key, value in kwargs.items()}
    if name in _KEPT and not _has_a_size(args, kwargs):
        return numpys(*args, **kwargs)
    return born(numpys, *args, **kwargs)


def _has_a_size(args: Any, kwargs: Any) -> Any:
    return kwargs.get("size", args[1] if len(args) > 1 else None) is not None


def _described(function: Callable[..., Any], numpys: Any, name: str, owner: Any) -> Any:
    """Give a function the name and the parameters of NumPy's, and a docstring that refers to it."""
    function = functools.wraps(numpys, updated=())(function)
    function.__module__ = "cowarray.random"
    function.__qualname__ = name if owner == "numpy.random" else f"RandomState.{name}"
    function.__doc__ = f"As `{owner}.{name}`, from the same stream; results are fresh arrays of this library.\n"
    return function


@functools.cache
def legacy_function(name: str) -> Callable[..., Any]:
    """Make a function of `numpy.random` that draws from its hidden state, with results of this library.

    Parameters
    ----------
    name : str
        One of NAMES.

    Returns
    -------
    function
    """
    numpys = getattr(np.random, name)
    if name in _NUMPYS:
        return numpys

    def draw(*args: Any, **kwargs: Any) -> Any:
        return _draw(numpys, name, args, kwargs)

    slow = name == "shuffle" or name in _KEPT
    return _described(draw if slow else drawing_function(numpys, draw), numpys, name, "numpy.random")


class RandomState(np.random.RandomState):
    """NumPy's legacy generator with results as arrays of this library: it draws the same numbers.

    Its methods are those of `numpy.random.RandomState`. New code should use `default_rng`.

    Parameters
    ----------
    seed : int, array_like of int, SeedSequence or BitGenerator, optional
        As in NumPy. ``None``: from the operating system.

    See Also
    --------
    cowarray.random.default_rng : For new code.
    numpy.random.RandomState : The same for NumPy's arrays.
    """

    def __init__(self, seed: Any = None) -> None:
        numpys = np.random.RandomState(seed.to_numpy() if type(seed) is ndarray else seed)
        super().__init__(numpys._bit_generator)
        # NumPy's methods call each other, and keep the second of two normal numbers: all are of one RandomState.
        self._numpys = numpys

    def __reduce__(self) -> Any:
        return RandomState, (self._numpys._bit_generator,), self._numpys.get_state(legacy=False)

    def __setstate__(self, state: Any) -> None:
        self._numpys.set_state(state)


def _method(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _draw(getattr(self._numpys, name), name, args, kwargs)

    return _described(method, getattr(np.random.RandomState, name), name, "numpy.random.RandomState")


for _name in dir(np.random.RandomState):
    if not _name.startswith("_"):
        setattr(RandomState, _name, _method(_name))
RandomState.__module__ = "cowarray.random"
