"""`isolated`: functions that write to their arguments, called so that nobody else sees it."""

import copy
import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.copies.mapped import LEAST, mapped_privately
from cowarray._ops.conversion import asarray

_P = ParamSpec("_P")
_R = TypeVar("_R")

__all__ = ["isolated"]


@overload
def isolated(function: Callable[_P, _R], /, *, as_numpy: bool = False) -> Callable[_P, _R]: ...
@overload
def isolated(*, as_numpy: bool = False) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
def isolated(function: Any = None, /, *, as_numpy: bool = False) -> Any:
    """Wrap a function so that each call gets lazy copies of its arrays, to which it may write.

    For tasks of Dask, Ray, joblib or a thread pool, which share their inputs: what one task writes, no other sees, nor
    whoever submitted it. A task that only reads copies nothing.

    Parameters
    ----------
    function : callable, optional
        The arrays among its arguments, in tuples, lists and dicts, too, are replaced in each call: cowarray's by lazy
        copies; NumPy's by what `asarray` makes of them, so a read-only one (a memory map, an array of Ray's store) is
        shared, and a writable one copied; arrays of NumPy's subclasses (masked arrays, ...) by their own copies. The
        containers are made anew. Anything else is passed on as it is, arrays in attributes and in arrays of objects
        included. Without it, `isolated` is a decorator.
    as_numpy : bool, default False
        Whether the function gets writable NumPy arrays instead, for libraries that take nothing else. Those of 4 MiB
        and more are private pages where they can be, of memory maps, and of cowarray's arrays, whose copies then go by
        the page as if `by_page` was called. Others are copied. Arrays of cowarray's in the result, in the same
        containers, become NumPy's.

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

    Notes
    -----
    A read-only `numpy.memmap` of 4 MiB and more, contiguous, is taken by the page: its file is opened again by its
    name, looked at (the same file, as long as before), and mapped privately. Whoever modifies the file changes what the
    pages show that nobody has written, as in the map itself.

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
    >>> @cowarray.isolated(as_numpy=True)
    ... def of_numpys(field):
    ...     field[0] = 5.0
    ...     return type(field), cowarray.asarray(field)
    >>> of_numpys(field)
    (<class 'numpy.ndarray'>, array([5., 0., 0., ..., 0., 0., 0.], shape=(1000,)))
    """
    if function is None:
        return functools.partial(isolated, as_numpy=as_numpy)
    if not callable(function):
        raise TypeError(f"isolated: expected a function (got {type(function).__name__})")

    run: Callable[..., Any] = function
    given, returned = (_given_numpys, _returned) if as_numpy else (_given, None)

    @functools.wraps(run)
    def call(*args: Any, **kwargs: Any) -> Any:
        replaced: dict[int, tuple[object, Any]] = {}
        result = run(*_own(args, replaced, given), **_own(kwargs, replaced, given))
        return result if returned is None else _own(result, {}, returned)

    return call


# ---- what stands for an array ----------------------------------------------------------------------------------------


def _given(value: Any) -> Any:
    """Of ours, for the function; None for what is no array."""
    if type(value) is ndarray:
        return value.lazy_clone()
    if type(value) in (np.ndarray, np.memmap):
        mapped = mapped_privately(value)
        return asarray(value).lazy_clone() if mapped is None else mapped
    return value.copy() if isinstance(value, np.ndarray) else None


def _given_numpys(value: Any) -> Any:
    """NumPy's, for the function to write to."""
    made = _given(value)
    if type(made) is not ndarray:
        return made
    if made.nbytes >= LEAST and made.size:
        first = (0,) * made.ndim
        made[first] = made[first]  # a write that says what it touches: the bytes are its own now, by the page or copied
        if made.storage.own_nbytes < made.nbytes:
            made.by_page()  # whoever has an export says nothing of what he writes, and would get a whole copy
    return made.to_numpy(writable=True)


def _returned(value: Any) -> Any:
    """NumPy's, of a result."""
    return value.lazy_clone().to_numpy(writable=True) if type(value) is ndarray else None


def _own(value: object, replaced: Any, array: Callable[[Any], Any]) -> Any:
    """What stands for a value. `replaced` has what is done, by id, and keeps each value for so long."""
    if id(value) in replaced:
        return replaced[id(value)][1]
    made: Any = array(value)
    if made is not None:
        pass
    elif isinstance(value, tuple):
        items = [_own(item, replaced, array) for item in value]
        # A named tuple is made by `_make`. Any other class of tuples may want more than its items.
        kind: Any = type(value)
        made = kind._make(items) if hasattr(kind, "_make") else tuple(items) if kind is tuple else value
    elif isinstance(value, list):
        made = copy.copy(value)
        replaced[id(value)] = value, made  # first: it may be in itself
        made[:] = [_own(item, replaced, array) for item in value]
    elif isinstance(value, dict):
        made = copy.copy(value)
        replaced[id(value)] = value, made
        for key in made:
            made[key] = _own(made[key], replaced, array)
    else:
        return value
    replaced[id(value)] = value, made
    return made
