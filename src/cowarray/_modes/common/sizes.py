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
    """Parse a size in bytes.

    Parameters
    ----------
    size : int, float or str
        Whole bytes, as 4096 or 1e9; or text with an optional unit: "8 GiB" (powers of 1024), "500 MB" (powers of
        1000), "4096". Case does not matter. Text may give a fraction of a byte, which is dropped.
    what : str, default "a size"
        The name of the size in errors.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        `size` is not a size, or is negative.
    TypeError
        `size` is neither a number nor text.
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
    # In integers: a float would round large sizes.
    power: int = 10 ** len(rest)
    return (int(whole or 0) * power + int(rest or 0)) * factor // power


def whole_nbytes(size: SupportsIndex, what: str) -> int:
    """Return a whole number of bytes, from Python's or NumPy's integers.

    Parameters
    ----------
    size : int
    what : str
        The name of the size in errors.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        `size` is not an integer, or is negative.
    """
    nbytes = operator.index(size) if hasattr(type(size), "__index__") and not isinstance(size, bool) else -1
    if nbytes < 0:
        raise ValueError(f"{what} must be an integer from 0 on, a number of bytes (got {size!r})")
    return nbytes


def readable(nbytes: int) -> str:
    """Format a number of bytes in a unit that needs few digits.

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
        if size < 1023.95 or unit == _BINARY[-1]:  # 1023.95 and above would print as 1024.0
            break
        size /= 1024
    return f"{size:.1f} {unit}"
