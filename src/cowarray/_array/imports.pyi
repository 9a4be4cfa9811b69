from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray

def array_of_file(
    descriptor: int, offset: int, shape: tuple[int, ...], descr: np.dtype[Any], fortran: bool
) -> ndarray[Any, Any]: ...
