"""The chapter "data type functions" of the array API standard, 2025.12."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from cowarray import _chapters
from cowarray._chapters.data_types import FloatLimits
from cowarray._face.annotations import Array, Device
from cowarray._ops.conversion import standard


def astype(x: ArrayLike, dtype: DTypeLike, /, *, copy: bool = True, device: Device = None) -> Array:
    """An array's elements as another dtype.

    Parameters
    ----------
    x : array_like
    dtype : dtype
    copy : bool, default True
        ``False``: no copy where the dtype stays.
    device : {'cpu'}, optional

    Returns
    -------
    ndarray
        A copy: lazy where the dtype stays, and made at once where it changes. Without `copy`, and where the dtype
        stays: `x` itself, or a view of it if it is another array of this library.

    Raises
    ------
    ValueError
        Another device.

    See Also
    --------
    cowarray.astype : Has NumPy's parameters.
    """
    return standard(_chapters.astype(x, dtype, copy=copy, device=device))


def can_cast(from_: Any, to: DTypeLike, /) -> bool:
    """Whether one dtype, or that of an array, can be cast to another.

    Parameters
    ----------
    from_ : dtype or array_like
        Of an array only the dtype counts.
    to : dtype

    Returns
    -------
    bool

    See Also
    --------
    cowarray.can_cast : Has NumPy's parameters.
    """
    return _chapters.can_cast(from_, to)


def finfo(type: Any, /) -> FloatLimits:
    """The limits of a floating-point dtype, or of the dtype of an array.

    Parameters
    ----------
    type : dtype or array_like

    Returns
    -------
    object
        With the attributes of a `numpy.finfo`; ``eps``, ``max``, ``min`` and ``smallest_normal`` are Python's floats
        where those are wide enough.

    See Also
    --------
    cowarray.finfo : Has NumPy's parameters.
    """
    return _chapters.finfo(type)


def iinfo(type: Any, /) -> np.iinfo[Any]:
    """The limits of an integer dtype, or of the dtype of an array.

    Parameters
    ----------
    type : dtype or array_like

    Returns
    -------
    numpy.iinfo

    See Also
    --------
    cowarray.iinfo : Has NumPy's parameters.
    """
    return _chapters.iinfo(type)


def isdtype(dtype: np.dtype[Any] | type[np.generic], kind: Any) -> bool:
    """Whether a dtype is of a kind, such as ``"integral"``, or is another dtype.

    Parameters
    ----------
    dtype : dtype
    kind : str, dtype or tuple of these

    Returns
    -------
    bool

    See Also
    --------
    cowarray.isdtype : Has NumPy's parameters.
    """
    return _chapters.isdtype(dtype=dtype, kind=kind)


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The dtype of an operation on these arrays, scalars and dtypes.

    Parameters
    ----------
    *arrays_and_dtypes : array_like or dtype
        Of arrays only the dtypes count.

    Returns
    -------
    numpy.dtype

    See Also
    --------
    cowarray.result_type : Has NumPy's parameters.
    """
    return _chapters.result_type(*arrays_and_dtypes)
