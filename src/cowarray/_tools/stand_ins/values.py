"""Values between a program and NumPy: NumPy's arrays are taken in as cowarray's, and cowarray's are handed out."""

from typing import Any

import numpy as np

import cowarray

__all__ = ["handed_out", "numpys", "taken_in"]


def taken_in(value: Any) -> Any:
    """Convert the result of a NumPy function for the program.

    Parameters
    ----------
    value : object
        NumPy's arrays become cowarray's, also in lists, tuples and dicts. Arrays of subclasses stay as they are.

    Returns
    -------
    object
    """
    kind = type(value)
    if kind is np.ndarray:
        return cowarray.asarray(value)
    if kind is list:
        return list(map(taken_in, value))
    if kind is tuple:
        return tuple(map(taken_in, value))
    if kind is dict:
        return {key: taken_in(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(kind, "_make"):
        return kind._make(map(taken_in, value))
    return value


def handed_out(value: Any) -> Any:
    """Convert an argument for a NumPy function that only reads, and accepts only NumPy's arrays.

    Parameters
    ----------
    value : object
        Arrays in lists, tuples and dicts are converted as well.

    Returns
    -------
    object
    """
    kind = type(value)
    if kind is cowarray.ndarray:
        return value.to_numpy()
    if kind is list or kind is tuple:
        return kind(map(handed_out, value))
    if kind is dict:
        return {key: handed_out(item) for key, item in value.items()}
    return value


def numpys(value: Any) -> Any:
    """Return NumPy's array over one of cowarray's, to which it writes; anything else as it is."""
    return value.to_numpy(writable=value.flags.writeable) if type(value) is cowarray.ndarray else value
