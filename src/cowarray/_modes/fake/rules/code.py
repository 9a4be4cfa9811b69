"""Rows of operations that NumPy's own code does on fakes, and stand-ins for functions that read values or are in C."""

import functools
import operator
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.common.blocks import current
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import first_fake, is_fake, locate, make
from cowarray._modes.fake.refusals import FakeError
from cowarray._modes.fake.rules.composites import _asarray, assuming, clone_of, composite, run, seen
from cowarray._modes.fake.rules.numpy_code import (
    einsumfunc,
    function_base,
    index_tricks,
    linalg,
    multiarray,
    nanfunctions,
    umath,
    utils,
)
from cowarray._modes.fake.rules.rules import CODE, enter, rule
from cowarray._modes.layouts import inference
from cowarray._modes.layouts.inference import Layout, copied, fresh
from cowarray._modes.layouts.layouts import ghost
from cowarray._ops.conversion import asarray

__all__ = []

# NumPy's code unchanged, by subject: elementwise and rounding; reductions; order; shapes; joins; new arrays and
# indices; polynomials and signals; texts; linear algebra; Fourier transforms; records.
for _names in (
    "angle clip fix around round sinc nan_to_num iscomplex iscomplexobj isreal isrealobj isneginf isposinf ndim shape "
    "size",
    "all any amax amin max min sum prod mean std var ptp trace argmax argmin count_nonzero cumsum cumprod "
    "cumulative_sum "
    "cumulative_prod apply_over_axes",
    "sort_complex argsort argpartition searchsorted digitize",
    "atleast_1d atleast_2d atleast_3d ravel resize roll tile choose take take_along_axis "
    "select diag diagflat tril triu vander pad require",
    "append block column_stack dstack hstack stack unstack vstack",
    "bartlett blackman hamming hanning kaiser indices meshgrid ix_ tri diag_indices diag_indices_from tril_indices "
    "tril_indices_from triu_indices triu_indices_from common_type",
    "convolve correlate cross diff ediff1d interp trapezoid polyadd polysub polyder polyint polyval "
    "polynomial.polynomial.polygrid2d polynomial.polynomial.polyval2d",
    "char.equal char.greater char.greater_equal char.less char.less_equal char.not_equal strings.capitalize "
    "strings.lower strings.swapcase strings.title strings.translate strings.upper",
    "kron outer tensordot linalg.cholesky linalg.cross linalg.det linalg.eigh linalg.eigvalsh linalg.inv linalg.matmul "
    "linalg.matrix_norm linalg.matrix_power linalg.matrix_rank linalg.multi_dot linalg.norm linalg.outer linalg.qr "
    "linalg.slogdet linalg.solve linalg.svd linalg.svdvals linalg.tensordot linalg.tensorinv linalg.tensorsolve "
    "linalg.trace linalg.vecdot linalg.vector_norm einsum_path",
    "fft.fft fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ifftshift fft.ihfft "
    "fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftfreq fft.rfftn",
    "lib.recfunctions.assign_fields_by_name lib.recfunctions.drop_fields lib.recfunctions.recursive_fill_fields "
    "lib.recfunctions.rename_fields lib.recfunctions.repack_fields lib.recfunctions.require_fields "
    "lib.recfunctions.unstructured_to_structured",
):
    enter(_names, composite, CODE)

# Masks and numbers of repeats come from the program, so its plan's assumptions answer for them.
enter(
    "compress delete repeat",
    lambda call: run(call, clone_of(call.function.function), call.args, call.kwargs, answers=True),
    CODE,
)

# Code that checks for special values, such as NaNs, and returns the same layout either way.
enter(
    "average gradient linspace logspace geomspace median percentile quantile nanargmax nanargmin nanmax nanmean "
    "nanmedian "
    "nanmin nanpercentile nanquantile nanstd nanvar nansum nanprod nancumsum nancumprod i0 insert piecewise "
    "linalg.cond "
    "linalg.pinv unwrap corrcoef",
    assuming(),
    CODE,
)
enter("cov isclose histogramdd histogram2d", assuming("isfinite", "logical_and"), CODE)


@rule("isin")
def isin(call: Call) -> Any:
    element, kind = _asked_in(*call.args, **call.kwargs)
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: {kind!r}. Please use None, 'sort' or 'table'.")
    if kind == "table":
        raise call.refusal("whether a table can be used depends on values", "drop kind='table'")
    return call.give(fresh(np.shape(call.header(element)), np.dtype(bool)))


