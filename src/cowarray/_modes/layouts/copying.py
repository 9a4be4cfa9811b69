"""The layouts of new arrays and copies: `empty`, `empty_like`, `astype`, `concatenate`, and `reshape` that copies."""

import numpy as np

from .dtypes import header
from .layouts import Layout, ValuesNeeded, axis_in, copied_order, dense, ghost, laid_out, merged_order, resolved_order

__all__ = ["cast", "concatenated", "copied", "fresh", "reshaped_copy"]

MOST_AXES = 64
# Elements of no bytes, so that NumPy takes or refuses a shape and allocates nothing.
NOTHING = np.dtype("V0")


def fresh(shape, dtype=float, order="C"):
    """The layout of ``numpy.empty(shape, dtype, order)``."""
    shape = as_shape(shape)
    model = np.empty(0, dtype, order)
    shape = with_axes_of_dtype(shape, model)
    axes = range(len(shape)) if order in ("C", "c", "K", "A") else range(len(shape) - 1, -1, -1)
    return Layout(shape, model.dtype, dense(shape, axes, model.dtype.itemsize))


def as_shape(shape):
    """The shape that NumPy takes an argument for."""
    if type(shape) is tuple and all(type(n) is int and 0 <= n <= 2**31 for n in shape) and len(shape) <= 32:
        return shape
    return np.ndarray(shape, NOTHING).shape


def with_axes_of_dtype(shape, model):
    """A shape, and the axes that a dtype brings."""
    shape += model.shape[1:]
    if len(shape) > MOST_AXES:
        raise ValueError(f"maximum supported dimension for an ndarray is currently {MOST_AXES}, found {len(shape)}")
    return shape


def copied(x, order="K", dtype=None, shape=None):
    """The layout of a copy of x, as `numpy.copy` and `numpy.empty_like` make it: nothing is cast."""
    x = header(x)
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
            order = "C"  # nothing to keep
    order = resolved_order(x, order)
    axes = copied_order(x, order, len(shape))
    if tail:
        inner = range(len(shape), len(shape) + len(tail))
        # NumPy lays these axes out in the order of the others only if that is Fortran's.
        axes = [*reversed(inner), *axes] if order == "F" else [*axes, *inner]
        shape = with_axes_of_dtype(shape, model)
    return laid_out(shape, dtype, axes)


def cast(x, dtype, order="K", casting="unsafe"):
    """The layout of ``x.astype(dtype, order, casting)``, if it copies."""
    x = header(x)
    asked = np.dtype(dtype)
    if x.dtype.kind == "O" and asked.kind in "SUMm" and np.dtype(asked.type) == asked:
        raise ValuesNeeded(f"the length or unit of {asked!r} depends on the objects")
    return copied(x, order, np.empty(0, x.dtype).astype(dtype, casting=casting).dtype)


def reshaped_copy(x, shape, order="C"):
    """The layout of the copy that `reshape` makes where no view exists. One length may be -1."""
    x = header(x)
    if order in ("A", "a"):
        order = "F" if x.flags.fnc else "C"
    return fresh(ghost(x.shape).reshape(shape).shape, x.dtype, order)


def concatenated(arrays, axis=0, dtype=None, casting="same_kind"):
    """The layout of ``numpy.concatenate(arrays, axis, dtype=dtype, casting=casting)``."""
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


def joined_dtype(arrays, dtype, casting):
    """The dtype of arrays that are joined."""
    return np.concatenate([np.empty(0, x.dtype) for x in arrays], dtype=dtype, casting=casting).dtype
