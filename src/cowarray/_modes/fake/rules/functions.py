"""Rules of NumPy's functions in C: each infers the layout of the function's result, or does its write."""

import operator
from typing import Any

import numpy as np

from cowarray._face.ndarray import ndarray
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import first_fake, is_fake, locate
from cowarray._modes.fake.rules.picking import where_true
from cowarray._modes.fake.rules.rules import rule
from cowarray._modes.layouts import inference
from cowarray._modes.layouts.elementwise import placed
from cowarray._modes.layouts.inference import Layout, fresh

__all__ = ["product"]


def _array(call: Call, value: Any) -> Any:
    """Return a header of anything array-like."""
    return np.asarray(call.header(value))


def _sequence(call: Call, values: Any) -> Any:
    if isinstance(values, ndarray):
        if values.ndim == 0:
            raise TypeError("zero-dimensional arrays cannot be concatenated")
        values = list(values)
    return [_array(call, each) for each in values]


def _given(call: Call, out: Any, layout: Layout) -> Any:
    """Return a fresh result, or `out`, which the caller has checked against the layout."""
    if out is None:
        return call.give(layout)
    return out if call.writes(out) else call.compute()


def _same_shape(out: Any, layout: Layout) -> None:
    if out is not None and out.shape != layout.shape:
        raise ValueError(f"Output array has the wrong shape: {out.shape}, not {layout.shape}")


# ---- joined and chosen


@rule("concatenate")
def concatenate(call: Call) -> Any:
    return _concatenate(call, *call.args, **call.kwargs)


def _concatenate(
    call: Call, arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Any:
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    layout = inference.concatenated(_sequence(call, arrays), axis, dtype, casting)
    _same_shape(out, layout)
    if out is not None and not np.can_cast(layout.dtype, out.dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {layout.dtype!r} to {out.dtype!r} according to the rule {casting!r}"
        )
    return _given(call, out, layout)


@rule("where")
def where(call: Call) -> Any:
    if len(call.args) < 3:
        return where_true(call, *call.args)
    return call.give(inference.where(*[call.header(each) for each in call.args]))


@rule("lexsort")
def lexsort(call: Call) -> Any:
    return _lexsort(call, *call.args, **call.kwargs)


def _lexsort(call: Call, keys: Any, axis: Any = -1) -> Any:
    keys = _sequence(call, keys)
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    shape = keys[0].shape
    if any(key.shape != shape for key in keys):
        raise ValueError("all keys need to be the same shape")
    np.lib.array_utils.normalize_axis_index(operator.index(axis), max(len(shape), 1))
    return call.give(fresh(shape, np.dtype(np.intp)))


# ---- products


def product(a: Any, b: Any) -> Any:
    """Return the layout of ``numpy.dot(a, b)``."""
    a, b = np.asarray(a), np.asarray(b)
    found = np.dot(np.ones(1, a.dtype), np.ones(1, b.dtype)).dtype
    if not a.ndim or not b.ndim:
        return fresh(a.shape or b.shape, found)
    at = -2 if b.ndim > 1 else -1
    if a.shape[-1] != b.shape[at]:
        raise ValueError(f"shapes {a.shape} and {b.shape} not aligned: {a.shape[-1]} != {b.shape[at]}")
    return fresh((*a.shape[:-1], *b.shape[:at], *(b.shape[-1:] if b.ndim > 1 else ())), found)


@rule("dot")
def dot(call: Call) -> Any:
    return _dot(call, *call.args, **call.kwargs)


def _dot(call: Call, a: Any, b: Any, out: Any = None) -> Any:
    layout = product(_array(call, a), _array(call, b))
    if out is not None and (out.shape != layout.shape or out.dtype != layout.dtype or not out.flags.c_contiguous):
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)"
        )
    return _given(call, out, layout)


@rule("inner")
def inner(call: Call) -> Any:
    a, b = [_array(call, each) for each in call.args]
    found = np.inner(np.ones(1, a.dtype), np.ones(1, b.dtype)).dtype
    if not a.ndim or not b.ndim:
        return call.give(fresh(a.shape or b.shape, found))
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"shapes {a.shape} and {b.shape} not aligned: {a.shape[-1]} != {b.shape[-1]}")
    return call.give(fresh((*a.shape[:-1], *b.shape[:-1]), found))


@rule("vdot")
def vdot(call: Call) -> Any:
    a, b = [_array(call, each) for each in call.args]
    if a.size != b.size:
        raise ValueError(f"vectors have different lengths: {a.size}, {b.size}")
    return call.give(Layout((), np.vdot(np.ones(1, a.dtype), np.ones(1, b.dtype)).dtype, ()))


