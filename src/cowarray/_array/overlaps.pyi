from typing import Any, TypeAlias

import numpy as np

from cowarray._face.ndarray import ndarray

_Any: TypeAlias = ndarray[Any, Any]

def aliases(x: _Any | np.ndarray[Any, Any], y: _Any | np.ndarray[Any, Any], /) -> bool: ...
def shares_bytes(x: _Any | np.ndarray[Any, Any], y: _Any | np.ndarray[Any, Any], /) -> bool: ...
