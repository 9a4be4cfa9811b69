"""The chapter "statistical functions" of the array API standard, 2025.12, and NumPy's functions of that kind.

Arguments are array_like: cowarray's arrays or NumPy's, scalars, lists, anything with a buffer or ``__array__``. They
are only read, and lazy copies stay lazy; ``out`` is written to and returned, and no copy of it changes. Options,
results and errors are those of NumPy's function of the same name; other arrays are returned as fresh
`cowarray.ndarray`, or as NumPy's scalars if they have no axes.

It is one file because a chapter of the standard is one module. Read it a function at a time. The parameters that
reductions share are described once; `_reduction` and its like put them into the docstrings.
"""

from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy._globals import _NoValueType
from numpy.typing import ArrayLike

from cowarray._chapters.declared import dispatching
from cowarray._chapters.docstrings import Completed, complete, describe_methods
from cowarray._face.annotations import Array, Axes, Axis, DType
from cowarray._face.ndarray import ndarray

_Bins: TypeAlias = int | str | ArrayLike
_Mode: TypeAlias = Literal["full", "same", "valid"]
_Vector: TypeAlias = ndarray[tuple[int], Any]

__all__ = [
    "amax",
    "amin",
    "average",
    "bincount",
    "convolve",
    "corrcoef",
    "correlate",
    "cov",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "max",
    "mean",
    "median",
    "min",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "percentile",
    "prod",
    "ptp",
    "quantile",
    "std",
    "sum",
    "var",
]

_DEFAULT = np._NoValue  # "not given", where None would mean something

_PARAMETERS = {
    "a": "array_like",
    "x": "array_like",
    "dtype": "dtype, optional\n    The type to compute in, and of the result. Default: by NumPy's rules.",
    "out": "ndarray, optional\n    Written and returned, in place of a fresh array.",
    "keepdims": "bool, optional\n    Whether reduced axes stay, with length 1.",
}
_reduction = Completed(
    {
        **_PARAMETERS,
        "axis": "int or tuple of int, optional\n    All axes if omitted.",
        "q": "array_like\n    Which ones to compute. The axes of `q` come first in the result.",
        "overwrite_input": (
            "bool, default False\n"
            "    Whether `a` may be written to, to save memory. Its contents, and those of its views, are undefined\n"
            "    afterwards; copies keep theirs."
        ),
        "method": "str, default 'linear'\n    How to choose between two elements; `numpy.quantile` lists the names.",
        "ddof": "int or float, default 0\n    Subtracted from the number of elements to give the divisor.",
        "initial": "scalar, optional\n    One more value to include.",
        "where": "array_like of bool, optional\n    The elements to include. Default: all.",
        "mean": "array_like, optional\n    The means, if already known, with reduced axes of length 1.",
        "correction": "int or float, optional\n    The standard's name for `ddof`.",
        "weights": "array_like, optional\n    The weight of each element; needs ``method='inverted_cdf'``. Default: 1.",
    }
)
_running = Completed({**_PARAMETERS, "axis": "int, optional\n    The flattened array if omitted."})
_cumulative = Completed(
    {
        **_PARAMETERS,
        "axis": "int, optional\n    May be omitted for an array of one axis.",
        "include_initial": (
            "bool, default False\n    Whether the result begins with the sum or product of no elements: 0 or 1."
        ),
    }
)


@dispatching(np.amax)
@_reduction
def amax(
    a: ArrayLike,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    initial: Any = _DEFAULT,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Return the greatest elements along axes: another name for `max`.

    Fresh, or `out`.
    """


@dispatching(np.amin)
@_reduction
def amin(
    a: ArrayLike,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    initial: Any = _DEFAULT,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Return the least elements along axes: another name for `min`.

    Fresh, or `out`.
    """


@dispatching(np.average)
def average(
    a: ArrayLike,
    axis: Axes = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool | _NoValueType = _DEFAULT,
) -> Any:
    """Return weighted means along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes if omitted.
    weights : array_like, optional
        Of a's shape, or of its length along the axis. Default: all equal.
    returned : bool, default False
        Whether to return the sums of weights as well.
    keepdims : bool, optional
        Whether reduced axes stay, with length 1.

    Returns
    -------
    ndarray or scalar, or tuple of two
        Fresh.

    Raises
    ------
    ZeroDivisionError
        A sum of weights is 0.
    """


@dispatching(np.bincount, arrays=2, returns=_Vector)
def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: SupportsIndex = 0) -> Any:
    """Count how often each whole number occurs, from 0 on.

    Fresh.

    Parameters
    ----------
    x : array_like of int
        One-dimensional; not negative.
    weights : array_like, optional
        Of x's shape: the weight of each element. Default: 1.
    minlength : int, default 0
        The least length of the result.
    """


