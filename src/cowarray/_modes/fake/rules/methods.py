"""Rules of the methods of arrays that compute, order and write.

One file, because it is a list: each rule is read by itself.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy._core._exceptions import _UFuncOutputCastingError
from numpy.lib.array_utils import normalize_axis_index

from cowarray._face.ndarray import ndarray
from cowarray._modes.fake.calls import Call
from cowarray._modes.fake.fakes import is_fake, locate
from cowarray._modes.fake.rules.composites import clone_of, run
from cowarray._modes.fake.rules.numpy_code import methods
from cowarray._modes.fake.rules.rules import CODE, RULE, enter, rule
from cowarray._modes.layouts.inference import Layout, copied, fresh, reduction
from cowarray._modes.layouts.layouts import axis_in, ghost

__all__ = ["by_operations", "check_indices", "check_places"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def by_operations(*operations: str) -> Callable[[_Function], _Function]:
    """Make a function that does an operation by other operations, from the same arguments, the rule of these."""

    def decorate(function: _Function) -> _Function:
        rule(*operations, kind=CODE)(lambda call: run(call, function, call.args, call.kwargs))
        return function

    return decorate


# ---- reductions: NumPy's own code, above the ufuncs' methods

for _name, _function in {
    "prod": methods._prod,
    "any": methods._any,
    "all": methods._all,
    "clip": methods._clip,
}.items():
    by_operations(f"ndarray.{_name}")(clone_of(_function))


@rule("ndarray.var ndarray.std")
def var(call: Call) -> Any:
    code = methods._var if call.operation == "ndarray.var" else methods._std
    return run(call, clone_of(code), call.args, call.kwargs, frozenset())


_UFUNCS = {"sum": np.add, "max": np.maximum, "min": np.minimum}


@rule("ndarray.sum ndarray.max ndarray.min")
def reduced(call: Call) -> Any:
    """Do the most common reductions by a short cut; with `out`, `where` or `initial`, by NumPy's code."""
    name = call.operation[8:]
    options = (
        _options_of_sum(*call.args, **call.kwargs) if name == "sum" else _options_of_max(*call.args, **call.kwargs)
    )
    if options is None:
        code = {"sum": methods._sum, "max": methods._amax, "min": methods._amin}[name]
        return run(call, clone_of(code), call.args, call.kwargs)
    return call.give(reduction(_UFUNCS[name], locate(call.args[0]), **options))


