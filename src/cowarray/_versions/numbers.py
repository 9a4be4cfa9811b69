"""Sets of numbers, in order.

NumPy's `unique` imports `numpy.ma` when it is first called without more to give: 50 ms, and a child that is forked
meanwhile waits for that import for ever. With the counts it does not.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["are_in", "difference", "union", "unique"]


def unique(numbers: NDArray[Any]) -> NDArray[Any]:
    """Each once."""
    return np.unique(numbers, return_counts=True)[0]


def union(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """What is in either."""
    return unique(np.concatenate([one, other]))


def difference(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """What is in the first only."""
    return np.setdiff1d(unique(one), unique(other), assume_unique=True)


def are_in(numbers: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of the numbers are among others."""
    found = unique(others)
    if found.size == 0:
        return np.zeros(numbers.shape, np.bool_)
    return np.equal(found[np.minimum(np.searchsorted(found, numbers), found.size - 1)], numbers)