# ---- bits and indices


@rule("packbits")
def packbits(call: Call) -> Any:
    return _packbits(call, *call.args, **call.kwargs)


def _packbits(call: Call, a: Any, /, axis: Any = None, bitorder: Any = "big") -> Any:
    a = _array(call, a)
    np.packbits(np.zeros(1, a.dtype), bitorder=bitorder)
    return call.give(inference.packbits(a, axis))


@rule("unpackbits")
def unpackbits(call: Call) -> Any:
    return _unpackbits(call, *call.args, **call.kwargs)


def _unpackbits(call: Call, a: Any, /, axis: Any = None, count: Any = None, bitorder: Any = "big") -> Any:
    a = _array(call, a)
    np.unpackbits(np.zeros(1, a.dtype), bitorder=bitorder)
    return call.give(inference.unpackbits(a, axis, None if count is None else operator.index(count)))


@rule("ravel_multi_index")
def ravel_multi_index(call: Call) -> Any:
    return _ravel_multi_index(call, *call.args, **call.kwargs)


def _ravel_multi_index(call: Call, multi_index: Any, dims: Any, mode: Any = "raise", order: Any = "C") -> Any:
    places = _sequence(call, multi_index)
    if len(places) != (len(dims) if np.ndim(dims) else 1):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims) if np.ndim(dims) else 1}")
    if any(each.dtype.kind not in "iu" for each in places):
        raise TypeError("only int indices permitted")
    if 0 in np.ravel(dims) and 0 not in np.broadcast_shapes(*[each.shape for each in places]):
        raise ValueError("cannot unravel if shape has zero entries (is empty).")
    return call.give(_iterated(places, np.dtype(np.intp)))


def _iterated(arrays: Any, dtype: Any) -> Any:
    """Return the layout of the output that NumPy's iterator allocates for these arrays."""
    shape, (strides,) = placed(tuple([(each.shape, each.strides) for each in arrays]), (dtype.itemsize,), "K")
    return Layout(shape, dtype, strides)


@rule("unravel_index")
def unravel_index(call: Call) -> Any:
    return _unravel_index(call, *call.args, **call.kwargs)


def _unravel_index(call: Call, indices: Any, shape: Any, order: Any = "C") -> Any:
    places = _array(call, indices)
    lengths = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if places.dtype.kind not in "iu":
        np.unravel_index(np.zeros(1, places.dtype), (3,))
    if call.faked is None:
        return call.forgotten()
    if not places.shape:
        return tuple([call.give(fresh((), np.dtype(np.intp))) for _ in lengths])
    table = call.give(fresh((*places.shape, len(lengths)), np.dtype(np.intp)))
    return tuple([table[..., i] for i in range(len(lengths))])


# ---- functions of dtypes


def _dtypes(call: Call, values: Any) -> Any:
    return [value.dtype if isinstance(value, ndarray) else value for value in values]


@rule("result_type can_cast")
def of_dtypes(call: Call) -> Any:
    args = _dtypes(call, call.args)
    return getattr(np, call.operation)(
        *args, **dict(zip(call.kwargs, _dtypes(call, call.kwargs.values()), strict=True))
    )


@rule("min_scalar_type")
def min_scalar_type(call: Call) -> Any:
    (x,) = call.args
    if isinstance(x, ndarray) and x.ndim == 0 and is_fake(x) and x.dtype.kind in "biufc":
        raise call.refusal("a value is needed")
    return x.dtype if isinstance(x, ndarray) and (x.ndim or is_fake(x)) else call.compute()


@rule("datetime_as_string")
def datetime_as_string(call: Call) -> Any:
    return _datetime_as_string(call, *call.args, **call.kwargs)


def _datetime_as_string(
    call: Call, arr: Any, unit: Any = None, timezone: Any = "naive", casting: Any = "same_kind"
) -> Any:
    arr = _array(call, arr)
    if unit == "auto":
        raise call.refusal("the length of the texts depends on values", "name a unit")
    found = np.datetime_as_string(np.zeros(0, arr.dtype), unit, timezone, casting).dtype
    return call.give(inference.copied(arr, "K", found))


# ---- days


_CALENDAR = ("weekmask", "holidays", "busdaycal", "out")
_PARAMETERS = {
    "busday_count": ("begindates", "enddates", *_CALENDAR),
    "busday_offset": ("dates", "offsets", "roll", *_CALENDAR),
    "is_busday": ("dates", *_CALENDAR),
}


