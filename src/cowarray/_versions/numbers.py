"""Sets of numbers, in order.

NumPy's `unique` imports `numpy.ma` at its first call that asks for nothing else: this takes 50 ms, and a child forked
meanwhile waits for the import for ever. If asked for counts as well, it does not.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["are_in", "difference", "union", "unique"]


def unique(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return each number once."""
    return np.unique(numbers, return_counts=True)[0]


def union(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers that are in either."""
    return unique(np.concatenate([one, other]))


def difference(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers that are only in the first."""
    return np.setdiff1d(unique(one), unique(other), assume_unique=True)


def are_in(numbers: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which numbers are among others."""
    found = unique(others)
    if found.size == 0:
        return np.zeros(numbers.shape, np.bool_)
    return np.equal(found[np.minimum(np.searchsorted(found, numbers), found.size - 1)], numbers)