@rule("sort partition", kind=CODE)
def ordered(call: Call) -> Any:
    """Return a copy, put in order."""
    x = call.args[0] if call.args else call.kwargs["a"]
    if getattr(x, "dtype", None) is not None and not x.dtype.itemsize:
        raise call.refusal("no rule says how long its texts are")
    if call.operation == "sort" and call.kwargs:
        options = {name: each for name, each in call.kwargs.items() if name in ("kind", "stable")}
        np.sort(np.empty(1), **options)
    return composite(call)


def _asked_in(
    element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False, *, kind: Any = None
) -> Any:
    return element, kind


@rule("histogram histogram_bin_edges", kind=CODE)
def histogram(call: Call) -> Any:
    """Refuse it unless the number of bins is known."""
    bins = call.args[1] if len(call.args) > 1 else call.kwargs.get("bins", 10)
    if isinstance(bins, str):
        if call.faked is None:
            return call.forgotten()
        raise call.refusal("the number of bins depends on values", "give the number of bins")
    return assuming("isfinite", "logical_and")(call)


@rule("fromfunction")
def fromfunction(call: Call) -> Any:
    """Call the user's function with fakes."""
    args = (call.args[0], tuple(call.args[1]), *call.args[2:])
    return run(call, clone_of(np.fromfunction), args, call.kwargs)


@rule("polyfit")
def polyfit(call: Call) -> Any:
    """Refuse it if it is to return residuals: one for each right side, but none if the rank is too low."""
    if call.kwargs.get("full") or (len(call.args) > 4 and call.args[4]):
        raise call.refusal("the shape of the residuals depends on the rank, which depends on values", "drop full=True")
    return assuming()(call)


@rule("put_along_axis fill_diagonal", kind=CODE)
def written_by_code(call: Call) -> Any:
    """Let NumPy's code raise its errors, on a stand-in that takes no memory; the table tells what is written."""
    x = call.args[0] if call.args else call.kwargs.get("a", call.kwargs.get("arr"))
    if x is None or not is_fake(x):
        return composite(call)
    if not x.flags.writeable:
        raise ValueError("assignment destination is read-only")
    stand_in = make(call.origin, *fresh(x.shape, x.dtype), mapped=True)
    args = tuple([stand_in if each is x else each for each in call.args])
    kwargs = {name: stand_in if each is x else each for name, each in call.kwargs.items()}
    run(call, clone_of(call.function.function), args, kwargs)
    call.writes(x)
    return None


def _give(layout: Layout) -> Any:
    """Make a fake in the running composite."""
    return make(current().origin, *layout)


def _has_fakes(*values: Any) -> Any:
    return first_fake(values) is not None


def _headers(*values: Any) -> Any:
    return [locate(each) if isinstance(each, ndarray) else np.asarray(each) for each in values]


# ---- checks that change no layout


@seen(linalg._makearray)
def _makearray(a: Any) -> Any:
    return _asarray(a), lambda result, *_: result


@seen(linalg._assert_finite)
def _assert_finite(*arrays: Any) -> None:
    for each in arrays:
        if not is_fake(each):
            linalg._assert_finite(each)


@seen(np.linalg._umath_linalg.qr_r_raw)
def _qr_r_raw(a: Any, signature: Any) -> Any:
    """Run NumPy's function on a copy: it writes to its argument, whose bytes other arrays may share."""
    if is_fake(a):
        return np.linalg._umath_linalg.qr_r_raw(a, signature=signature)
    written = np.array(a)
    found = np.linalg._umath_linalg.qr_r_raw(written, signature=signature)
    a[...] = written
    return asarray(found)


@seen(utils._median_nancheck)
def _median_nancheck(data: Any, result: Any, axis: Any) -> Any:
    return result


@seen(function_base._quantile_is_valid)
def _quantile_is_valid(q: Any) -> Any:
    return is_fake(q) or function_base._quantile_is_valid(q)


@seen(function_base._monotonicity)
def _monotonicity(bins: Any) -> Any:
    return 1 if is_fake(bins) else function_base._monotonicity(bins)


@seen(nanfunctions._remove_nan_1d)
def _remove_nan_1d(arr1d: Any, second_arr1d: Any = None, overwrite_input: Any = False) -> Any:
    if is_fake(arr1d):
        return arr1d, second_arr1d, True
    return nanfunctions._remove_nan_1d(arr1d, second_arr1d, overwrite_input)


@seen(nanfunctions._nanmedian_small)
def _nanmedian_small(a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False) -> Any:
    if overwrite_input and not a.flags.writeable:
        raise ValueError("assignment destination is read-only")
    there = ~np.isnan(a)
    ordered = a if overwrite_input else a.copy("K")
    middle = there.sum(axis=axis, keepdims=True) // 2
    low = np.where(middle, middle, middle - 1)
    pairs = np.take_along_axis(ordered, np.concatenate([low, middle], axis=axis), axis=axis)
    made = pairs.sum(axis=axis)
    if not np.issubdtype(a.dtype, np.inexact):
        made = made * 1.0 / there.sum(axis=axis)
    if out is None:
        return made
    out[...] = made
    return out