@rule("busday_count is_busday busday_offset")
def days(call: Call) -> Any:
    """Infer the layout element by element. NumPy checks dtypes and options, on arrays that have no elements."""
    names = _PARAMETERS[call.operation]
    given = dict(zip(names, call.args, strict=False)) | call.kwargs
    arrays = [_day(call, value) for name, value in given.items() if name not in ("roll", *_CALENDAR)]
    out = given.get("out")
    if out is not None and np.broadcast_shapes(*[each.shape for each in (out, *arrays)]) != out.shape:
        raise ValueError("non-broadcastable output operand")
    found = getattr(np, call.operation)(**{name: _without_values(name, value) for name, value in given.items()})
    return _given(call, out, _iterated(arrays, found.dtype))


def _without_values(name: str, value: Any) -> Any:
    """Return what NumPy is given for an argument, to look at its dtype: of arrays no elements, of lists the first."""
    if name in ("weekmask", "holidays"):
        if not isinstance(value, ndarray):
            return value
        if not is_fake(value):
            return value.to_numpy()
        return np.ones(value.shape, value.dtype) if name == "weekmask" else np.empty((0,) * value.ndim, value.dtype)
    if isinstance(value, (np.ndarray, ndarray)):
        return np.empty(0, value.dtype)
    if isinstance(value, (list, tuple)):
        return np.asarray(value).ravel()[:1].tolist()
    return value


def _day(call: Call, value: Any) -> Any:
    found = call.header(value) if not isinstance(value, (str, list, tuple)) else value
    found = np.asarray(found)
    return found.astype("M8[D]") if found.dtype.kind in "US" else found


# ---- writers


@rule("copyto")
def copyto(call: Call) -> Any:
    return _copyto(call, *call.args, **call.kwargs)


def _copyto(call: Call, dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> Any:
    if not isinstance(dst, ndarray):
        if isinstance(dst, np.ndarray) and call.faked is not None:
            raise call.refusal("a fake has no values to write into an array that has bytes")
        return call.compute()
    shown = call.header(src)
    into, mask = locate(dst), call.header(where)
    if isinstance(src, ndarray) and where is True and _lies_there(into, shown):
        return None  # NumPy detects this before it checks whether it may write
    its = shown if isinstance(shown, (np.ndarray, int, float, complex)) else np.asarray(shown)
    model = np.zeros(0, dst.dtype)
    np.copyto(model, np.zeros(0, its.dtype) if isinstance(its, np.ndarray) else its, casting)
    for each in (np.shape(its), np.shape(mask)):
        # Surplus leading axes of length 1 are harmless.
        each = (
            each[max(0, len(each) - dst.ndim) :] if all(n == 1 for n in each[: max(0, len(each) - dst.ndim)]) else each
        )
        if _broadcast_or_none(each, dst.shape) != dst.shape:
            raise ValueError(f"could not broadcast input array from shape {each} into shape {dst.shape}")
    return None if call.writes(dst, whole=where is True) else call.compute()


def _lies_there(one: Any, other: Any) -> Any:
    return (
        all(getattr(one, name) == getattr(other, name) for name in ("dtype", "shape", "strides"))
        and one.__array_interface__["data"][0] == other.__array_interface__["data"][0]
    )


def _broadcast_or_none(*shapes: Any) -> Any:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


@rule("putmask")
def putmask(call: Call) -> Any:
    return _putmask(call, *call.args, **call.kwargs)


def _putmask(call: Call, a: Any, /, mask: Any, values: Any) -> Any:
    mask = _array(call, mask)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    if isinstance(values, (ndarray, np.ndarray)) or first_fake((values,)) is not None:
        values = np.zeros(1, _array(call, values).dtype)
    np.putmask(np.zeros(1, a.dtype), [True], values)
    return None if call.writes(a) else call.compute()


@rule("place")
def place(call: Call) -> Any:
    return _place(call, *call.args, **call.kwargs)


def _place(call: Call, arr: Any, mask: Any, vals: Any) -> Any:
    mask, values = _array(call, mask), _array(call, vals)
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    if isinstance(vals, (ndarray, np.ndarray)):
        np.place(np.zeros(1, arr.dtype), np.zeros(1, mask.dtype), np.zeros(min(values.size, 1), values.dtype))
    return None if call.writes(arr) else call.compute()


@rule("put")
def put(call: Call) -> Any:
    return _put(call, *call.args, **call.kwargs)


def _put(call: Call, a: Any, ind: Any, v: Any, mode: Any = "raise") -> Any:
    if not isinstance(a, ndarray):
        return call.compute()
    return a.put(ind, v, mode)
