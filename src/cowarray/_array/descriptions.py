"""Dtypes in pickles: described by strings, numbers and tuples, so that unpickling calls only our constructor.

NumPy's own unpickling of a dtype sets its parts unchecked: even a field beyond the element, or objects that the flags
deny. A description becomes a dtype through NumPy's public constructor, with its checks.
"""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["describe", "described"]

_SIMPLE = re.compile(r"[<>|][biufcmMSUV][0-9]{1,10}(\[[0-9]{0,10}[A-Za-z]{1,7}\])?")
_MAX_BYTES = 2**31 - 1  # of an element, in NumPy
_MAX_DEPTH = 50


def describe(dtype: np.dtype, depth: int = 0) -> str | tuple[Any, ...] | None:
    """Describe a dtype for `described`; None for dtypes that it cannot express (references, user-defined types)."""
    if depth > _MAX_DEPTH:
        return None
    if dtype.metadata is not None:
        # A change of byte order loses a dtype's metadata, and nothing else.
        inner = _describe_bare(dtype, depth + 1)
        return None if inner is None else ("metadata", inner, dict(dtype.metadata))
    return _describe_bare(dtype, depth)


def _describe_bare(dtype: np.dtype, depth: int) -> str | tuple[Any, ...] | None:
    if dtype.subdtype is not None:
        base = describe(dtype.subdtype[0], depth + 1)
        return None if base is None else ("subarray", base, dtype.subdtype[1])
    if dtype.names is None:
        return dtype.str if dtype.type is not np.record and _SIMPLE.fullmatch(dtype.str) else None
    if dtype.type not in (np.void, np.record):
        return None
    by_name: Any = dtype.fields
    fields = [by_name[name] for name in dtype.names]
    formats = tuple(describe(field[0], depth + 1) for field in fields)
    if None in formats:
        return None
    offsets = tuple(field[1] for field in fields)
    titles = tuple(field[2] if len(field) > 2 else None for field in fields)
    return (
        "fields", dtype.names, formats, offsets, titles, dtype.itemsize, dtype.isalignedstruct, dtype.type is np.record
    )  # fmt: skip


def described(description: Any, depth: int = 0) -> np.dtype:
    """Make the dtype of a description; ValueError for anything that `describe` does not return."""
    if depth > _MAX_DEPTH:
        raise ValueError("unpickle: the dtype is nested too deeply")
    try:
        if type(description) is str and _SIMPLE.fullmatch(description):
            return np.dtype(description)
        kind = description[0] if type(description) is tuple and description else None
        if type(kind) is str and kind in _KINDS:
            return _KINDS[kind](depth + 1, *description[1:])
    except (TypeError, ValueError, OverflowError, KeyError, MemoryError) as error:
        raise ValueError(f"unpickle: this does not describe a dtype: {_shown(description)}") from error
    raise ValueError(f"unpickle: this does not describe a dtype: {_shown(description)}")


def _shown(description: object) -> str:
    return f"{description:.80}" if type(description) is str else f"a {type(description).__name__}"


def _with_metadata(depth: int, inner: object, metadata: object) -> np.dtype:
    if type(metadata) is not dict:
        raise TypeError("metadata must be a dict")
    return np.dtype(described(inner, depth), metadata=metadata)


def _subarray(depth: int, base: object, shape: Any) -> np.dtype:
    base = described(base, depth)
    _check_integers(shape)
    if math.prod(length or 1 for length in shape) * base.itemsize > _MAX_BYTES:
        raise ValueError("the subarray is larger than an element can be")
    return np.dtype((base, shape))


def _structure(
    depth: int, names: Any, formats: Any, offsets: Any, titles: Any, itemsize: Any, aligned: object, record: object
) -> np.dtype:
    if type(names) is not tuple or type(formats) is not tuple or type(titles) is not tuple:
        raise TypeError("names, formats and titles must be tuples")
    _check_integers(offsets)
    _check_integers((itemsize,))
    if not len(names) == len(formats) == len(offsets) == len(titles):
        raise ValueError("names, formats, offsets and titles must have the same length")
    formats = [described(part, depth) for part in formats]
    if any(offset + part.itemsize > itemsize for offset, part in zip(offsets, formats, strict=True)):
        raise ValueError("a field reaches beyond the end of the element")
    parts: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": itemsize}
    if any(title is not None for title in titles):
        parts["titles"] = titles
    dtype = np.dtype(parts, align=aligned is True)
    return np.dtype((np.record, dtype)) if record is True else dtype


def _check_integers(values: Any) -> None:
    if type(values) is not tuple or not all(type(value) is int and 0 <= value <= _MAX_BYTES for value in values):
        raise ValueError(f"offsets, lengths and sizes must be integers from 0 to {_MAX_BYTES}")


_KINDS: dict[str, Callable[..., np.dtype]] = {"metadata": _with_metadata, "subarray": _subarray, "fields": _structure}
