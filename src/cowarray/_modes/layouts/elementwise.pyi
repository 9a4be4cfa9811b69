from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cowarray._modes.layouts.layouts import Layout

__all__ = ["elementwise", "outer", "where"]

_Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
_Out: TypeAlias = _Array | tuple[_Array | None, ...] | None
_Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]

def elementwise(
    ufunc: np.ufunc,
    inputs: Sequence[object],
    *,
    out: _Out = None,
    where: object = True,
    dtype: npt.DTypeLike | None = None,
    signature: object = None,
    casting: _Casting = "same_kind",
    order: str = "K",
    subok: bool = True,
) -> tuple[Layout, ...]: ...
def outer(ufunc: np.ufunc, a: object, b: object, **options: Any) -> Layout | tuple[Layout, ...]: ...
def where(condition: object, a: object, b: object) -> Layout: ...