@dispatching(np.convolve, arrays=2, returns=_Vector)
def convolve(a: ArrayLike, v: ArrayLike, mode: _Mode = "full") -> Any:
    """Compute the discrete convolution of two sequences.

    Fresh.

    Parameters
    ----------
    a, v : array_like
        One-dimensional.
    mode : {'full', 'same', 'valid'}, default 'full'
        Which part: all overlaps, as long as the longer sequence, or only complete overlaps.
    """


@dispatching(np.corrcoef)
def corrcoef(x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: DType = None) -> Any:
    """Compute correlation coefficients of variables, each a row of observations.

    Fresh.

    Parameters
    ----------
    x : array_like
    y : array_like, optional
        More variables, as in the first argument.
    rowvar : bool, default True
        Whether each row, rather than each column, is a variable.
    dtype : dtype, optional
        Of the result; at least float64.
    """


@dispatching(np.correlate, arrays=2, returns=_Vector)
def correlate(a: ArrayLike, v: ArrayLike, mode: _Mode = "valid") -> Any:
    """Compute the cross-correlation of two sequences.

    Fresh.

    Parameters
    ----------
    a, v : array_like
        One-dimensional.
    mode : {'full', 'same', 'valid'}, default 'valid'
        As for `convolve`.
    """


@dispatching(np.cov)
def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: SupportsIndex | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: DType = None,
) -> Any:
    """Compute covariances of variables, each a row of observations.

    Fresh.

    Parameters
    ----------
    m : array_like
    y : array_like, optional
        More variables, as in the first argument.
    rowvar : bool, default True
        Whether each row, rather than each column, is a variable.
    bias : bool, default False
        Whether to divide by the number of observations instead of one less.
    ddof : int, optional
        What to subtract from the number of observations; `bias` is then ignored.
    fweights : array_like of int, optional
        How often each observation counts.
    aweights : array_like, optional
        The weight of each observation.
    dtype : dtype, optional
        Of the result; at least float64.
    """


@dispatching(np.cumprod)
@_running
def cumprod(a: ArrayLike, axis: Axis = None, dtype: DType = None, out: Any = None) -> Any:
    """Compute the products of all elements up to each.

    Fresh, or `out`.
    """


@dispatching(np.cumsum)
@_running
def cumsum(a: ArrayLike, axis: Axis = None, dtype: DType = None, out: Any = None) -> Any:
    """Compute the sums of all elements up to each.

    Fresh, or `out`.
    """


@dispatching(np.cumulative_prod)
@_cumulative
def cumulative_prod(
    x: ArrayLike, /, *, axis: Axis = None, dtype: DType = None, out: Any = None, include_initial: bool = False
) -> Any:
    """Compute the products of all elements up to each.

    Fresh, or `out`.

    Raises
    ------
    ValueError
        No axis is given, and `x` has several.
    """


@dispatching(np.cumulative_sum)
@_cumulative
def cumulative_sum(
    x: ArrayLike, /, *, axis: Axis = None, dtype: DType = None, out: Any = None, include_initial: bool = False
) -> Any:
    """Compute the sums of all elements up to each.

    Fresh, or `out`.

    Raises
    ------
    ValueError
        No axis is given, and `x` has several.
    """


