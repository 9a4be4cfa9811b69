from typing import Any

import numpy as np
import numpy.typing as npt

from cowarray._modes.layouts.layouts import Layout

__all__ = ["einsum"]

def einsum(
    subscripts: str,
    *operands: object,
    out: np.ndarray[Any, np.dtype[Any]] | None = None,
    dtype: npt.DTypeLike | None = None,
    order: str = "K",
    casting: str = "safe",
) -> Layout | None: ...
