"""`isolated`: calls functions that write to their arguments, so that nobody else sees the writes."""

import contextlib
import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Literal, ParamSpec, TypeVar, overload

import numpy as np

from cowarray._array.imports import large_foreign
from cowarray._face.ndarray import ndarray
from cowarray._modes.common.decorating import is_coroutine_function, is_generator_function
from cowarray._modes.copies.containers import Walk
from cowarray._modes.copies.private_maps import Maps, private_map
from cowarray._native.public import public
from cowarray._ops.conversion import asarray

_P = ParamSpec("_P")
_R = TypeVar("_R")

_LARGE = 4 << 20  # the smallest size that is written by the page

__all__ = ["isolated"]


# With as_numpy, a parameter typed as a NumPy array accepts any array; no type can express that.
@overload
def isolated(function: Callable[_P, _R], /, *, as_numpy: Literal[False] = False) -> Callable[_P, _R]: ...
@overload
def isolated(function: Callable[..., _R], /, *, as_numpy: bool) -> Callable[..., _R]: ...
@overload
def isolated(*, as_numpy: Literal[False] = False) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
@overload
def isolated(*, as_numpy: bool) -> Callable[[Callable[..., _R]], Callable[..., _R]]: ...
@public
def isolated(function: Callable[..., Any] | None = None, /, *, as_numpy: bool = False) -> Any:
    """Wrap a function so that each call gets its own arrays and may write to them.

    For tasks of Dask, Ray, joblib or a thread pool, which share their inputs: neither other tasks nor the submitter see
    a task's writes. A task that only reads copies nothing.

    Parameters
    ----------
    function : callable, optional
        Each call replaces the arrays among its arguments, including those in tuples, lists and dicts: cowarray's by
        lazy copies; NumPy's by the result of `asarray`, so a read-only one (a memory map, an array in Ray's store) is
        shared or mapped once more, and a writable one is copied; arrays of NumPy's subclasses (masked arrays, ...) by
        their own copies. The containers are rebuilt. Anything else is passed unchanged, including arrays in attributes
        and in object arrays. If omitted, the result is a decorator.
    as_numpy : bool, default False
        Whether to replace them by writable `numpy.ndarray`, for code that calls ``np.asarray`` or checks the class.
        Arrays of 4 MiB or more are private pages; smaller ones, and writable NumPy arrays, are copied at once. Arrays
        of cowarray in the result, or the awaited result, become NumPy's, and are copied only if they share their bytes.

    Returns
    -------
    callable
        Takes and returns what `function` does. An array that is passed twice is one array inside, as it would be in
        another process; two arrays that alias become independent.

    Raises
    ------
    TypeError
        `function` is not callable, or is a generator function with `as_numpy`; or `as_numpy` is not a bool.
    ValueError
        In a call: the file of a memory map was truncated.

    See Also
    --------
    lazy_clone : The copy of one array.
    lend : Aliases for libraries that write through ``np.asarray(x)``.

    Notes
    -----
    Memory of 4 MiB or more that is mapped from a file is mapped once more for the call alone, if the file can be found:
    a write copies only the pages that it touches, and in all other pages the writes of others to the file are visible,
    as with ``load(pages=True)``. With `as_numpy`, the first call with a large cowarray array makes a frozen copy, as
    `by_page` does, which later calls share.

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
    ... def warm(field):
    ...     np.asarray(field)[0] = 3.0
    ...     return field
    >>> type(warm(field)).__name__, float(warm(field)[0]), float(field[0])
    ('ndarray', 3.0, 0.0)
    """
    if type(as_numpy) is not bool:
        raise TypeError(f"isolated: as_numpy must be True or False (got {as_numpy!r})")
    if function is None:
        return functools.partial(isolated, as_numpy=as_numpy)
    if not callable(function):
        raise TypeError(f"isolated: expected a function (got {type(function).__name__})")

    if as_numpy and is_generator_function(function):
        raise TypeError(
            "isolated: with as_numpy the result becomes NumPy's, and a generator has no result (got "
            f"{function!r}); isolate what it calls"
        )

    run: Callable[..., Any] = function
    own_in = _own_numpy if as_numpy else _own
    is_coroutine = is_coroutine_function(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        walk = Walk(functools.partial(own_in, maps=Maps()))
        result = run(*walk(args), **walk(kwargs))
        if not as_numpy:
            return result
        return _awaited(result, walk) if is_coroutine else Walk(_plain)(result)

    # The arguments must be replaced at once, before anything is awaited, so `call` is not itself a coroutine function.
    mark = getattr(inspect, "markcoroutinefunction", None)  # from Python 3.12 on
    return mark(call) if is_coroutine and mark is not None else call


async def _awaited(coroutine: Awaitable[Any], arguments: object) -> Any:
    """Return the result with NumPy's arrays. The arguments stay alive until then: their pages belong to the call."""
    return Walk(_plain)(await coroutine)


# ---- replacements of arrays ------------------------------------------------------------------------------------------


def _own(array: Any, maps: Maps) -> Any:
    if type(array) not in (ndarray, np.ndarray, np.memmap):
        return array.copy()
    mapped = private_map(array, maps)
    if mapped is None:
        return _clone(array)
    if not (mapped.flags.c_contiguous or mapped.flags.f_contiguous):
        return mapped  # a copy would be made at once
    maps.kept.append(mapped)
    return mapped.lazy_clone()


def _own_numpy(array: Any, maps: Maps) -> Any:
    if type(array) not in (ndarray, np.ndarray, np.memmap):
        return array.copy()
    mapped = private_map(array, maps)
    own = _own_pages(array) if mapped is None else mapped
    if own is not None:
        return own.to_numpy(writable=True)
    return array.to_numpy(copy=True) if type(array) is ndarray else np.array(array)


def _own_pages(array: Any) -> Any:
    """Return a copy, written by the page, of a large cowarray array or snapshot; None for any other array."""
    if (
        array.nbytes < _LARGE
        or (type(array) is not ndarray and array.flags.writeable)
        or large_foreign(array) is not None
    ):
        return None
    own = _clone(array)
    if own.storage.is_cow:
        with contextlib.suppress(BufferError):  # it cannot be written by the page
            own.by_page()
    return own


def _clone(array: Any) -> Any:
    return (array if type(array) is ndarray else asarray(array)).lazy_clone()


def _plain(array: Any) -> Any:
    return array.to_numpy(writable=True) if type(array) is ndarray else array