@dispatching(np.histogram, arrays=5, returns=tuple[_Vector, _Vector])
def histogram(
    a: ArrayLike,
    bins: _Bins = 10,
    range: ArrayLike | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> Any:
    """Count the elements in each bin.

    Parameters
    ----------
    a : array_like
    bins : int, str or array_like, default 10
        The number of bins, how to find them, or their edges.
    range : pair of float, optional
        The first and the last edge, unless `bins` lists them. Default: the least and the greatest element.
    density : bool, optional
        Whether the integral over all bins is 1.
    weights : array_like, optional
        Of a's shape: the weight of each element. Default: 1.

    Returns
    -------
    hist : ndarray
        The counts, or densities: fresh.
    bin_edges : ndarray
        The edges, one more than bins: fresh.
    """


@dispatching(np.histogram2d, arrays=6, returns=tuple[ndarray[tuple[int, int], Any], _Vector, _Vector])
def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: _Bins = 10,
    range: ArrayLike | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> Any:
    """Count the points in each bin of a plane.

    Parameters
    ----------
    x, y : array_like
        The coordinates, one-dimensional.
    bins : int, array_like, or pair of these, default 10
        For both coordinates, or for each.
    range : array_like, optional
        The first and the last edge, for each coordinate.
    density : bool, optional
        Whether the integral over all bins is 1.
    weights : array_like, optional
        The weight of each point. Default: 1.

    Returns
    -------
    H : ndarray
        The counts, or densities: fresh.
    xedges : ndarray
        The edges of bins along x: fresh.
    yedges : ndarray
        The edges of bins along y: fresh.
    """


@dispatching(np.histogram_bin_edges, arrays=4, returns=_Vector)
def histogram_bin_edges(
    a: ArrayLike, bins: _Bins = 10, range: ArrayLike | None = None, weights: ArrayLike | None = None
) -> Any:
    """Return the edges of the bins that `histogram` would use.

    Fresh.

    Parameters
    ----------
    a : array_like
    bins : int, str or array_like, default 10
        The number of bins, how to find them, or their edges.
    range : pair of float, optional
        The first and the last edge, unless `bins` lists them. Default: the least and the greatest element.
    weights : array_like, optional
        As for `histogram`.
    """


@dispatching(np.histogramdd, arrays=5, returns=tuple[Array, list[_Vector]])
def histogramdd(
    sample: ArrayLike,
    bins: _Bins = 10,
    range: ArrayLike | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> Any:
    """Count the points in each bin of a space.

    Parameters
    ----------
    sample : array_like
        A point in each row, or a sequence of the coordinates along each axis.
    bins : int, or sequence of int or array_like, default 10
        For all coordinates, or for each.
    range : sequence, optional
        The first and the last edge, for each coordinate.
    density : bool, optional
        Whether the integral over all bins is 1.
    weights : array_like, optional
        The weight of each point. Default: 1.

    Returns
    -------
    H : ndarray
        The counts, or densities: fresh.
    edges : list of ndarray
        The edges of bins along each coordinate: fresh.
    """


@dispatching(np.max)
@_reduction
def max(
    a: ArrayLike,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    initial: Any = _DEFAULT,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Return the greatest elements along axes; NaN if one is NaN.

    Fresh, or `out`.
    """


@dispatching(np.mean)
@_reduction
def mean(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DType = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    *,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Compute arithmetic means along axes.

    Fresh, or `out`.
    """


@dispatching(np.median)
@_reduction
def median(
    a: ArrayLike, axis: Axes = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any:
    """Compute medians along axes.

    Fresh, or `out`.
    """


@dispatching(np.min)
@_reduction
def min(
    a: ArrayLike,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    initial: Any = _DEFAULT,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Return the least elements along axes; NaN if one is NaN.

    Fresh, or `out`.
    """


@dispatching(np.nanargmax)
@_running
def nanargmax(a: ArrayLike, axis: Axis = None, out: Any = None, *, keepdims: bool | _NoValueType = _DEFAULT) -> Any:
    """Return the indices of the greatest elements along an axis, ignoring NaNs.

    Fresh, or `out`.

    Raises
    ------
    ValueError
        A slice has only NaNs.
    """


@dispatching(np.nanargmin)
@_running
def nanargmin(a: ArrayLike, axis: Axis = None, out: Any = None, *, keepdims: bool | _NoValueType = _DEFAULT) -> Any:
    """Return the indices of the least elements along an axis, ignoring NaNs.

    Fresh, or `out`.

    Raises
    ------
    ValueError
        A slice has only NaNs.
    """


@dispatching(np.nancumprod)
@_running
def nancumprod(a: ArrayLike, axis: Axis = None, dtype: DType = None, out: Any = None) -> Any:
    """Compute the products of all elements up to each, counting NaNs as 1.

    Fresh, or `out`.
    """


@dispatching(np.nancumsum)
@_running
def nancumsum(a: ArrayLike, axis: Axis = None, dtype: DType = None, out: Any = None) -> Any:
    """Compute the sums of all elements up to each, counting NaNs as 0.

    Fresh, or `out`.
    """


@dispatching(np.nanmax)
@_reduction
def nanmax(
    a: ArrayLike,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    initial: Any = _DEFAULT,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Return the greatest elements along axes, ignoring NaNs.

    Fresh, or `out`.
    """


@dispatching(np.nanmean)
@_reduction
def nanmean(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DType = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    *,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Compute arithmetic means along axes, ignoring NaNs.

    Fresh, or `out`.
    """


@dispatching(np.nanmedian)
@_reduction
def nanmedian(
    a: ArrayLike,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool | _NoValueType = _DEFAULT,
) -> Any:
    """Compute medians along axes, ignoring NaNs.

    Fresh, or `out`.
    """


@dispatching(np.nanmin)
@_reduction
def nanmin(
    a: ArrayLike,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    initial: Any = _DEFAULT,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Return the least elements along axes, ignoring NaNs.

    Fresh, or `out`.
    """


@dispatching(np.nanpercentile, arrays=2)
@_reduction
def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool | _NoValueType = _DEFAULT,
    *,
    weights: ArrayLike | None = None,
) -> Any:
    """Compute percentiles along axes, ignoring NaNs; `q` is from 0 to 100.

    Fresh, or `out`.
    """


@dispatching(np.nanprod)
@_reduction
def nanprod(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DType = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    initial: Any = _DEFAULT,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Multiply elements along axes, counting NaNs as 1.

    Fresh, or `out`.
    """


@dispatching(np.nanquantile, arrays=2)
@_reduction
def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool | _NoValueType = _DEFAULT,
    *,
    weights: ArrayLike | None = None,
) -> Any:
    """Compute quantiles along axes, ignoring NaNs; `q` is from 0 to 1.

    Fresh, or `out`.
    """


@dispatching(np.nanstd)
@_reduction
def nanstd(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DType = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool | _NoValueType = _DEFAULT,
    *,
    where: ArrayLike | _NoValueType = _DEFAULT,
    mean: ArrayLike | _NoValueType = _DEFAULT,
    correction: float | _NoValueType = _DEFAULT,
) -> Any:
    """Compute standard deviations along axes, ignoring NaNs.

    Fresh, or `out`.
    """


@dispatching(np.nansum)
@_reduction
def nansum(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DType = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    initial: Any = _DEFAULT,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Sum elements along axes, counting NaNs as 0.

    Fresh, or `out`.
    """


@dispatching(np.nanvar)
@_reduction
def nanvar(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DType = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool | _NoValueType = _DEFAULT,
    *,
    where: ArrayLike | _NoValueType = _DEFAULT,
    mean: ArrayLike | _NoValueType = _DEFAULT,
    correction: float | _NoValueType = _DEFAULT,
) -> Any:
    """Compute variances along axes, ignoring NaNs.

    Fresh, or `out`.
    """


@dispatching(np.percentile, arrays=2)
@_reduction
def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Any:
    """Compute percentiles along axes; `q` is from 0 to 100.

    Fresh, or `out`.
    """


@dispatching(np.prod)
@_reduction
def prod(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DType = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    initial: Any = _DEFAULT,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Multiply elements along axes.

    Fresh, or `out`.
    """


@dispatching(np.ptp)
@_reduction
def ptp(a: ArrayLike, axis: Axes = None, out: Any = None, keepdims: bool | _NoValueType = _DEFAULT) -> Any:
    """Compute the differences of the greatest and the least elements along axes.

    Fresh, or `out`.
    """


@dispatching(np.quantile, arrays=2)
@_reduction
def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Any:
    """Compute quantiles along axes; `q` is from 0 to 1.

    Fresh, or `out`.
    """


@dispatching(np.std)
@_reduction
def std(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DType = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool | _NoValueType = _DEFAULT,
    *,
    where: ArrayLike | _NoValueType = _DEFAULT,
    mean: ArrayLike | _NoValueType = _DEFAULT,
    correction: float | _NoValueType = _DEFAULT,
) -> Any:
    """Compute standard deviations along axes.

    Fresh, or `out`.
    """


@dispatching(np.sum)
@_reduction
def sum(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DType = None,
    out: Any = None,
    keepdims: bool | _NoValueType = _DEFAULT,
    initial: Any = _DEFAULT,
    where: ArrayLike | _NoValueType = _DEFAULT,
) -> Any:
    """Sum elements along axes.

    Fresh, or `out`.
    """


@dispatching(np.var)
@_reduction
def var(
    a: ArrayLike,
    axis: Axes = None,
    dtype: DType = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool | _NoValueType = _DEFAULT,
    *,
    where: ArrayLike | _NoValueType = _DEFAULT,
    mean: ArrayLike | _NoValueType = _DEFAULT,
    correction: float | _NoValueType = _DEFAULT,
) -> Any:
    """Compute variances along axes.

    Fresh, or `out`.
    """


complete(globals())
describe_methods(globals())
