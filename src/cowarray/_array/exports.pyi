from contextvars import ContextVar
from typing import Any, Self, TypeAlias, final

import numpy as np

from cowarray._face.ndarray import ndarray

_Any: TypeAlias = ndarray[Any, Any]

def aliases(x: _Any | np.ndarray[Any, Any], y: _Any | np.ndarray[Any, Any], /) -> bool: ...
def shares_bytes(x: _Any | np.ndarray[Any, Any], y: _Any | np.ndarray[Any, Any], /) -> bool: ...

repr_class: ContextVar[type[np.ndarray[Any, Any]] | None]

@final
class Loan:
    def __new__(cls, x: _Any) -> Self: ...
    def end(self) -> None: ...
