from typing import Final

import numpy as np

__all__ = ["FIRST_DAY", "LAST_DAY", "NAMES", "positions"]

NAMES: Final[tuple[str, ...]]
FIRST_DAY: Final[np.datetime64]
LAST_DAY: Final[np.datetime64]

def positions(
    first: np.datetime64 = ..., last: np.datetime64 = ...
) -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]: ...
