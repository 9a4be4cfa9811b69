"""The dtypes of results, as NumPy itself tells them: it runs a function on arrays of the same dtypes without elements.

Its errors are passed on. What is kept depends on the dtypes alone, and never on the arrays that had them.
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

# What stands for Python's numbers in keys. NumPy is asked for a dtype with the values of WEAK; integers from 0 to
# LARGEST_ALIKE fit into all of its types, and are alike.
INTEGER, FLOAT, COMPLEX = -1, -2, -3
WEAK = {INTEGER: 1, FLOAT: 1.0, COMPLEX: 1j}
LARGEST_ALIKE = 127


def header(x: Any) -> Array:
    """x, if it is an array; what NumPy makes of it, if it is not."""
    return x if isinstance(x, np.ndarray) else np.asarray(x)


def without_elements(x: Any) -> Any:
    """What NumPy is given in the place of x to find a dtype: Python's numbers stay, the rest loses its elements."""
    if isinstance(x, (int, float, complex)) and not isinstance(x, (bool, np.generic)):
        return x
    return np.empty(0, (x if isinstance(x, (np.ndarray, np.generic)) else np.asarray(x)).dtype)


def type_key(operands: Sequence[Any]) -> tuple[Any, ...] | None:
    """What of operands decides on dtypes, hashable; None if a value does, as of large integers."""
    key = []
    for x in operands:
        kind = type(x)
        if kind is np.ndarray or isinstance(x, (np.ndarray, np.generic)):
            dtype = x.dtype
            # int64 and longlong are equal, and yet two types.
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
    """The operands that a key stands for, without elements."""
    rest = iter(key)
    return [WEAK[number] if number < 0 else np.empty(0, next(rest)) for number in rest]


def dtypes_of(function: Callable[..., Any], operands: Sequence[Any], options: Any) -> tuple[np.dtype[Any], ...]:
    """Run a function on operands without elements; the dtypes of its results."""
    if not any(isinstance(x, np.ndarray) for x in operands):
        # Among themselves Python's numbers are arrays of their own dtypes.
        operands = [np.empty(0, np.asarray(x).dtype) for x in operands]
    results = function(*operands, **options)
    return tuple([r.dtype for r in results]) if type(results) is tuple else (results.dtype,)


@lru_cache(maxsize=4096)
def kept_dtypes(function: Callable[..., Any], key: tuple[object, ...]) -> tuple[np.dtype[Any], ...]:
    """`dtypes_of` without options."""
    return dtypes_of(function, stand_ins(key), {})


@lru_cache(maxsize=4096)
def kept_dtypes_with(
    function: Callable[..., Any], key: tuple[Any, ...], out: Any, mask: Any, options: Any, number: Any
) -> tuple[np.dtype[Any], ...]:
    """`dtypes_of` with outputs (dtypes or None), the dtype of `where`, and options as pairs of name and value.

    The number of the dtype that is asked for tells int64 from longlong, which are equal.
    """
    return dtypes_of(function, stand_ins(key), with_options(function, out, mask, options))


def with_options(function: Any, out: Any, mask: Any, options: Any) -> dict[str, Any]:
    """The arguments for a call without elements."""
    given = dict(options)
    if out is not None:
        given["out"] = tuple([None if d is None else np.empty(0, d) for d in out])
    if mask is not None:
        given.setdefault("out", (None,) * function.nout)  # else NumPy warns
        given["where"] = np.empty(0, mask)
    return given


def number_of(dtype: Any) -> int | None:
    """The number of a dtype's type, if there is a dtype."""
    return dtype.num if isinstance(dtype, np.dtype) else None


def result_dtypes(
    function: Callable[..., Any],
    operands: Any,
    out: Any = None,
    mask: Any = None,
    dtype: Any = None,
    **options: Any,
) -> tuple[np.dtype[Any], ...]:
    """The dtypes of the results of a function that works element by element; NumPy's error if it has none.

    Parameters
    ----------
    function : callable
        A ufunc, or another function that takes its operands by position.
    operands : sequence
        Arrays and scalars.
    out : tuple of (array or None), optional
        Outputs that are given.
    mask : array, optional
        What is given as `where`.
    dtype, **options
        What else the function is given.
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
    """Whether bytes of an element mean nothing, and may be any: between the fields of a structure, in a long double."""
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
    """Whether NumPy finds what it raised only when it iterates, after it has looked at the shapes."""
    return isinstance(error, (OverflowError, ValueError)) or "according to the rule 'unsafe'" in str(error)
