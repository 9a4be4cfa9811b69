"""Missing elements, as in pandas and elsewhere: `to_numpy` replaces them by a value of the caller's choice."""

from typing import Any

import numpy as np

__all__ = ["filled"]


def filled(shown: np.ndarray, wanted: np.dtype | None, na_value: object) -> np.ndarray:
    """Return a copy with na_value for missing elements, of dtype wanted if needed; shown itself if none are missing."""
    missing = _missing_of(shown)
    if missing is None or not missing.any():
        return shown
    made = shown.copy(order="K")
    if not _holds(made.dtype, na_value):
        if wanted is None or not _holds(wanted, na_value):
            raise ValueError(
                f"to_numpy: na_value={na_value!r} cannot stand for missing elements of dtype "
                f"{made.dtype if wanted is None else wanted!r}; pass a dtype that holds it"
            )
        made = made.astype(wanted)
    made[missing] = na_value
    return made


def _missing_of(array: np.ndarray) -> Any:
    """Return a bool array of the missing elements; None if no value of the dtype stands for a missing one."""
    kind = array.dtype.kind
    if kind == "O":
        return np.asarray([_is_missing(value) for value in array.flat], bool).reshape(array.shape)
    return np.isnan(array) if kind in "fc" else np.isnat(array) if kind in "mM" else None


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _holds(dtype: np.dtype, value: object) -> bool:
    return dtype.kind == "O" or np.can_cast(np.asarray(value).dtype, dtype, "same_kind")
