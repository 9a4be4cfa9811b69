"""The chapter "data types" of the array API standard: NumPy's own types and `dtype`, and functions about them."""

import builtins
from typing import Any

import numpy as np
from numpy import (
    bool,
    bool_,
    byte,
    bytes_,
    cdouble,
    character,
    clongdouble,
    complex64,
    complex128,
    complexfloating,
    csingle,
    datetime64,
    double,
    dtype,
    flexible,
    float16,
    float32,
    float64,
    floating,
    generic,
    half,
    inexact,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    integer,
    intp,
    long,
    longdouble,
    longlong,
    number,
    object_,
    short,
    signedinteger,
    single,
    str_,
    timedelta64,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ulong,
    ulonglong,
    unsignedinteger,
    ushort,
    void,
)
from numpy.typing import ArrayLike, DTypeLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import complete
from cowarray._face.annotations import Array, Cast, Device
from cowarray._face.ndarray import ndarray
from cowarray._ops.functions import dispatched

__all__ = [
    "astype",
    "bool",
    "bool_",
    "byte",
    "bytes_",
    "can_cast",
    "cdouble",
    "character",
    "clongdouble",
    "complex64",
    "complex128",
    "complexfloating",
    "csingle",
    "datetime64",
    "double",
    "dtype",
    "finfo",
    "flexible",
    "float16",
    "float32",
    "float64",
    "floating",
    "generic",
    "half",
    "iinfo",
    "inexact",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "intc",
    "integer",
    "intp",
    "isdtype",
    "issubdtype",
    "long",
    "longdouble",
    "longlong",
    "min_scalar_type",
    "number",
    "object_",
    "promote_types",
    "result_type",
    "short",
    "signedinteger",
    "single",
    "str_",
    "timedelta64",
    "ubyte",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "unsignedinteger",
    "ushort",
    "void",
]


@dispatching(np.astype, returns=Array)
def astype(x: ArrayLike, dtype: DTypeLike, /, *, copy: builtins.bool = True, device: Device = None) -> Any:
    """Convert an array's elements to another dtype.

    A copy: lazy if the dtype stays, made at once if it changes.

    Parameters
    ----------
    x : array_like
    dtype : dtype
    copy : bool, default True
        ``False``: x itself, if it is an array of this library and has the dtype.
    device : {'cpu'}, optional

    Raises
    ------
    ValueError
        The device is not ``'cpu'``.

    Examples
    --------
    >>> import cowarray
    >>> cowarray.astype(cowarray.asarray([1.5, 2.5]), cowarray.int64)
    array([1, 2])
    """


def can_cast(from_: Any, to: DTypeLike, casting: Cast = "safe") -> builtins.bool:
    """Tell whether one dtype, or that of an array, can be cast to another under a rule.

    Parameters
    ----------
    from_ : dtype or array_like
        Only an array's dtype counts.
    to : dtype
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, default 'safe'

    Returns
    -------
    bool
    """
    return dispatched(np.can_cast, from_, to, casting)


def finfo(dtype: Any) -> np.finfo[Any]:
    """Return the limits of a floating-point dtype, or of the dtype of an array.

    Parameters
    ----------
    dtype : dtype, array or scalar

    Returns
    -------
    numpy.finfo

    See Also
    --------
    numpy.finfo : The class of the result.
    """
    return np.finfo(_dtype_of(dtype))


def iinfo(int_type: Any) -> np.iinfo[Any]:
    """Return the limits of an integer dtype, or of the dtype of an array.

    Parameters
    ----------
    int_type : dtype, array or scalar

    Returns
    -------
    numpy.iinfo

    See Also
    --------
    numpy.iinfo : The class of the result.
    """
    return np.iinfo(_dtype_of(int_type))


def _dtype_of(given: Any) -> Any:
    return given.dtype if isinstance(given, (ndarray, np.ndarray)) else given


def isdtype(dtype: np.dtype[Any] | type[np.generic], kind: Any) -> builtins.bool:
    """Tell whether a dtype is of a kind, such as ``"integral"``, or is another dtype.

    Parameters
    ----------
    dtype : dtype
    kind : str, dtype or tuple of these

    Returns
    -------
    bool

    See Also
    --------
    numpy.isdtype : The same function.
    """
    return np.isdtype(dtype, kind)


def issubdtype(arg1: DTypeLike, arg2: DTypeLike) -> builtins.bool:
    """Tell whether one dtype is equal to another or below it in NumPy's hierarchy.

    Parameters
    ----------
    arg1, arg2 : dtype or type

    Returns
    -------
    bool

    See Also
    --------
    numpy.issubdtype : The same function.
    """
    return np.issubdtype(arg1, arg2)


def min_scalar_type(a: ArrayLike, /) -> np.dtype[Any]:
    """Return the smallest type that can hold a scalar's value.

    Parameters
    ----------
    a : array_like
        An array with axes gives its own dtype.

    Returns
    -------
    dtype
    """
    return dispatched(np.min_scalar_type, a)


def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype[Any]:
    """Return the smallest dtype that both can be cast to safely.

    Parameters
    ----------
    type1, type2 : dtype

    Returns
    -------
    numpy.dtype

    See Also
    --------
    numpy.promote_types : The same function.
    """
    return np.promote_types(type1, type2)


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the result dtype of an operation on these arrays, scalars and dtypes.

    Parameters
    ----------
    *arrays_and_dtypes : array_like or dtype
        Only the dtypes of arrays count.

    Returns
    -------
    numpy.dtype
    """
    return dispatched(np.result_type, *arrays_and_dtypes)


complete(globals())