def _options_of_sum(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> Any:
    plain = out is None and where is True and initial is np._NoValue
    return {"axis": axis, "dtype": dtype, "keepdims": keepdims} if plain else None


def _options_of_max(
    x: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = np._NoValue, where: Any = True
) -> Any:
    plain = out is None and where is True and initial is np._NoValue
    return {"axis": axis, "keepdims": keepdims} if plain else None


_sum: Any = np.add.reduce


@by_operations("ndarray.mean")
def mean(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """Divide a sum in place, as NumPy does. Half precision is summed in single precision."""
    if axis is not None:
        np.lib.array_utils.normalize_axis_tuple(axis, x.ndim)
    halved = dtype is None and x.dtype.type is np.float16
    if halved:
        dtype = np.dtype("f4")
    elif dtype is None and x.dtype.kind in "biu":
        dtype = np.dtype("f8")
    total = _sum(x, axis, dtype, out, keepdims, where=where)
    if total.dtype.kind not in "O":
        into: Any = total if isinstance(total, (ndarray, np.ndarray)) else None  # for a small array, it is a scalar
        np.true_divide(total, 1, out=into, casting="unsafe")
    return total.astype("f2") if halved and out is None else total


@by_operations("ndarray.trace")
def trace(x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None) -> Any:
    return np.add.reduce(x.diagonal(offset, axis1, axis2), -1, dtype, out)


@by_operations("ndarray.cumsum")
def cumsum(x: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    return _accumulated(np.add, x, axis, dtype, out)


@by_operations("ndarray.cumprod")
def cumprod(x: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    return _accumulated(np.multiply, x, axis, dtype, out)


def _accumulated(ufunc: np.ufunc, x: Any, axis: Any, dtype: Any, out: Any) -> Any:
    x, axis = _along(x, axis)
    return ufunc.accumulate(x, axis, dtype, out)


def _along(x: Any, axis: Any) -> Any:
    """Return an array and one of its axes; if no axis is given, all elements in a row."""
    if axis is None or x.ndim == 0:
        if axis is not None:
            axis_in(axis, 1)
        return x.reshape(-1), 0
    return x, axis_in(axis, x.ndim)


@rule("ndarray.argmax ndarray.argmin")
def argmax(call: Call) -> Any:
    return _argmax(call, *call.args, **call.kwargs)


def _argmax(call: Call, x: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
    axes = tuple(range(x.ndim)) if axis is None else (axis_in(axis, max(x.ndim, 1)),)
    if any(not x.shape[k] for k in axes if k < x.ndim):
        getattr(np.empty(0), call.operation[8:])()  # raises the error
    getattr(np.ones(1, x.dtype), call.operation[8:])()
    shape = tuple([1 if k in axes else n for k, n in enumerate(x.shape) if keepdims or k not in axes])
    return _into(call, out, fresh(shape, np.dtype(np.intp)), casting="safe")


def _into(call: Call, out: Any, layout: Layout, casting: Any = "unsafe") -> Any:
    """Return a fresh result, or `out`, which must match it. NumPy checks casting from `out` to the result."""
    if out is None:
        return call.give(layout)
    if out.shape != layout.shape:
        raise ValueError("output array does not match result of the operation.")
    if not np.can_cast(out.dtype, layout.dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {out.dtype!r} to {layout.dtype!r} according to the rule {casting!r}"
        )
    if not call.writes(out, False):
        return call.compute()
    return out


# ---- elements chosen and ordered


@rule("ndarray.take")
def take(call: Call) -> Any:
    return _take(call, *call.args, **call.kwargs)


def _take(call: Call, x: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
    places = np.asarray(call.header(indices))
    if places.dtype.kind not in "iub" and places.size:
        np.empty(1).take(np.empty(0, places.dtype))
        raise TypeError(f"Cannot cast array data from {places.dtype!r} to dtype('int64') according to the rule 'safe'")
    np.empty(1).take([0], mode=mode)
    if axis is None or x.ndim == 0:
        if axis is not None:
            axis_in(axis, 1)
        axis, before, length, after = 0, (), x.size, ()
    else:
        axis = axis_in(axis, x.ndim)
        before, length, after = x.shape[:axis], x.shape[axis], x.shape[axis + 1 :]
    if not length and places.size and all(before) and all(after):
        raise IndexError("cannot do a non-empty take from an empty axes.")
    if all(before):
        check_indices(indices, length, mode, axis)
    return _into(call, out, fresh((*before, *places.shape, *after), x.dtype))


def check_indices(indices: Any, length: Any, mode: Any, axis: int = 0) -> None:
    """Raise NumPy's error if indices have values and one is out of bounds."""
    if mode != "raise" or (isinstance(indices, ndarray) and is_fake(indices)):
        return
    places = np.asarray(indices)
    wrong = places[(places >= length) | (places < -length)]
    if wrong.size:
        raise IndexError(f"index {wrong.flat[0]} is out of bounds for axis {axis} with size {length}")


def check_places(shape: Any, key: Any) -> None:
    """Do `check_indices` for the arrays and lists of integers in an index that fits a shape."""
    parts = [
        part if not isinstance(part, (list, ndarray)) or is_fake(part) else np.asarray(part)
        for part in (key if type(key) is tuple else (key,))
    ]
    if any(0 in getattr(part, "shape", ()) for part in parts):
        return  # no element is picked, so NumPy does not check
    taken = [_axes_taken(part) for part in parts]
    axis = 0
    for part, axes in zip(parts, taken, strict=True):
        if part is Ellipsis:
            axis += len(shape) - sum(taken)
        elif isinstance(part, np.ndarray) and not is_fake(part) and part.dtype.kind in "iu":
            low, high = int(part.min()), int(part.max())
            if low < -shape[axis] or high >= shape[axis]:
                wrong = low if low < -shape[axis] else high
                raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {shape[axis]}")
        axis += axes


def _axes_taken(part: Any) -> Any:
    """Return how many axes of an array an index takes."""
    if part is None or part is Ellipsis or isinstance(part, (bool, np.bool_)):
        return 0
    return part.ndim if isinstance(part, (ndarray, np.ndarray)) and part.dtype.kind == "b" else 1


@rule("ndarray.compress")
def compress(call: Call) -> Any:
    return _compress(call, *call.args, **call.kwargs)


def _compress(call: Call, x: Any, condition: Any, axis: Any = None, out: Any = None) -> Any:
    if isinstance(condition, ndarray) and is_fake(condition):
        if condition.ndim != 1:
            raise ValueError("condition must be a 1-d array")
        length = x.size if axis is None else x.shape[axis_in(axis, x.ndim)]
        reason = "the shape of what a condition picks depends on its values"
        count = call.picked(min(condition.size, length), reason, "give the condition real values")
        return _take(call, x, ghost((count,)), axis, out, "clip")
    condition = np.asarray(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    (places,) = np.nonzero(condition)
    return _take(call, x, places, axis, out)


@rule("ndarray.choose")
def choose(call: Call) -> Any:
    return _choose(call, *call.args, **call.kwargs)


def _choose(call: Call, x: Any, *given: Any, out: Any = None, mode: Any = "raise") -> Any:
    choices: list[Any] = list(given[0]) if len(given) == 1 else list(given)
    numbers = [each if type(each) in (bool, int, float, complex) else None for each in choices]
    choices = [np.asarray(call.header(each)) for each in choices]
    if not choices:
        raise ValueError("0-length sequence.")
    if not np.can_cast(x.dtype, np.intp, "safe"):
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule 'safe'")
    if any(each.dtype.kind == "V" for each in choices):
        raise call.refusal("no rule says which dtype records have together", "use where")
    np.empty(0, np.intp).choose([np.empty(0)], mode=mode)  # raises for a wrong mode
    shape = _broadcast(locate(x), *choices)
    if out is not None and out.shape != shape:
        raise TypeError("choose: invalid shape for output array.")
    models = [np.empty(0, x.dtype) if n is None else n for x, n in zip(choices, numbers, strict=True)]
    return _into(call, out, fresh(shape, np.empty(0, np.intp).choose(models).dtype))


def _broadcast(*headers: Any) -> Any:
    return np.broadcast_shapes(*[each.shape for each in headers])


@rule("ndarray.repeat")
def repeat(call: Call) -> Any:
    return _repeat(call, *call.args, **call.kwargs)


def _repeat(call: Call, x: Any, repeats: Any, axis: Any = None) -> Any:
    if isinstance(repeats, ndarray) and is_fake(repeats):
        reason = "the shape of the result depends on how often elements are repeated"
        number = int(call.number(repeats.dtype, reason, "give the numbers of repeats real values"))
        repeats = np.broadcast_to(np.intp(number), repeats.shape)
    has_dtype = hasattr(repeats, "dtype")  # an empty list would become an array of floats
    repeats = np.asarray(repeats)
    if repeats.dtype.kind not in "iub" and (repeats.size or has_dtype):
        raise TypeError(f"Cannot cast array data from {repeats.dtype!r} to dtype('int64') according to the rule 'safe'")
    if repeats.ndim > 1:
        raise ValueError("repeats must be 0- or 1-dimensional")
    shape, axis = ((x.size,), 0) if axis is None or x.ndim == 0 else (x.shape, axis_in(axis, x.ndim))
    if repeats.ndim == 0 or repeats.size == 1:
        length = shape[axis] * int(repeats.reshape(-1)[0])
        if length < 0:
            raise ValueError("negative dimensions are not allowed")
    elif repeats.size != shape[axis]:
        raise ValueError(f"operands could not be broadcast together with shape ({shape[axis]},) ({repeats.size},)")
    elif repeats.size and repeats.min() < 0:
        raise ValueError("repeats may not contain negative values.")
    else:
        length = int(repeats.sum())
    return call.give(fresh((*shape[:axis], length, *shape[axis + 1 :]), x.dtype))


@rule("ndarray.argsort")
def argsort(call: Call) -> Any:
    x, *rest = call.args
    axis = rest[0] if rest else call.kwargs.get("axis", -1)
    options = {name: value for name, value in call.kwargs.items() if name != "axis"}
    np.ones(2, x.dtype).argsort(-1, *rest[1:], **options)  # raises for wrong options
    if axis is not None:
        axis_in(axis, max(x.ndim, 1))
    return call.give(fresh((x.size,) if axis is None else x.shape or (1,), np.dtype(np.intp)))


@rule("ndarray.argpartition")
def argpartition(call: Call) -> Any:
    return _argpartition(call, *call.args, **call.kwargs)


def _argpartition(call: Call, x: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    np.ones(1, x.dtype).argpartition(0, kind=kind, order=order)
    shape = (x.size,) if axis is None else x.shape
    axis = 0 if axis is None else axis_in(axis, max(x.ndim, 1))
    _check_kth(kth, shape, axis)
    return call.give(fresh(shape, np.dtype(np.intp)))


def _check_kth(kth: Any, shape: Any, axis: Any) -> None:
    if isinstance(kth, ndarray) and is_fake(kth):
        return
    places = np.asarray(kth)
    if places.dtype.kind not in "iub":
        raise TypeError("Partition index must be integer")
    length = shape[axis] if shape else 1
    if 0 in shape:
        return
    if places.size and (places.max() >= length or places.min() < -length):
        raise ValueError(f"kth(={places.max()}) out of bounds ({length})")


@rule("ndarray.searchsorted")
def searchsorted(call: Call) -> Any:
    return _searchsorted(call, *call.args, **call.kwargs)


def _searchsorted(call: Call, x: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    if x.ndim != 1:
        raise ValueError(
            "object too deep for desired array" if x.ndim > 1 else "object of too small depth for desired array"
        )
    places = np.asarray(call.header(v))
    np.result_type(x.dtype, places.dtype)
    np.empty(0).searchsorted(0.0, side)
    if sorter is not None and np.asarray(call.header(sorter)).dtype.kind not in "iub":
        raise TypeError("sorter must only contain integers")
    if sorter is not None and np.shape(sorter) != x.shape:
        raise ValueError(
            "sorter.size must equal the array size" if np.ndim(sorter) == 1 else "sorter must be 1-D array"
        )
    return call.give(fresh(places.shape, np.dtype(np.intp)))


@rule("ndarray.dot")
def dot(call: Call) -> Any:
    return _dot(call, *call.args, **call.kwargs)


def _dot(call: Call, x: Any, b: Any, out: Any = None) -> Any:
    from cowarray._modes.fake.rules.functions import product

    return _into(call, out, product(call.header(x), call.header(b)))


# ---- copies


@by_operations("ndarray.round")
def rounded(x: Any, decimals: Any = 0, out: Any = None) -> Any:
    return _rounded(x, operator.index(decimals), out)


def _rounded(x: Any, decimals: Any, out: Any) -> Any:
    if out is not None and not out.flags.writeable:
        raise ValueError("output array is read-only")
    if out is not None and out.size != x.size:
        raise ValueError("invalid output shape")
    if x.dtype.kind == "c":
        result = x.copy(order="K") if out is None else out
        if out is not None:
            np.copyto(out, x)
        return result
    if x.dtype.kind in "iu" and decimals >= 0:
        if out is None:
            return x
        np.copyto(out, x, casting="unsafe")
        return out
    if decimals == 0:
        return np.rint(x) if out is None else np.rint(x, out=out)
    if x.dtype.kind == "b":
        np.ones(1, bool).round(decimals)
    fortran = x.flags.fnc
    work = np.dtype("f8") if x.dtype.kind in "iu" else x.dtype
    np.rint(np.multiply(x, 10.0))
    if out is not None:
        np.copyto(out, x, casting="unsafe")
        return out
    return x.astype(work, order="F" if fortran else "C").astype(x.dtype, order="F" if fortran else "C")


@by_operations("ndarray.conj", "ndarray.conjugate")
def conjugate(x: Any, out: Any = None) -> Any:
    if out is not None and x.dtype.kind in "biuf":
        np.copyto(out, x)
        return out
    if x.dtype.kind in "cO" or out is not None:
        return np.conjugate(x) if out is None else np.conjugate(x, out)
    return np.conjugate(x) if x.dtype.kind not in "biuf" else x


@rule("ndarray.byteswap")
def byteswap(call: Call) -> Any:
    x, *rest = call.args
    inplace = rest[0] if rest else call.kwargs.get("inplace", False)
    if inplace:
        return x if call.writes(x) else call.compute()
    return call.give(copied(call.header(x), "A"))


# ---- writers


@rule("ndarray.sort")
def sort(call: Call) -> Any:
    x, *rest = call.args
    axis = rest[0] if rest else call.kwargs.get("axis", -1)
    options = {name: each for name, each in call.kwargs.items() if name != "axis"}
    np.ones(1, x.dtype).sort(-1, *rest[1:], **options)  # raises for wrong options
    normalize_axis_index(operator.index(axis), x.ndim)
    return None if call.writes(x) else call.compute()


@rule("ndarray.partition")
def partition(call: Call) -> Any:
    return _partition(call, *call.args, **call.kwargs)


def _partition(call: Call, x: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    np.ones(1, x.dtype).partition(0, kind=kind, order=order)
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    _check_kth(kth, x.shape, axis)
    return None if call.writes(x) else call.compute()


@rule("ndarray.put")
def put(call: Call) -> Any:
    return _put(call, *call.args, **call.kwargs)


def _put(call: Call, x: Any, indices: Any, values: Any, mode: Any = "raise") -> Any:
    if not x.flags.writeable:
        raise ValueError("put: output array is read-only")
    if not isinstance(values, (ndarray, np.ndarray)):
        np.array(values, dtype=x.dtype)
    if np.size(call.header(values)) and np.size(call.header(indices)):
        if not x.size:
            raise IndexError("cannot replace elements of an empty array")
        check_indices(indices, x.size, mode)
    np.empty(1).put([0], 0, mode=mode)  # raises for a wrong mode
    return None if call.writes(x) else call.compute()


@rule("ndarray.fill")
def fill(call: Call) -> Any:
    x, value = call.args
    shown = call.header(value)
    if np.ndim(shown):
        np.empty(0).fill(np.empty(2))
    return None if call.writes(x, whole=True) else call.compute()


@rule("ndarray.setfield")
def setfield(call: Call) -> Any:
    return None if call.writes(call.args[0]) else call.compute()


def in_place(call: Call) -> Any:
    x, other = call.args
    shown = call.header(other)
    ufunc = np.power if call.operation == "in-place power" else np.matmul
    run(call, functools.partial(_checked, ufunc, x), (shown if not isinstance(other, ndarray) else other,), {})
    return x if call.writes(x, whole=False) else call.compute()


enter(["in-place power", "in-place matmul"], in_place, RULE)


def _checked(ufunc: np.ufunc, x: Any, other: Any) -> None:
    made = ufunc(x, other)
    if made.shape != x.shape:
        raise ValueError(f"non-broadcastable output operand with shape {x.shape} doesn't match {made.shape}")
    if not np.can_cast(made.dtype, x.dtype, "same_kind"):
        raise _UFuncOutputCastingError(ufunc, "same_kind", made.dtype, x.dtype, 0)


@rule("ndarray.resize")
def resize(call: Call) -> Any:
    x, *shape = call.args
    return call.resized(x, shape)


# ---- elements in C order


@rule("flatiter.__getitem__")
def flat_get(call: Call) -> Any:
    x, key = call.args
    size = x.size
    if isinstance(key, ndarray) and is_fake(key):
        if key.dtype == bool:
            reason = "the shape of what a mask picks depends on its values"
            count = call.picked(key.size, reason, "use where, or multiply by the mask")
            return call.give(fresh((count,), x.dtype))
        return call.give(fresh(key.shape, x.dtype))
    if type(key) is tuple and len(key) == 1:
        (key,) = key
    if not is_fake(x):
        return call.forgotten()
    _try_key(key, size)
    # The key is valid for this number of elements; its shape is the result's.
    if key is Ellipsis:
        return call.give(fresh((size,), x.dtype))
    if isinstance(key, slice):
        return call.give(fresh((len(range(*key.indices(size))),), x.dtype))
    shown = np.asarray(call.header(key) if isinstance(key, ndarray) else key)
    if shown.dtype == bool or shown.dtype.kind not in "iu":
        if size > 1 << 20:
            raise call.refusal("a mask of so many elements is not looked at")
        places: Any = np.zeros(size, np.int8).flat
        return call.give(fresh(np.shape(places[key]), x.dtype))
    if shown.size and (shown.max() >= size or shown.min() < -size):
        raise IndexError(f"index {shown.max()} is out of bounds for size {size}")
    dtype = x.dtype if shown.ndim or x.dtype.kind == "T" else x.dtype.newbyteorder("=")
    return call.give(fresh(shown.shape, dtype))


def _try_key(key: Any, size: Any, **value: Any) -> None:
    """Let NumPy check an index of an array of `size` elements, if these are few."""
    if size < 1 << 16 and not (isinstance(key, ndarray) and is_fake(key)):
        model = np.zeros(size, np.int8).flat
        key = key.to_numpy() if isinstance(key, ndarray) else key
        if value:
            model[key] = 0
        else:
            model[key]


@rule("flatiter.__setitem__")
def flat_set(call: Call) -> Any:
    x, key, _ = call.args
    if not x.flags.writeable:
        raise ValueError("assignment destination is read-only")
    if isinstance(key, tuple) and not key:  # with which NumPy before 2.4 crashes
        raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
    _try_key(key, x.size, value=0)
    if isinstance(key, ndarray) and is_fake(key) and key.dtype == bool and key.shape != (x.size,):
        if key.ndim != 1:
            raise call.refusal("what a mask of other axes picks depends on its values", "use a mask of one axis")
        raise IndexError(
            f"boolean index did not match indexed flat iterator along axis 0; size of axis is {x.size} but size of "
            f"corresponding boolean axis is {key.size}"
        )
    if isinstance(key, (int, np.integer)) and not -x.size <= key < x.size:
        raise IndexError(f"index {key} is out of bounds for size {x.size}")
    return None if call.writes(x) else call.compute()
