"""The chapter "statistical functions" of the array API standard, 2025.12, and NumPy's functions of that kind.

Arrays are array_like: ours or NumPy's, scalars, lists, what has a buffer or ``__array__``. They are only read, and stay
the lazy copies that they are; what is given as ``out`` is written and comes back, and no copy of it notices. Options,
results and errors are those of NumPy's function of that name; other arrays that come back are `cowarray.ndarray`, and
fresh. Without axes, NumPy's scalars take their place.

The file is longer than a sitting because a chapter of the standard is one module: a name, a docstring and a line each.
"""

import numpy as np

from cowarray._ops.protocols import dispatched

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


def amax(a, axis=None, out=None, keepdims=_DEFAULT, initial=_DEFAULT, where=_DEFAULT):
    """The greatest elements along axes: another name of `max`.

    Fresh.
    """
    return dispatched(np.amax, a, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)


def amin(a, axis=None, out=None, keepdims=_DEFAULT, initial=_DEFAULT, where=_DEFAULT):
    """The least elements along axes: another name of `min`.

    Fresh.
    """
    return dispatched(np.amin, a, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)


def average(a, axis=None, weights=None, returned=False, *, keepdims=_DEFAULT):
    """Weighted means along axes; as `numpy.average`.

    Fresh. With ``returned=True``: a tuple with the sums of weights. `ZeroDivisionError` where those are 0.
    """
    return dispatched(np.average, a, axis=axis, weights=weights, returned=returned, keepdims=keepdims)


def bincount(x, /, weights=None, minlength=0):
    """How often each whole number is there, from 0 on; as `numpy.bincount`.

    Fresh.
    """
    return dispatched(np.bincount, x, weights=weights, minlength=minlength)


def convolve(a, v, mode="full"):
    """The discrete convolution of two sequences; as `numpy.convolve`.

    Fresh.
    """
    return dispatched(np.convolve, a, v, mode=mode)


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Coefficients of correlation of variables, a row of observations each; as `numpy.corrcoef`.

    Fresh.
    """
    return dispatched(np.corrcoef, x, y=y, rowvar=rowvar, dtype=dtype)


def correlate(a, v, mode="valid"):
    """The cross-correlation of two sequences; as `numpy.correlate`.

    Fresh.
    """
    return dispatched(np.correlate, a, v, mode=mode)


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Covariances of variables, a row of observations each; as `numpy.cov`.

    Fresh.
    """
    return dispatched(
        np.cov, m, y=y, rowvar=rowvar, bias=bias, ddof=ddof, fweights=fweights, aweights=aweights, dtype=dtype
    )


def cumprod(a, axis=None, dtype=None, out=None):
    """Products of all elements up to each; as `numpy.cumprod`.

    Fresh.
    """
    return dispatched(np.cumprod, a, axis=axis, dtype=dtype, out=out)


def cumsum(a, axis=None, dtype=None, out=None):
    """Sums of all elements up to each; as `numpy.cumsum`.

    Fresh.
    """
    return dispatched(np.cumsum, a, axis=axis, dtype=dtype, out=out)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Products of all elements up to each; as `numpy.cumulative_prod`.

    Fresh. `ValueError` without an axis, if x has more than one.
    """
    return dispatched(np.cumulative_prod, x, axis=axis, dtype=dtype, out=out, include_initial=include_initial)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Sums of all elements up to each; as `numpy.cumulative_sum`.

    Fresh. `ValueError` without an axis, if x has more than one.
    """
    return dispatched(np.cumulative_sum, x, axis=axis, dtype=dtype, out=out, include_initial=include_initial)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements lie in each bin, and the edges of the bins; as `numpy.histogram`.

    Fresh.
    """
    return dispatched(np.histogram, a, bins=bins, range=range, density=density, weights=weights)


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many points lie in each bin of a plane, and the edges of the bins; as `numpy.histogram2d`.

    Fresh.
    """
    return dispatched(np.histogram2d, x, y, bins=bins, range=range, density=density, weights=weights)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins that `histogram` would use; as `numpy.histogram_bin_edges`.

    Fresh.
    """
    return dispatched(np.histogram_bin_edges, a, bins=bins, range=range, weights=weights)


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """How many points lie in each bin of a space, and a list of edges; as `numpy.histogramdd`.

    Fresh.
    """
    return dispatched(np.histogramdd, sample, bins=bins, range=range, density=density, weights=weights)


def max(a, axis=None, out=None, keepdims=_DEFAULT, initial=_DEFAULT, where=_DEFAULT):
    """The greatest elements along axes; NaN where one is; as `numpy.max`.

    Fresh.
    """
    return dispatched(np.max, a, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)


def mean(a, axis=None, dtype=None, out=None, keepdims=_DEFAULT, *, where=_DEFAULT):
    """Arithmetic means along axes; as `numpy.mean`.

    Fresh.
    """
    return dispatched(np.mean, a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, where=where)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Medians along axes; as `numpy.median`.

    Fresh. With ``overwrite_input=True``, a is written: views of it see its elements in another order, copies do not.
    """
    return dispatched(np.median, a, axis=axis, out=out, overwrite_input=overwrite_input, keepdims=keepdims)


