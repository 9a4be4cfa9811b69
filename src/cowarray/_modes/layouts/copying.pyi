from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy.typing as npt

from cowarray._modes.layouts.layouts import Layout

__all__ = ["cast", "concatenated", "copied", "fresh", "reshaped_copy"]

_Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]

def fresh(shape: int | Sequence[int], dtype: npt.DTypeLike | None = ..., order: str = "C") -> Layout: ...
def copied(
    x: object,
    order: str | None = "K",
    dtype: npt.DTypeLike | None = None,
    shape: int | Sequence[int] | None = None,
) -> Layout: ...
def cast(x: object, dtype: npt.DTypeLike, order: str | None = "K", casting: _Casting = "unsafe") -> Layout: ...
def reshaped_copy(x: object, shape: int | Sequence[int], order: str = "C") -> Layout: ...
def concatenated(
    arrays: Sequence[object],
    axis: int | None = 0,
    dtype: npt.DTypeLike | None = None,
    casting: _Casting = "same_kind",
) -> Layout: ...
