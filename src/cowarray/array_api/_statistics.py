"""The chapter "statistical functions" of the array API standard, 2025.12."""

from numpy.typing import ArrayLike

from cowarray import _chapters
from cowarray._chapters.docstrings import Completed
from cowarray._face.annotations import Array, Axes, Axis, DType
from cowarray._ops.conversion import standard

_PARAMETERS = {
    "x": "array_like",
    "axis": "int or tuple of int, optional\n    All axes if omitted.",
    "dtype": "dtype, optional\n    The type to compute in, and of the result. Default: what NumPy's rules give.",
    "keepdims": "bool, default False\n    Whether reduced axes stay, with length 1.",
}
_completed = Completed(_PARAMETERS, "ndarray", "cowarray", "Has NumPy's parameters.")


def cumulative_prod(x: ArrayLike, /, *, axis: Axis = None, dtype: DType = None, include_initial: bool = False) -> Array:
    """Products of all elements up to each.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        May be omitted for an array of one axis.
    dtype : dtype, optional
        The type to compute in, and of the result. Default: what NumPy's rules give.
    include_initial : bool, default False
        Whether the result begins with the sum or product of nothing.

    Returns
    -------
    ndarray
        Fresh.

    Raises
    ------
    ValueError
        No axis is given, and `x` has several.

    See Also
    --------
    cowarray.cumulative_prod : Has NumPy's parameters.
    """
    return standard(_chapters.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial))


def cumulative_sum(x: ArrayLike, /, *, axis: Axis = None, dtype: DType = None, include_initial: bool = False) -> Array:
    """Sums of all elements up to each.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        May be omitted for an array of one axis.
    dtype : dtype, optional
        The type to compute in, and of the result. Default: what NumPy's rules give.
    include_initial : bool, default False
        Whether the result begins with the sum or product of nothing.

    Returns
    -------
    ndarray
        Fresh.

    Raises
    ------
    ValueError
        No axis is given, and `x` has several.

    See Also
    --------
    cowarray.cumulative_sum : Has NumPy's parameters.
    """
    return standard(_chapters.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial))


@_completed
def max(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """The greatest elements along axes; NaN where one is.

    Fresh.
    """
    return standard(_chapters.max(x, axis=axis, keepdims=keepdims))


@_completed
def mean(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Arithmetic means along axes.

    Fresh.
    """
    return standard(_chapters.mean(x, axis=axis, keepdims=keepdims))


@_completed
def min(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """The least elements along axes; NaN where one is.

    Fresh.
    """
    return standard(_chapters.min(x, axis=axis, keepdims=keepdims))


@_completed
def prod(x: ArrayLike, /, *, axis: Axes = None, dtype: DType = None, keepdims: bool = False) -> Array:
    """Products along axes.

    Fresh.
    """
    return standard(_chapters.prod(x, axis=axis, dtype=dtype, keepdims=keepdims))


def std(x: ArrayLike, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """Standard deviations along axes.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        All axes if omitted.
    correction : float, default 0.0
        Divisors are the number of elements less this.
    keepdims : bool, default False
        Whether reduced axes stay, with length 1.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.std : Has NumPy's parameters.
    """
    return standard(_chapters.std(x, axis=axis, correction=correction, keepdims=keepdims))


@_completed
def sum(x: ArrayLike, /, *, axis: Axes = None, dtype: DType = None, keepdims: bool = False) -> Array:
    """Sums along axes.

    Fresh.
    """
    return standard(_chapters.sum(x, axis=axis, dtype=dtype, keepdims=keepdims))


def var(x: ArrayLike, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """Variances along axes.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        All axes if omitted.
    correction : float, default 0.0
        Divisors are the number of elements less this.
    keepdims : bool, default False
        Whether reduced axes stay, with length 1.

    Returns
    -------
    ndarray
        Fresh.

    See Also
    --------
    cowarray.var : Has NumPy's parameters.
    """
    return standard(_chapters.var(x, axis=axis, correction=correction, keepdims=keepdims))
