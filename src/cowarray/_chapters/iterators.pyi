from collections.abc import Sequence
from typing import Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

_Operands: TypeAlias = ArrayLike | Sequence[ArrayLike | None]
_Flags: TypeAlias = Sequence[str] | None
_OperandFlags: TypeAlias = Sequence[str] | Sequence[Sequence[str]] | None
_Dtypes: TypeAlias = DTypeLike | Sequence[DTypeLike] | None
_Order: TypeAlias = Literal["C", "F", "A", "K"] | None
_Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]

def nditer(
    op: _Operands,
    flags: _Flags = None,
    op_flags: _OperandFlags = None,
    op_dtypes: _Dtypes = None,
    order: _Order = "K",
    casting: _Casting = "safe",
    op_axes: Sequence[Sequence[SupportsIndex | None] | None] | None = None,
    itershape: Sequence[SupportsIndex] | None = None,
    buffersize: SupportsIndex = 0,
) -> np.nditer: ...
def nested_iters(
    op: _Operands,
    axes: Sequence[Sequence[SupportsIndex]],
    flags: _Flags = None,
    op_flags: _OperandFlags = None,
    op_dtypes: _Dtypes = None,
    order: _Order = "K",
    casting: _Casting = "safe",
    buffersize: SupportsIndex = 0,
) -> tuple[np.nditer, ...]: ...
