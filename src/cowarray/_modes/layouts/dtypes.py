"""The dtypes of results, from NumPy itself: it runs a function on arrays of the same dtypes without elements.

NumPy's errors propagate. Cached answers depend on the dtypes alone, never on the arrays that had them.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from cowarray._modes.layouts.layouts import Array

__all__ = [
    "COMPLEX",
    "FLOAT",
    "INTEGER",
    "LARGEST_ALIKE",
    "found_late",
    "has_gaps",
    "header",
    "kept_dtypes",
    "number_of",
    "result_dtypes",
]

# Codes of Python's numbers in keys. NumPy is asked for a dtype with the values of WEAK; integers from 0 to
# LARGEST_ALIKE fit into all its types, so they are alike.
INTEGER, FLOAT, COMPLEX = -1, -2, -3
WEAK = {INTEGER: 1, FLOAT: 1.0, COMPLEX: 1j}
LARGEST_ALIKE = 127


def header(x: Any) -> Array:
    """Return x if it is an array, else the array that NumPy makes of it."""
    return x if isinstance(x, np.ndarray) else np.asarray(x)


def without_elements(x: Any) -> Any:
    """Return a stand-in for x in the search for a dtype: Python's numbers as they are, others without elements."""
    if isinstance(x, (int, float, complex)) and not isinstance(x, (bool, np.generic)):
        return x
    return np.empty(0, (x if isinstance(x, (np.ndarray, np.generic)) else np.asarray(x)).dtype)


def type_key(operands: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return a hashable key of all that determines dtypes; None if a value does, as for large integers."""
    key = []
    for x in operands:
        kind = type(x)
        if kind is np.ndarray or isinstance(x, (np.ndarray, np.generic)):
            dtype = x.dtype
            # int64 and longlong compare equal, but are two types.
            key.append(dtype.num)
            key.append(dtype)
        elif kind is float:
            key.append(FLOAT)
        elif kind is int and 0 <= x <= LARGEST_ALIKE:
            key.append(INTEGER)
        elif kind is complex:
            key.append(COMPLEX)
        else:
            return None
    return tuple(key)


def stand_ins(key: tuple[Any, ...]) -> list[Any]:
    """Return operands without elements that have this key."""
    rest = iter(key)
    return [WEAK[number] if number < 0 else np.empty(0, next(rest)) for number in rest]


def dtypes_of(function: Callable[..., Any], operands: Sequence[Any], options: Any) -> tuple[np.dtype[Any], ...]:
    """Run a function on operands without elements; return the dtypes of its results."""
    if not any(isinstance(x, np.ndarray) for x in operands):
        # Python's numbers among themselves count as arrays of their own dtypes.
        operands = [np.empty(0, np.asarray(x).dtype) for x in operands]
    results = function(*operands, **options)
    return tuple([r.dtype for r in results]) if type(results) is tuple else (results.dtype,)


@lru_cache(maxsize=4096)
def kept_dtypes(function: Callable[..., Any], key: tuple[object, ...]) -> tuple[np.dtype[Any], ...]:
    """Return `dtypes_of` without options, cached."""
    return dtypes_of(function, stand_ins(key), {})


@lru_cache(maxsize=4096)
def kept_dtypes_with(
    function: Callable[..., Any], key: tuple[Any, ...], out: Any, mask: Any, options: Any, number: Any
) -> tuple[np.dtype[Any], ...]:
    """Return `dtypes_of` with outputs (dtypes or None), the dtype of `where`, and options as pairs of name and value.

    `number`, of the requested dtype, tells int64 from longlong, which compare equal.
    """
    return dtypes_of(function, stand_ins(key), with_options(function, out, mask, options))


def with_options(function: Any, out: Any, mask: Any, options: Any) -> dict[str, Any]:
    """Return the arguments for a call without elements."""
    given = dict(options)
    if out is not None:
        given["out"] = tuple([None if d is None else np.empty(0, d) for d in out])
    if mask is not None:
        given.setdefault("out", (None,) * function.nout)  # else NumPy warns
        given["where"] = np.empty(0, mask)
    return given


def number_of(dtype: Any) -> int | None:
    """Return the type number of a dtype, or None for anything else."""
    return dtype.num if isinstance(dtype, np.dtype) else None


def result_dtypes(
    function: Callable[..., Any],
    operands: Any,
    out: Any = None,
    mask: Any = None,
    dtype: Any = None,
    **options: Any,
) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes of an elementwise function's results; raise NumPy's error if it has none.

    Parameters
    ----------
    function : callable
        A ufunc, or another function that takes its operands by position.
    operands : sequence
        Arrays and scalars.
    out : tuple of (array or None), optional
        The given outputs.
    mask : array, optional
        The argument `where`.
    dtype, **options
        The function's other arguments.
    """
    key = type_key(operands)
    if dtype is not None:
        options["dtype"] = dtype
    out = None if out is None else tuple([None if o is None else o.dtype for o in out])
    mask = None if mask is None else mask.dtype
    given = tuple(options.items())
    if key is not None:
        try:
            hash(given)
        except TypeError:
            pass
        else:
            return kept_dtypes_with(function, key, out, mask, given, number_of(dtype))
    return dtypes_of(function, [without_elements(x) for x in operands], with_options(function, out, mask, given))


@lru_cache(maxsize=256)
def has_gaps(dtype: np.dtype[Any]) -> bool:
    """True if an element has padding bytes of any value: between the fields of a structure, or in a long double."""
    if dtype.subdtype is not None:
        return has_gaps(dtype.base)
    if dtype.names is None or dtype.fields is None:
        return dtype.char in "gG" and dtype.itemsize > np.dtype(dtype.char.replace("g", "d").replace("G", "D")).itemsize
    fields: Any = dtype.fields
    end = 0
    for offset, field in sorted((fields[name][1], fields[name][0]) for name in dtype.names):
        if offset > end or has_gaps(field):
            return True
        end = max(end, offset + field.itemsize)
    return end < dtype.itemsize


def found_late(error: BaseException) -> bool:
    """True if NumPy raises this error only when it iterates, after it has checked the shapes."""
    return isinstance(error, (OverflowError, ValueError)) or "according to the rule 'unsafe'" in str(error)
