"""The layouts of NumPy's C functions that are not ufuncs: products, `take`, sorting and the like.

Most of them return C-ordered results, whatever the layout of their operands.
"""

import operator
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from cowarray._modes.layouts.copying import copied, fresh
from cowarray._modes.layouts.dtypes import header
from cowarray._modes.layouts.elementwise import elementwise
from cowarray._modes.layouts.layouts import (
    Integers,
    Layout,
    axis_in,
    broadcast,
    contiguous,
    dense,
    iteration_order,
    laid_out,
    spread,
    telling,
)

__all__ = [
    "argbest",
    "argsorted",
    "bincount",
    "choose",
    "dot",
    "inner",
    "lexsort",
    "packbits",
    "repeat",
    "searchsorted",
    "sorted_copy",
    "take",
    "unpackbits",
    "vdot",
]


def c_ordered(shape: Integers, dtype: Any) -> Layout:
    """Return the layout of a new array in C order."""
    return Layout(shape, dtype, contiguous(shape, dtype.itemsize))


def given_or(out: Any, layout: Layout, problem: Any) -> Layout:
    """Return the layout of `out` if given, else `layout`; raise if `out` has another shape."""
    if out is None:
        return layout
    if out.shape != layout.shape:
        raise ValueError(problem)
    return Layout(out.shape, out.dtype, out.strides)


# ---- products --------------------------------------------------------------------------------------------------------


def product_dtype(a: Any, b: Any) -> np.dtype[Any]:
    """Return the dtype of a product of two arrays; raise NumPy's error if their dtypes have none."""
    first: Any = np.zeros((), a.dtype) if a.ndim == 0 else np.empty((0, 1), a.dtype)
    second = np.zeros((1, 1)[: b.ndim], b.dtype)
    if a.ndim == b.ndim == 0:
        first = np.empty((0, 1), a.dtype)
    found: np.dtype[Any] = np.dot(first, second).dtype
    return found


def dot(a: Any, b: Any, out: Any = None) -> Layout:
    """Return the layout of ``numpy.dot(a, b, out)``."""
    a, b = header(a), header(b)
    return product(a, b, a.shape, b.shape, max(b.ndim - 2, 0), out)


def inner(a: Any, b: Any) -> Layout:
    """Return the layout of ``numpy.inner(a, b)``."""
    a, b = header(a), header(b)
    return product(a, b, a.shape, b.shape, max(b.ndim - 1, 0), None)


def product(a: Any, b: Any, left: Any, right: Any, axis: Any, out: Any) -> Layout:
    """Return the layout of a sum of products over the last axis of `a` and the axis `axis` of `b`."""
    its = product_dtype(a, b)
    if left and right:
        if left[-1] != right[axis]:
            raise ValueError(
                f"shapes {spelled(left)} and {spelled(right)} not aligned: "
                f"{left[-1]} (dim {len(left) - 1}) != {right[axis]} (dim {axis})"
            )
        layout = c_ordered(left[:-1] + right[:axis] + right[axis + 1 :], its)
    elif its.char in "fdFD" and len(left) <= 2 and len(right) <= 2:
        layout = c_ordered(left or right, its)
    else:  # if one operand is a number, NumPy casts both and multiplies
        if out is not None:
            return elementwise(np.multiply, (a, b), out=(out,))[0]
        x = a if left else b
        if x.dtype == its:
            layout = elementwise(np.multiply, (x, np.zeros((), its)))[0]
        else:
            layout = multiplied(x.shape, its, copied(x, dtype=its).strides)
    if out is not None and (out.shape != layout.shape or out.dtype != its or not out.flags.c_contiguous):
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)"
        )
    return layout if out is None else Layout(out.shape, out.dtype, out.strides)


def multiplied(shape: Integers, dtype: np.dtype[Any], strides: Integers) -> Layout:
    """Return the layout of the product of an array without gaps and a number of its dtype."""
    forwards = range(len(shape))
    for order in (forwards, forwards[::-1]):
        whole = dense(shape, order, dtype.itemsize)
        if telling(shape, strides) == telling(shape, whole):
            return Layout(shape, dtype, whole)
    return laid_out(shape, dtype, iteration_order([spread(shape, strides, len(shape))], len(shape)))


