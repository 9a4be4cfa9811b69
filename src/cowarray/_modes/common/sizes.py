"""Sizes of memory as people write and read them: "8 GiB"."""

import operator
import re
from typing import SupportsIndex

import numpy as np

__all__ = ["nbytes_of", "readable", "whole_nbytes"]

_BINARY = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_FACTORS = (
    {"": 1, "b": 1, "byte": 1, "bytes": 1}
    | {unit.lower(): 1024**power for power, unit in enumerate(_BINARY, 1)}
    | {f"{letter}b": 1000**power for power, letter in enumerate("kmgtpe", 1)}
)
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)\s*", re.IGNORECASE | re.ASCII)


def nbytes_of(size: float | np.number | str, what: str = "a size") -> int:
    """Bytes of a size.

    Parameters
    ----------
    size : int, float or str
        Whole bytes, as 4096 or 1e9; or a number with a unit: "8 GiB" (of 1024), "500 MB" (of 1000), "4096". Case does
        not matter. A fraction of a byte is dropped from those.
    what : str, default "a size"
        What it is, in errors.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        It is no size, or a negative one.
    TypeError
        It is neither a number nor text.
    """
    rule = f"{what} must be bytes, or a number with a unit, as in '8 GiB' or '500 MB' (got {size!r})"
    if isinstance(size, bool) or not isinstance(size, (str, int, float, np.integer, np.floating)):
        raise TypeError(rule)
    if isinstance(size, (float, np.floating)) and size.is_integer():
        size = int(size)
    if isinstance(size, (int, np.integer)) and size >= 0:
        return int(size)
    found = _SIZE.fullmatch(size) if isinstance(size, str) else None
    factor = None if found is None else _FACTORS.get(found[2].lower())
    if found is None or factor is None:
        raise ValueError(rule)
    whole, _, rest = found[1].partition(".")
    # In integers: no size is rounded that a float could not hold.
    power: int = 10 ** len(rest)
    return (int(whole or 0) * power + int(rest or 0)) * factor // power


def whole_nbytes(size: SupportsIndex, what: str) -> int:
    """A whole number of bytes, of Python's or of NumPy's integers.

    Parameters
    ----------
    size : int
    what : str
        What it is, in errors.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        It is no integer, or a negative one.
    """
    nbytes = operator.index(size) if hasattr(type(size), "__index__") and not isinstance(size, bool) else -1
    if nbytes < 0:
        raise ValueError(f"{what} must be an integer from 0 on, a number of bytes (got {size!r})")
    return nbytes


def readable(nbytes: int) -> str:
    """A number of bytes in a unit in which it has few digits.

    Parameters
    ----------
    nbytes : int

    Returns
    -------
    str
    """
    if nbytes < 1024:
        return f"{nbytes} B"
    size, unit = nbytes / 1024, ""
    for unit in _BINARY:
        if size < 1023.95 or unit == _BINARY[-1]:  # which prints as 1024.0
            break
        size /= 1024
    return f"{size:.1f} {unit}"
