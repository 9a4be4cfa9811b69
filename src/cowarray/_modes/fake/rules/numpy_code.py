"""Private modules of NumPy whose functions the rules run or replace. NumPy has no stubs for them: they are `Any`."""

from typing import Any

import numpy._core._methods
import numpy._core.einsumfunc
import numpy._core.fromnumeric
import numpy._core.multiarray
import numpy.lib._function_base_impl
import numpy.lib._index_tricks_impl
import numpy.lib._nanfunctions_impl
import numpy.lib._utils_impl
import numpy.linalg._linalg
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]  # compiled, without a stub

__all__ = [
    "einsumfunc",
    "fromnumeric",
    "function_base",
    "index_tricks",
    "linalg",
    "methods",
    "multiarray",
    "nanfunctions",
    "umath",
    "utils",
]

einsumfunc: Any = numpy._core.einsumfunc
fromnumeric: Any = numpy._core.fromnumeric
methods: Any = numpy._core._methods
multiarray: Any = numpy._core.multiarray
function_base: Any = numpy.lib._function_base_impl
index_tricks: Any = numpy.lib._index_tricks_impl
nanfunctions: Any = numpy.lib._nanfunctions_impl
utils: Any = numpy.lib._utils_impl
linalg: Any = numpy.linalg._linalg
umath: Any = _multiarray_umath
