from typing import Any

import numpy as np
import numpy.typing as npt

from cowarray._modes.layouts.layouts import Layout

__all__ = ["assigned", "indexed"]

def indexed(x: np.ndarray[Any, np.dtype[Any]], key: object) -> Layout: ...
def assigned(x: np.ndarray[Any, np.dtype[Any]], key: object, value: tuple[tuple[int, ...], npt.DTypeLike]) -> None: ...
