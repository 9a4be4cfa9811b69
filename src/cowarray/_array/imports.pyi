from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray

def array_of_file(
    descriptor: int, offset: int, shape: tuple[int, ...], descr: np.dtype[Any], fortran: bool
) -> ndarray[Any, Any]: ...
def array_of_map(descriptor: int, offset: int, array: np.ndarray[Any, Any], value: object) -> ndarray[Any, Any]: ...
def large_foreign(value: object) -> np.ndarray[Any, Any] | None: ...
