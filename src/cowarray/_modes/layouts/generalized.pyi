from collections.abc import Sequence
from typing import Any

import numpy as np

from cowarray._modes.layouts.layouts import Layout

__all__ = ["generalized"]

def generalized(
    ufunc: np.ufunc,
    inputs: Sequence[object],
    *,
    axes: list[int | tuple[int, ...]] | None = None,
    axis: object = ...,
    keepdims: object = ...,
    out: np.ndarray[Any, np.dtype[Any]] | tuple[np.ndarray[Any, np.dtype[Any]] | None, ...] | None = None,
    order: str = "K",
    **options: Any,
) -> tuple[Layout, ...]: ...
