"""The chapter "statistical functions" of the array API standard, 2025.12."""

from numpy.typing import ArrayLike

from cowarray._chapters import gathered as _chapters
from cowarray._chapters.docstrings import CompletedFrom
from cowarray._face.annotations import Array, Axes, Axis, DType
from cowarray._ops.conversion import standard

_completed = CompletedFrom(_chapters, "cowarray")


@_completed
def cumulative_prod(x: ArrayLike, /, *, axis: Axis = None, dtype: DType = None, include_initial: bool = False) -> Array:
    """Compute the products of all elements up to each."""
    return standard(_chapters.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial))


@_completed
def cumulative_sum(x: ArrayLike, /, *, axis: Axis = None, dtype: DType = None, include_initial: bool = False) -> Array:
    """Compute the sums of all elements up to each."""
    return standard(_chapters.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial))


@_completed
def max(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Return the greatest elements along axes; NaN if one is NaN."""
    return standard(_chapters.max(x, axis=axis, keepdims=keepdims))


@_completed
def mean(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Compute arithmetic means along axes."""
    return standard(_chapters.mean(x, axis=axis, keepdims=keepdims))


@_completed
def min(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Return the least elements along axes; NaN if one is NaN."""
    return standard(_chapters.min(x, axis=axis, keepdims=keepdims))


@_completed
def prod(x: ArrayLike, /, *, axis: Axes = None, dtype: DType = None, keepdims: bool = False) -> Array:
    """Multiply elements along axes."""
    return standard(_chapters.prod(x, axis=axis, dtype=dtype, keepdims=keepdims))


@_completed
def std(x: ArrayLike, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """Compute standard deviations along axes.

    Parameters
    ----------
    correction : float, default 0.0
        Subtracted from the number of elements to give the divisor.
    """
    return standard(_chapters.std(x, axis=axis, correction=correction, keepdims=keepdims))


@_completed
def sum(x: ArrayLike, /, *, axis: Axes = None, dtype: DType = None, keepdims: bool = False) -> Array:
    """Sum elements along axes."""
    return standard(_chapters.sum(x, axis=axis, dtype=dtype, keepdims=keepdims))


@_completed
def var(x: ArrayLike, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    """Compute variances along axes.

    Parameters
    ----------
    correction : float, default 0.0
        Subtracted from the number of elements to give the divisor.
    """
    return standard(_chapters.var(x, axis=axis, correction=correction, keepdims=keepdims))
