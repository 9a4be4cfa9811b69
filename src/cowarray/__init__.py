"""Arrays that look like NumPy's and behave like values, at the price of a view.

Copies (`copy`, `reshape`, `ravel`, ...) share bytes until one of the arrays is written to. Views alias, as in NumPy.
"""

# First: where nothing native may be loaded, it refuses.
from cowarray import _interpreter as _interpreter

# isort: split
# A chapter lists its names itself.
from cowarray import (
    _callbacks,
    _constants,
    _creation,
    _data_types,
    _elementwise,
    _elementwise_numpy,
    _indexing_functions,
    _linear_algebra,
    _manipulation,
    _numpys_own,
    _polynomials,
    _raw_files,
    _searching,
    _sets,
    _sorting,
    _statistics,
    _utility,
)
from cowarray import fft as fft
from cowarray import linalg as linalg
from cowarray import random as random
from cowarray._callbacks import *  # noqa: F403
from cowarray._constants import *  # noqa: F403
from cowarray._creation import *  # noqa: F403
from cowarray._data_types import *  # noqa: F403
from cowarray._elementwise import *  # noqa: F403
from cowarray._elementwise_numpy import *  # noqa: F403
from cowarray._files import load, save, savez, savez_compressed
from cowarray._indexing_functions import *  # noqa: F403
from cowarray._inspection import __array_api_version__ as __array_api_version__
from cowarray._inspection import __array_namespace_info__ as __array_namespace_info__
from cowarray._linear_algebra import *  # noqa: F403
from cowarray._manipulation import *  # noqa: F403
from cowarray._modes import CopyError, Materialization, no_copy, trace
from cowarray._native import Storage, keep_freed, reset_stats, stats
from cowarray._ndarray import aliases, array, asarray, from_dlpack, ndarray, shares_bytes
from cowarray._numpys_own import *  # noqa: F403
from cowarray._polynomials import *  # noqa: F403
from cowarray._raw_files import *  # noqa: F403
from cowarray._report import Explanation, explain
from cowarray._searching import *  # noqa: F403
from cowarray._sets import *  # noqa: F403
from cowarray._sorting import *  # noqa: F403
from cowarray._statistics import *  # noqa: F403
from cowarray._utility import *  # noqa: F403

__all__ = [
    "CopyError",
    "Explanation",
    "Materialization",
    "Storage",
    "aliases",
    "array",
    "asarray",
    "explain",
    "fft",
    "from_dlpack",
    "get_include",
    "keep_freed",
    "lazy_clone",
    "linalg",
    "load",
    "ndarray",
    "no_copy",
    "random",
    "reset_stats",
    "save",
    "savez",
    "savez_compressed",
    "shares_bytes",
    "stats",
    "trace",
]
__all__ += _callbacks.__all__
__all__ += _constants.__all__
__all__ += _creation.__all__
__all__ += _data_types.__all__
__all__ += _elementwise.__all__
__all__ += _elementwise_numpy.__all__
__all__ += _indexing_functions.__all__
__all__ += _linear_algebra.__all__
__all__ += _manipulation.__all__
__all__ += _numpys_own.__all__
__all__ += _polynomials.__all__
__all__ += _raw_files.__all__
__all__ += _searching.__all__
__all__ += _sets.__all__
__all__ += _sorting.__all__
__all__ += _statistics.__all__
__all__ += _utility.__all__

__version__ = "0.1.0"

for _public in (CopyError, Materialization, no_copy, trace, Explanation, explain, load, save, savez, savez_compressed):
    _public.__module__ = "cowarray"
del _public


def lazy_clone(x, /):
    """A copy of x, in the same memory layout, that shares bytes until one of the two is written to.

    Parameters
    ----------
    x : array_like
        Anything but our own arrays goes through `asarray` first.

    Returns
    -------
    ndarray
        Writable, in a Storage of its own.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.array([1, 2, 3])
    >>> y = cowarray.lazy_clone(x)
    >>> y[0] = 5
    >>> x
    array([1, 2, 3])
    """
    return asarray(x).lazy_clone()


def get_include():
    """The folder with ``cowarray/core.h`` and ``cowarray/python.h``, for compiling extensions.

    Returns
    -------
    str
    """
    from pathlib import Path

    return str(Path(__file__).parent / "include")