def vdot(a: Any, b: Any) -> Layout:
    """Return the layout of ``numpy.vdot(a, b)``, without axes."""
    a, b = header(a), header(b)
    if a.size != b.size:
        raise ValueError(f"cannot multiply {a.size} elements and {b.size} element by element")
    np.vdot(np.empty(0, a.dtype), np.empty(0, b.dtype))
    return Layout((), product_dtype(a, b), ())


def spelled(shape: Integers) -> str:
    """Return a shape as NumPy writes it in errors."""
    return str(shape).replace(" ", "")


# ---- choosing and ordering -------------------------------------------------------------------------------------------


def take(x: Any, indices: Any, axis: int | None = None, mode: Any = "raise", out: Any = None) -> Layout:
    """Return the layout of ``numpy.take(x, indices, axis, out, mode)``. Indices are not read, and may be a `Layout`."""
    x = header(x)
    indices = indices if isinstance(indices, Layout) else header(indices)
    np.take(np.empty(1), np.empty(0, np.intp), mode=mode)
    if axis is not None:
        axis = normalize_axis_index(operator.index(axis), max(x.ndim, 1))
    np.take(np.empty(1, x.dtype), np.empty(0, indices.dtype), mode=mode)
    if axis is None:
        before, length, after = (), x.size, ()
    elif x.ndim == 0:
        before, length, after = (), 1, ()
    else:
        before, length, after = x.shape[:axis], x.shape[axis], x.shape[axis + 1 :]
    shape = before + tuple(indices.shape) + after
    # For clipped and wrapped indices, NumPy does not raise if each index stands for an empty part.
    if length == 0 and 0 not in before + tuple(indices.shape) + (after if mode != "raise" else ()):
        raise IndexError("cannot do a non-empty take from an empty axes.")
    problem = "output array does not match result of ndarray.take"
    return given_or(out, c_ordered(shape, x.dtype), problem)


def sorted_copy(x: Any, axis: int | None = -1) -> Layout:
    """Return the layout of ``numpy.sort(x, axis)`` and ``numpy.partition(x, kth, axis)``."""
    x = header(x)
    if axis is None:
        return c_ordered((x.size,), x.dtype)
    normalize_axis_index(operator.index(axis), x.ndim)
    np.empty(0, x.dtype).sort()
    return copied(x)


def argsorted(x: Any, axis: int | None = -1) -> Layout:
    """Return the layout of ``numpy.argsort(x, axis)`` and ``numpy.argpartition(x, kth, axis)``."""
    x = header(x)
    if axis is None:
        return c_ordered((x.size,), np.dtype(np.intp))
    normalize_axis_index(operator.index(axis), max(x.ndim, 1))
    np.empty(0, x.dtype).argsort()
    return c_ordered(x.shape or (1,), np.dtype(np.intp))


def lexsort(keys: Iterable[Any], axis: int = -1) -> Layout:
    """Return the layout of ``numpy.lexsort(keys, axis)``, of a sequence of arrays or an array."""
    keys = [header(x) for x in keys]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if any(x.shape != keys[0].shape for x in keys):
        raise ValueError("all keys need to be the same shape")
    for x in keys:
        np.empty(0, x.dtype).argsort()
    normalize_axis_index(operator.index(axis), max(keys[0].ndim, 1))
    return c_ordered(keys[0].shape, np.dtype(np.intp))


