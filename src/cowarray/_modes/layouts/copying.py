"""The layouts of new arrays and copies: `empty`, `empty_like`, `astype`, `concatenate`, and a `reshape` that copies."""

from typing import Any

import numpy as np

from cowarray._modes.layouts.dtypes import header
from cowarray._modes.layouts.layouts import (
    Array,
    Integers,
    Layout,
    ValuesNeeded,
    axis_in,
    copied_order,
    dense,
    ghost,
    laid_out,
    merged_order,
    resolved_order,
)

__all__ = ["cast", "concatenated", "copied", "fresh", "reshaped_copy"]

MOST_AXES = 64
# Elements of 0 bytes: NumPy accepts or refuses a shape without allocating.
NOTHING = np.dtype("V0")


def fresh(shape: Any, dtype: Any = float, order: str = "C") -> Layout:
    """Return the layout of ``numpy.empty(shape, dtype, order)``."""
    shape = as_shape(shape)
    model: Array = np.empty(0, dtype, order)  # type: ignore[call-overload]  # NumPy checks the order
    shape = with_axes_of_dtype(shape, model)
    axes = range(len(shape)) if order in ("C", "c", "K", "A") else range(len(shape) - 1, -1, -1)
    return Layout(shape, model.dtype, dense(shape, axes, model.dtype.itemsize))


def as_shape(shape: Any) -> Integers:
    """Return the argument as a shape, as NumPy reads it."""
    if type(shape) is tuple and all(type(n) is int and 0 <= n <= 2**31 for n in shape) and len(shape) <= 32:
        return shape
    return np.ndarray(shape, NOTHING).shape


def with_axes_of_dtype(shape: Any, model: Any) -> Integers:
    """Return a shape with the axes of the model's subarray dtype appended."""
    whole: Integers = shape + model.shape[1:]
    if len(whole) > MOST_AXES:
        raise ValueError(f"maximum supported dimension for an ndarray is currently {MOST_AXES}, found {len(whole)}")
    return whole


def copied(x: Any, order: str | None = "K", dtype: Any = None, shape: Any = None) -> Layout:
    """Return the layout of a copy of x, as made by `numpy.copy` and `numpy.empty_like`: nothing is cast."""
    x = header(x)
    tail: Integers
    if dtype is None:
        dtype, tail = x.dtype, ()
    else:
        model = np.empty(0, dtype)
        dtype, tail = model.dtype, model.shape[1:]
    if shape is None:
        shape = x.shape
    else:
        shape = as_shape(shape)
        if len(shape) != x.ndim and order in ("K", "k", None):
            order = "C"  # x has no order for these axes
    order = resolved_order(x, order)
    axes = copied_order(x, order, len(shape))
    if tail:
        inner = range(len(shape), len(shape) + len(tail))
        # NumPy lays out these axes in the order of the others only if that is Fortran order.
        axes = [*reversed(inner), *axes] if order == "F" else [*axes, *inner]
        shape = with_axes_of_dtype(shape, model)
    return laid_out(shape, dtype, axes)


def cast(x: Any, dtype: Any, order: str | None = "K", casting: Any = "unsafe") -> Layout:
    """Return the layout of ``x.astype(dtype, order, casting)``, if it copies."""
    x = header(x)
    asked = np.dtype(dtype)
    if x.dtype.kind == "O" and asked.kind in "SUMm" and np.dtype(asked.type) == asked:
        raise ValuesNeeded(f"the length or unit of {asked!r} depends on the objects")
    return copied(x, order, np.empty(0, x.dtype).astype(dtype, casting=casting).dtype)


def reshaped_copy(x: Any, shape: Any, order: str = "C") -> Layout:
    """Return the layout of the copy that `reshape` makes if no view is possible. One length may be -1."""
    x = header(x)
    if order in ("A", "a"):
        order = "F" if x.flags.fnc else "C"
    return fresh(ghost(x.shape).reshape(shape).shape, x.dtype, order)


def concatenated(arrays: Any, axis: int | None = 0, dtype: Any = None, casting: Any = "same_kind") -> Layout:
    """Return the layout of ``numpy.concatenate(arrays, axis, dtype=dtype, casting=casting)``."""
    arrays = [header(x) for x in arrays]
    if axis is None:
        its = joined_dtype(arrays, dtype, casting)
        return fresh((sum([x.size for x in arrays]),), its)
    shapes = [x.shape for x in arrays]
    ndim = len(shapes[0]) if shapes else 0
    if ndim == 0 or any(len(shape) != ndim for shape in shapes):
        np.concatenate([ghost(shape) for shape in shapes], axis)
        raise ValueError("the arrays cannot be joined")
    axis = axis_in(axis, ndim)
    first = shapes[0]
    for shape in shapes[1:]:
        if shape[:axis] != first[:axis] or shape[axis + 1 :] != first[axis + 1 :]:
            np.concatenate([ghost(shape) for shape in shapes], axis)
            raise ValueError("the arrays cannot be joined")
    its = joined_dtype(arrays, dtype, casting)
    shape = (*first[:axis], sum([shape[axis] for shape in shapes]), *first[axis + 1 :])
    return laid_out(shape, its, merged_order([(x.shape, x.strides) for x in arrays], ndim))


def joined_dtype(arrays: Any, dtype: Any, casting: Any) -> np.dtype[Any]:
    """Return the dtype of joined arrays."""
    return np.concatenate([np.empty(0, x.dtype) for x in arrays], dtype=dtype, casting=casting).dtype
