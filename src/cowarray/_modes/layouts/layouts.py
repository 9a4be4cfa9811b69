"""Layouts of new arrays: shape, dtype and strides, and the order of axes in memory that NumPy chooses for a result.

NumPy has three rules for the order. Functions that iterate over operands (ufuncs, reductions, `where`, `einsum`) use
`iteration_order`; `concatenate` uses `merged_order`; copies and `empty_like` use `copied_order`. None of them reads an
array's elements: they compare absolute strides.
"""

import operator
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

__all__ = [
    "Array",
    "Integers",
    "Layout",
    "ValuesNeeded",
    "axis_in",
    "broadcast",
    "checked_order",
    "contiguous",
    "copied_order",
    "dense",
    "ghost",
    "iteration_order",
    "laid_out",
    "merged_order",
    "resolved_order",
    "spread",
    "telling",
]

Integers: TypeAlias = tuple[int, ...]
Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

MOST_BYTES = np.iinfo(np.intp).max


class Layout(NamedTuple):
    """An array's header, except for the address.

    Parameters
    ----------
    shape : tuple of int
        The axes' lengths.
    dtype : numpy.dtype
        The elements' type.
    strides : tuple of int
        In bytes. Those of axes of length 0 or 1, and of arrays without elements, have no meaning.
    """

    shape: Integers
    dtype: np.dtype[Any]
    strides: Integers


class ValuesNeeded(TypeError):
    """The layout of the result depends on elements, which may not be read."""


@lru_cache(maxsize=4096)
def contiguous(shape: Integers, itemsize: int) -> Integers:
    """Return the strides of a C-contiguous array. Raise NumPy's error if no array can be this large."""
    strides, step = [], itemsize
    for length in reversed(shape):
        strides.append(step)
        step *= length or 1
    if step > MOST_BYTES:
        raise ValueError("array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.")
    return tuple(reversed(strides))


def dense(shape: Integers, order: Iterable[int], itemsize: int) -> Integers:
    """Return the strides of an array without gaps whose axes have this order in memory, the slowest first."""
    packed = contiguous(tuple([shape[axis] for axis in order]), itemsize)
    strides = [0] * len(shape)
    for axis, stride in zip(order, packed, strict=True):
        strides[axis] = stride
    return tuple(strides)


def laid_out(shape: Integers, dtype: Any, order: Iterable[int]) -> Layout:
    """Return the layout of `dense`."""
    return Layout(shape, dtype, dense(shape, order, dtype.itemsize))


def broadcast(shapes: Iterable[Integers]) -> Integers | None:
    """Return the shape to which all broadcast, or None."""
    result: Integers = ()
    for shape in shapes:
        if shape == result or not shape:
            continue
        if not result:
            result = shape
            continue
        longer, shorter = (result, shape) if len(result) >= len(shape) else (shape, result)
        lead = len(longer) - len(shorter)
        merged = list(longer)
        for axis, length in enumerate(shorter, lead):
            have = merged[axis]
            if have != length:
                if have == 1:
                    merged[axis] = length
                elif length != 1:
                    return None
        result = tuple(merged)
    return result


def spread(shape: Integers, strides: Integers, ndim: int) -> Integers:
    """Return an operand's strides in an iteration over `ndim` axes: 0 along axes where it is broadcast."""
    return (0,) * (ndim - len(shape)) + tuple([0 if n == 1 else s for n, s in zip(shape, strides, strict=True)])


def telling(shape: Integers, strides: Integers) -> Integers:
    """Return the strides of axes longer than 1, which decide where elements lie."""
    return tuple([step for n, step in zip(shape, strides, strict=True) if n > 1])


def iteration_order(operands: Sequence[Sequence[int]], ndim: int) -> list[int]:
    """Return the axes, slowest first, in the order of NumPy's iterator (order 'K').

    Parameters
    ----------
    operands : sequence of tuple of int
        Each operand's strides, as from `spread`.
    ndim : int
        The number of axes.

    Returns
    -------
    list of int
        An axis moves inwards past each axis in which all operands with strides along both have the larger ones. It
        skips an axis if no operand has strides along both.
    """
    order = [ndim - 1] if ndim else []  # the fastest first
    for axis in range(ndim - 2, -1, -1):
        place = at = len(order)
        while at:
            at -= 1
            other = order[at]
            compared = slower = False
            for strides in operands:
                ours, theirs = strides[axis], strides[other]
                if ours and theirs:
                    compared = True
                    slower = abs(theirs) > abs(ours)
                    if not slower:
                        break
            if slower:
                place = at
            elif compared:
                break
        order.insert(place, axis)
    order.reverse()
    return order


def merged_order(arrays: Sequence[tuple[Integers, Integers]], ndim: int) -> list[int]:
    """Return the axes, slowest first, as `concatenate` orders them: it compares axes longer than 1, even of stride 0.

    Parameters
    ----------
    arrays : sequence of (shape, strides)
        The arrays to be joined.
    ndim : int
        The number of axes of each.
    """
    order: list[int] = []
    for axis in range(ndim):
        place = at = len(order)
        while at:
            at -= 1
            other = order[at]
            compared = slower = False
            for shape, strides in arrays:
                if shape[axis] != 1 and shape[other] != 1:
                    compared = True
                    slower = abs(strides[axis]) > abs(strides[other])
                    if not slower:
                        break
            if slower:
                place = at
            elif compared:
                break
        order.insert(place, axis)
    return order


def axis_in(axis: Any, ndim: int) -> int:
    """Return the index of an axis, from 0 on. As in NumPy, a bool is not an integer."""
    if type(axis) is bool:
        raise TypeError("an integer is required for the axis")
    return normalize_axis_index(operator.index(axis), ndim)


def checked_order(order: Any) -> str:
    """Return an order in upper case, 'K' for None; raise NumPy's error for anything else."""
    if type(order) is str and order.upper() in ("K", "C", "F", "A"):
        return order.upper()
    np.empty(0).copy(order=order)  # pyright: ignore[reportArgumentType]  # for NumPy's error
    return "K" if order is None else str(order).upper()


def resolved_order(x: Array, order: str | None) -> str:
    """Return the order of a copy of x: 'C', 'F', or 'K' if it is neither."""
    order = checked_order(order)
    if order == "K":
        flags = x.flags
        if x.ndim <= 1 or flags.c_contiguous:
            return "C"
        return "F" if flags.f_contiguous else "K"
    if order == "A":
        return "F" if x.flags.fnc else "C"
    return order


def copied_order(x: Array, order: str | None = "K", ndim: int | None = None) -> list[int]:
    """Return the axes, slowest first, of a copy of x: by decreasing stride if `resolved_order` is 'K'."""
    order = resolved_order(x, order)
    if order == "K":
        return sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))
    axes = list(range(x.ndim if ndim is None else ndim))
    return axes[::-1] if order == "F" else axes


# The memory of all ghosts. It can be small: a ghost's strides are 0.
GROUND = bytearray(16)


def ghost(shape: Integers) -> Array:
    """Return an array of this shape over one byte, for NumPy's errors that depend on shapes alone."""
    return np.ndarray(shape, np.int8, GROUND, 0, (0,) * len(shape))