# ---- functions in C that are not public


@seen(np.broadcast)
def _broadcast(*values: Any) -> Any:
    return np.broadcast(*[ghost(each.shape) if isinstance(each, ndarray) else each for each in values])


def _check_interpolated(function: Any, *arrays: Any) -> None:
    """Raise NumPy's errors, even for real arrays, which would convert themselves where NumPy's C code refuses to."""
    x, xp, fp = _headers(*arrays)
    function(*[np.ones((1,) * each.ndim, each.dtype) for each in (x, xp, fp)])
    if not xp.size:
        raise ValueError("array of sample points is empty")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")


@seen(function_base.compiled_interp)
def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    _check_interpolated(function_base.compiled_interp, x, xp, fp)
    if not _has_fakes(x, xp, fp):
        return function_base.compiled_interp(x, xp, fp, left, right)
    return _give(fresh(np.shape(x), np.dtype(float)))


@seen(function_base.compiled_interp_complex)
def _interp_complex(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    _check_interpolated(function_base.compiled_interp_complex, x, xp, fp)
    if not _has_fakes(x, xp, fp):
        return function_base.compiled_interp_complex(x, xp, fp, left, right)
    return _give(fresh(np.shape(x), np.dtype(complex)))


def _correlated(a: Any, v: Any, mode: Any = 0) -> Any:
    a, v = _headers(a, v)
    if not a.ndim or not v.ndim:
        raise ValueError("object of too small depth for desired array")
    if a.ndim > 1 or v.ndim > 1:
        raise ValueError("object too deep for desired array")
    found = multiarray.correlate(np.ones(1, a.dtype), np.ones(1, v.dtype), mode).dtype
    if a.ndim > 1 or v.ndim > 1:
        raise ValueError("object too deep for desired array")
    m, n = max(a.size, v.size), min(a.size, v.size)
    if not n:
        raise ValueError("v cannot be empty" if not v.size else "first array argument cannot be empty")
    mode = {"valid": 0, "same": 1, "full": 2}.get(mode, mode)
    return _give(fresh(((m - n + 1, m, m + n - 1)[mode],), found))


@seen(multiarray.correlate)
def _correlate(a: Any, v: Any, mode: Any = 0) -> Any:
    return _correlated(a, v, mode) if _has_fakes(a, v) else multiarray.correlate(a, v, mode)


@seen(multiarray.correlate2)
def _correlate2(a: Any, v: Any, mode: Any = 0) -> Any:
    return _correlated(a, v, mode) if _has_fakes(a, v) else multiarray.correlate2(a, v, mode)


@seen(multiarray.count_nonzero)
def _count_nonzero(a: Any) -> Any:
    return _give(fresh((), np.dtype(np.intp))) if _has_fakes(a) else multiarray.count_nonzero(a)


@seen(umath._vec_string)
def _of_texts(a: Any, dtype: Any, method: Any, args: Any = ()) -> Any:
    if not _has_fakes(a, args):
        return umath._vec_string(a, dtype, method, args)
    if (its := _headers(a)[0].dtype).kind not in "SUT":
        return umath._vec_string(np.empty(0, its), dtype, method, args)  # raises, as they are not texts
    if np.dtype(dtype) == object:
        raise inference.ValuesNeeded("the length of the texts depends on values")
    shape = np.broadcast_shapes(np.shape(a), *[np.shape(each) for each in args])
    return _give(fresh(shape, np.dtype(dtype)))


@seen(umath.compare_chararrays)
def _compare(a: Any, b: Any, cmp: Any, rstrip: Any) -> Any:
    if not _has_fakes(a, b):
        return umath.compare_chararrays(a, b, cmp, rstrip)
    a, b = _headers(a, b)
    if a.dtype.kind not in "US" or b.dtype.kind not in "US":
        raise TypeError("comparison of non-string arrays")
    return _give(fresh(np.broadcast_shapes(a.shape, b.shape), np.dtype(bool)))


# ---- objects that are indexed to make arrays


def _indexing(numpys: Any, code: Any) -> Any:
    return lambda call: run(call, functools.partial(code, numpys), call.args, call.kwargs)


for _name in ("r_", "c_"):
    _code = clone_of(index_tricks.AxisConcatenator.__getitem__)
    enter([f"cowarray._chapters.grids._{_name[0]}"], _indexing(getattr(np, _name), _code), CODE)
_code = clone_of(index_tricks.nd_grid.__getitem__)
enter("cowarray._chapters.grids._mgrid", _indexing(np.mgrid, _code), CODE)


@rule("cowarray._chapters.grids._ogrid", kind=CODE)
def open_grid(call: Call) -> Any:
    """Return copies of NumPy's open grid: axes that NumPy adds by views get their own strides in copies."""
    found = run(call, functools.partial(_code, np.ogrid), call.args, call.kwargs)
    return tuple([make(call.origin, *copied(locate(each))) for each in found]) if type(found) is tuple else found


# ---- the user's functions: called once, for the result on one part of the array


@rule("apply_along_axis")
def apply_along_axis(call: Call) -> Any:
    return run(call, _apply_along_axis, call.args, call.kwargs, call.block.assumed)


def _apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    arr = _asarray(arr)
    axis = np.lib.array_utils.normalize_axis_index(axis, arr.ndim)
    rest = (*arr.shape[:axis], *arr.shape[axis + 1 :])
    if 0 in rest:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    row = np.moveaxis(arr, axis, -1)[(0,) * len(rest)]
    made = _asarray(func1d(row, *args, **kwargs))
    header = locate(made) if isinstance(made, ndarray) else made
    if header.dtype.hasobject:
        site = current().origin.site
        raise FakeError("apply_along_axis", "the dtype of the result depends on the objects", site)
    buffer = _give(inference.copied(header, "K", None, (*rest, *header.shape)))
    axes = list(range(buffer.ndim))
    n = header.ndim
    return np.transpose(buffer, (*axes[:axis], *axes[buffer.ndim - n :], *axes[axis : buffer.ndim - n]))


# ---- sums by subscripts


@rule("einsum")
def einsum(call: Call) -> Any:
    """Infer the layout of a plain sum; do an optimized one by NumPy's code."""
    options = dict(call.kwargs)
    if not isinstance(call.args[0], str):
        _refuse_axes(call)
    plain = options.pop("optimize", False) is False
    if call.faked is None and plain and _is_view(call, options):
        return call.compute()
    if not plain or call.faked is None:
        return composite(call)
    out = options.pop("out", None)
    if not isinstance(call.args[0], str):
        _check_axes(call.args)
    subscripts, *operands = call.args if isinstance(call.args[0], str) else _subscripts(call.args)
    headers = [np.asarray(call.header(each)) for each in operands]
    if any(each.dtype.kind in "mMSUV" for each in headers):
        models = [np.ones((1,) * each.ndim, each.dtype) for each in headers]
        np.einsum(subscripts, *models, out=None if out is None else np.ones((1,) * out.ndim, out.dtype), **options)
    layout = inference.einsum(
        subscripts, *[call.header(each) for each in operands], out=None if out is None else call.header(out), **options
    )
    if layout is None and not headers[0].ndim:
        return call.give(inference.fresh((), headers[0].dtype))
    if layout is None:
        return call.view(*[each for each in operands if isinstance(each, ndarray)])
    if out is None:
        return call.give(layout)
    return out if call.writes(out) else call.compute()


def _is_view(call: Call, options: Any) -> Any:
    """True if it returns a view of its one operand."""
    if len(call.args) != 2 or not isinstance(call.args[0], str) or options.get("out") is not None:
        return False
    return inference.einsum(call.args[0], call.header(call.args[1]), **options) is None


def _axes_named(args: Any) -> Any:
    return (*args[1::2], *(args[-1:] if len(args) % 2 else ()))


def _check_axes(args: Any) -> None:
    """Raise if an axis is named by a number out of range: there are as many as letters."""
    for axes in _axes_named(args):
        for axis in axes:
            if axis is not Ellipsis and not 0 <= operator.index(axis) < 52:
                raise ValueError("subscript is not within the valid range [0, 52)")


def _refuse_axes(call: Call) -> None:
    """Refuse lists of axes that are fakes: the axes must be known."""
    if any(is_fake(each) for each in _axes_named(call.args)):
        raise call.refusal("the shape of the result depends on the axes that are named", "name them by a text")


def _subscripts(args: Any) -> Any:
    """Convert operands with lists of their axes to subscripts, followed by the operands."""
    given, result, operands = clone_of(einsumfunc._parse_einsum_input)(args)
    return f"{given}->{result}", *operands


@seen(einsumfunc.c_einsum)
def _c_einsum(*args: Any, **kwargs: Any) -> Any:
    return np.einsum(*args, **kwargs) if _has_fakes(*args) else einsumfunc.c_einsum(*args, **kwargs)