def min(a, axis=None, out=None, keepdims=_DEFAULT, initial=_DEFAULT, where=_DEFAULT):
    """The least elements along axes; NaN where one is; as `numpy.min`.

    Fresh.
    """
    return dispatched(np.min, a, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)


def nanargmax(a, axis=None, out=None, *, keepdims=_DEFAULT):
    """Indices of the greatest elements along an axis, without NaNs; as `numpy.nanargmax`.

    Fresh. `ValueError` where all are NaN.
    """
    return dispatched(np.nanargmax, a, axis=axis, out=out, keepdims=keepdims)


def nanargmin(a, axis=None, out=None, *, keepdims=_DEFAULT):
    """Indices of the least elements along an axis, without NaNs; as `numpy.nanargmin`.

    Fresh. `ValueError` where all are NaN.
    """
    return dispatched(np.nanargmin, a, axis=axis, out=out, keepdims=keepdims)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Products of all elements up to each, NaNs taken for 1; as `numpy.nancumprod`.

    Fresh.
    """
    return dispatched(np.nancumprod, a, axis=axis, dtype=dtype, out=out)


def nancumsum(a, axis=None, dtype=None, out=None):
    """Sums of all elements up to each, NaNs taken for 0; as `numpy.nancumsum`.

    Fresh.
    """
    return dispatched(np.nancumsum, a, axis=axis, dtype=dtype, out=out)


def nanmax(a, axis=None, out=None, keepdims=_DEFAULT, initial=_DEFAULT, where=_DEFAULT):
    """The greatest elements along axes, without NaNs; as `numpy.nanmax`.

    Fresh.
    """
    return dispatched(np.nanmax, a, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=_DEFAULT, *, where=_DEFAULT):
    """Arithmetic means along axes, without NaNs; as `numpy.nanmean`.

    Fresh.
    """
    return dispatched(np.nanmean, a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, where=where)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=_DEFAULT):
    """Medians along axes, without NaNs; as `numpy.nanmedian`.

    Fresh. ``overwrite_input=True`` as for `median`.
    """
    return dispatched(np.nanmedian, a, axis=axis, out=out, overwrite_input=overwrite_input, keepdims=keepdims)


def nanmin(a, axis=None, out=None, keepdims=_DEFAULT, initial=_DEFAULT, where=_DEFAULT):
    """The least elements along axes, without NaNs; as `numpy.nanmin`.

    Fresh.
    """
    return dispatched(np.nanmin, a, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)


def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_DEFAULT, *, weights=None
):
    """Percentiles along axes, without NaNs; as `numpy.nanpercentile`.

    Fresh. ``overwrite_input=True`` as for `median`.
    """
    return dispatched(
        np.nanpercentile,
        a,
        q,
        axis=axis,
        out=out,
        overwrite_input=overwrite_input,
        method=method,
        keepdims=keepdims,
        weights=weights,
    )


def nanprod(a, axis=None, dtype=None, out=None, keepdims=_DEFAULT, initial=_DEFAULT, where=_DEFAULT):
    """Products along axes, NaNs taken for 1; as `numpy.nanprod`.

    Fresh.
    """
    return dispatched(np.nanprod, a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_DEFAULT, *, weights=None):
    """Quantiles along axes, without NaNs; as `numpy.nanquantile`.

    Fresh. ``overwrite_input=True`` as for `median`.
    """
    return dispatched(
        np.nanquantile,
        a,
        q,
        axis=axis,
        out=out,
        overwrite_input=overwrite_input,
        method=method,
        keepdims=keepdims,
        weights=weights,
    )


def nanstd(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=_DEFAULT, *, where=_DEFAULT, mean=_DEFAULT, correction=_DEFAULT
):
    """Standard deviations along axes, without NaNs; as `numpy.nanstd`.

    Fresh.
    """
    return dispatched(
        np.nanstd,
        a,
        axis=axis,
        dtype=dtype,
        out=out,
        ddof=ddof,
        keepdims=keepdims,
        where=where,
        mean=mean,
        correction=correction,
    )


def nansum(a, axis=None, dtype=None, out=None, keepdims=_DEFAULT, initial=_DEFAULT, where=_DEFAULT):
    """Sums along axes, NaNs taken for 0; as `numpy.nansum`.

    Fresh.
    """
    return dispatched(np.nansum, a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where)


def nanvar(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=_DEFAULT, *, where=_DEFAULT, mean=_DEFAULT, correction=_DEFAULT
):
    """Variances along axes, without NaNs; as `numpy.nanvar`.

    Fresh.
    """
    return dispatched(
        np.nanvar,
        a,
        axis=axis,
        dtype=dtype,
        out=out,
        ddof=ddof,
        keepdims=keepdims,
        where=where,
        mean=mean,
        correction=correction,
    )


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """Percentiles along axes; as `numpy.percentile`.

    Fresh. ``overwrite_input=True`` as for `median`.
    """
    return dispatched(
        np.percentile,
        a,
        q,
        axis=axis,
        out=out,
        overwrite_input=overwrite_input,
        method=method,
        keepdims=keepdims,
        weights=weights,
    )


def prod(a, axis=None, dtype=None, out=None, keepdims=_DEFAULT, initial=_DEFAULT, where=_DEFAULT):
    """Products along axes; as `numpy.prod`.

    Fresh.
    """
    return dispatched(np.prod, a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where)


def ptp(a, axis=None, out=None, keepdims=_DEFAULT):
    """Differences of the greatest and the least elements along axes; as `numpy.ptp`.

    Fresh.
    """
    return dispatched(np.ptp, a, axis=axis, out=out, keepdims=keepdims)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """Quantiles along axes; as `numpy.quantile`.

    Fresh. ``overwrite_input=True`` as for `median`.
    """
    return dispatched(
        np.quantile,
        a,
        q,
        axis=axis,
        out=out,
        overwrite_input=overwrite_input,
        method=method,
        keepdims=keepdims,
        weights=weights,
    )


def std(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=_DEFAULT, *, where=_DEFAULT, mean=_DEFAULT, correction=_DEFAULT
):
    """Standard deviations along axes; as `numpy.std`.

    Fresh. ``correction`` is the standard's name for ``ddof``.
    """
    return dispatched(
        np.std,
        a,
        axis=axis,
        dtype=dtype,
        out=out,
        ddof=ddof,
        keepdims=keepdims,
        where=where,
        mean=mean,
        correction=correction,
    )


def sum(a, axis=None, dtype=None, out=None, keepdims=_DEFAULT, initial=_DEFAULT, where=_DEFAULT):
    """Sums along axes; as `numpy.sum`.

    Fresh.
    """
    return dispatched(np.sum, a, axis=axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where)


def var(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=_DEFAULT, *, where=_DEFAULT, mean=_DEFAULT, correction=_DEFAULT
):
    """Variances along axes; as `numpy.var`.

    Fresh. ``correction`` is the standard's name for ``ddof``.
    """
    return dispatched(
        np.var,
        a,
        axis=axis,
        dtype=dtype,
        out=out,
        ddof=ddof,
        keepdims=keepdims,
        where=where,
        mean=mean,
        correction=correction,
    )
