"""`isolated`: functions that write to their arguments, called so that nobody else sees it."""

import copy
import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._ops.conversion import asarray

_P = ParamSpec("_P")
_R = TypeVar("_R")

__all__ = ["isolated"]


def isolated(function: Callable[_P, _R], /) -> Callable[_P, _R]:
    """Wrap a function so that each call gets lazy copies of its arrays, to which it may write.

    For tasks of Dask, Ray, joblib or a thread pool, which share their inputs: what one task writes, no other sees, nor
    whoever submitted it. A task that only reads copies nothing.

    Parameters
    ----------
    function : callable
        The arrays among its arguments, in tuples, lists and dicts, too, are replaced in each call: cowarray's by lazy
        copies; NumPy's by what `asarray` makes of them, so a read-only one (a memory map, an array of Ray's store) is
        shared, and a writable one copied; arrays of NumPy's subclasses (masked arrays, ...) by their own copies. The
        containers are made anew. Anything else is passed on as it is, arrays in attributes and in arrays of objects
        included.

    Returns
    -------
    callable
        Takes and returns what `function` does. An array that is passed twice is one array inside, as it would be in
        another process; of two that alias, each is a value of its own.

    Raises
    ------
    TypeError
        `function` cannot be called.

    See Also
    --------
    lazy_clone : The copy of one array.
    lend : Aliases for libraries that write through ``np.asarray(x)``.

    Examples
    --------
    >>> import numpy as np, cowarray
    >>> @cowarray.isolated
    ... def warmest(field, shift):
    ...     field += shift
    ...     return field.max()
    >>> field = cowarray.array(np.zeros(1000))
    >>> [float(warmest(field, shift)) for shift in (1, 2)]
    [1.0, 2.0]
    >>> float(field.max())
    0.0
    """
    if not callable(function):
        raise TypeError(f"isolated: expected a function (got {type(function).__name__})")

    run: Callable[..., _R] = function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        replaced: dict[int, tuple[object, Any]] = {}
        return run(*_own(args, replaced), **_own(kwargs, replaced))

    return call


def _own(value: object, replaced: Any) -> Any:
    """What stands for a value in the call; `replaced` has what is done, by id, and keeps each value for so long."""
    if id(value) in replaced:
        return replaced[id(value)][1]
    made: Any
    if type(value) is ndarray:
        made = value.lazy_clone()
    elif type(value) in (np.ndarray, np.memmap):
        made = asarray(value).lazy_clone()
    elif isinstance(value, np.ndarray):
        made = value.copy()
    elif isinstance(value, tuple):
        items = [_own(item, replaced) for item in value]
        # A named tuple is made by `_make`. Any other class of tuples may want more than its items.
        kind: Any = type(value)
        made = kind._make(items) if hasattr(kind, "_make") else tuple(items) if kind is tuple else value
    elif isinstance(value, list):
        made = copy.copy(value)
        replaced[id(value)] = value, made  # first: it may be in itself
        made[:] = [_own(item, replaced) for item in value]
    elif isinstance(value, dict):
        made = copy.copy(value)
        replaced[id(value)] = value, made
        for key in made:
            made[key] = _own(made[key], replaced)
    else:
        return value
    replaced[id(value)] = value, made
    return made