def argbest(
    x: Any,
    axis: int | None = None,
    out: Any = None,
    keepdims: bool = False,
    name: Literal["argmax", "argmin"] = "argmax",
) -> Layout:
    """Return the layout of ``numpy.argmax(x, axis, out, keepdims=keepdims)``, and of `argmin` by its name."""
    x = header(x)
    if axis is None:
        kept, length, shape = (), x.size, (1,) * x.ndim
    else:
        axis = normalize_axis_index(operator.index(axis), max(x.ndim, 1))
        lengths = x.shape or (1,)
        kept, length = lengths[:axis] + lengths[axis + 1 :], lengths[axis]
        shape = (*kept[:axis], 1, *kept[axis:]) if x.ndim else ()
    getattr(np, name)(np.empty((0, 1), x.dtype), axis=1)
    if length == 0:
        raise ValueError(f"attempt to get {name} of an empty sequence")
    layout = c_ordered(shape if keepdims else kept, np.dtype(np.intp))
    if out is not None and not np.can_cast(np.intp, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast array data from {layout.dtype!r} to {out.dtype!r}")
    return given_or(out, layout, f"output array does not match result of np.{name}.")


def choose(index: Any, choices: Iterable[Any]) -> Layout:
    """Return the layout of ``numpy.choose(index, choices)``."""
    index = header(index)
    choices = [x if type(x) in (int, float, complex) else header(x) for x in choices]
    models = [np.empty(0, x.dtype) if isinstance(x, np.ndarray) else x for x in choices]
    its = np.choose(np.empty(0, index.dtype), models).dtype
    shape = broadcast([index.shape, *[x.shape for x in choices if isinstance(x, np.ndarray)]])
    if shape is None:
        raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return c_ordered(shape, its)


def repeat(x: Any, count: int, axis: int | None = None) -> Layout:
    """Return the layout of ``numpy.repeat(x, count, axis)`` with an integer count."""
    x, count = header(x), operator.index(count)
    shape = (x.size,) if axis is None else x.shape or (1,)
    axis = normalize_axis_index(0 if axis is None else operator.index(axis), len(shape))
    if count < 0 and shape[axis]:
        raise ValueError("negative dimensions are not allowed")
    return c_ordered((*shape[:axis], shape[axis] * count, *shape[axis + 1 :]), x.dtype)


def searchsorted(x: Any, values: Any, side: Literal["left", "right"] = "left") -> Layout:
    """Return the layout of ``numpy.searchsorted(x, values, side)``."""
    x, values = header(x), header(values)
    np.searchsorted(np.empty((0,) * x.ndim, x.dtype), np.empty(0, values.dtype), side)
    return c_ordered(values.shape, np.dtype(np.intp))


# ---- bits and counts -------------------------------------------------------------------------------------------------


def packbits(x: Any, axis: int | None = None) -> Layout:
    """Return the layout of ``numpy.packbits(x, axis)``."""
    return of_bits(np.packbits, header(x), axis, lambda length: -(-length // 8))


def unpackbits(x: Any, axis: int | None = None, count: int | None = None) -> Layout:
    """Return the layout of ``numpy.unpackbits(x, axis, count)``."""

    def unpacked(length: Any) -> Any:
        bits = 8 * length
        if count is None:
            return bits
        if count < 0 and -count > bits:
            raise ValueError(f"-count larger than number of elements: {count}")
        return count if count >= 0 else bits + count

    return of_bits(np.unpackbits, header(x), axis, unpacked)


def of_bits(function: Callable[..., Any], x: Any, axis: Any, length: Any) -> Layout:
    """Return the layout of x with one axis of another length, in Fortran order if x is."""
    function(np.empty(0, x.dtype))
    if axis is None or x.ndim == 0:
        axis_in(0 if axis is None else axis, 1)
        return c_ordered((length(x.size),), np.dtype(np.uint8))
    axis = axis_in(axis, x.ndim)
    shape = (*x.shape[:axis], length(x.shape[axis]), *x.shape[axis + 1 :])
    axes = range(len(shape))
    return laid_out(shape, np.dtype(np.uint8), axes[::-1] if x.flags.fnc else axes)


def bincount(x: Any, length: int, weights: Any = None) -> Layout:
    """Return the layout of ``numpy.bincount(x, weights)`` if the largest element requires this many counts."""
    np.bincount(np.empty(0, header(x).dtype))
    return fresh((length,), np.intp if weights is None else float)
