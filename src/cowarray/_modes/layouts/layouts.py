"""Layouts of new arrays: shape, dtype and strides, and the order of axes in memory that NumPy chooses for a result.

NumPy has three rules for the order. Whatever iterates over operands (ufuncs, reductions, `where`, `einsum`) takes
`iteration_order`; `concatenate` takes `merged_order`; copies and `empty_like` take `copied_order`. All three look at
absolute strides alone, so an array's elements are never read.
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
    """What an array's header says, but for the address.

    Parameters
    ----------
    shape : tuple of int
        The axes' lengths.
    dtype : numpy.dtype
        The elements' type.
    strides : tuple of int
        In bytes. Those of axes of length 0 or 1, and of arrays without elements, mean nothing.
    """

    shape: Integers
    dtype: np.dtype[Any]
    strides: Integers


class ValuesNeeded(TypeError):
    """The layout of the result depends on elements, which may not be read."""


@lru_cache(maxsize=4096)
def contiguous(shape: Integers, itemsize: int) -> Integers:
    """Strides of a C-contiguous array. Raises NumPy's error if no array can be this large."""
    strides, step = [], itemsize
    for length in reversed(shape):
        strides.append(step)
        step *= length or 1
    if step > MOST_BYTES:
        raise ValueError("array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.")
    return tuple(reversed(strides))


def dense(shape: Integers, order: Iterable[int], itemsize: int) -> Integers:
    """Strides of an array without holes whose axes are in memory in this order, the slowest first."""
    packed = contiguous(tuple([shape[axis] for axis in order]), itemsize)
    strides = [0] * len(shape)
    for axis, stride in zip(order, packed, strict=True):
        strides[axis] = stride
    return tuple(strides)


def laid_out(shape: Integers, dtype: Any, order: Iterable[int]) -> Layout:
    """The layout of `dense`."""
    return Layout(shape, dtype, dense(shape, order, dtype.itemsize))


def broadcast(shapes: Iterable[Integers]) -> Integers | None:
    """The shape that all broadcast to, or None."""
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
    """Strides with which an operand is iterated over in `ndim` axes: 0 where it has one element for all."""
    return (0,) * (ndim - len(shape)) + tuple([0 if n == 1 else s for n, s in zip(shape, strides, strict=True)])


def telling(shape: Integers, strides: Integers) -> Integers:
    """The strides of axes longer than 1, which decide where elements lie."""
    return tuple([step for n, step in zip(shape, strides, strict=True) if n > 1])


def iteration_order(operands: Sequence[Sequence[int]], ndim: int) -> list[int]:
    """Axes, slowest first, in the order in which NumPy's iterator puts them (order 'K').

    Parameters
    ----------
    operands : sequence of tuple of int
        Each operand's strides, as from `spread`.
    ndim : int
        The number of axes.

    Returns
    -------
    list of int
        An axis moves inwards past those in which every operand that moves along both takes longer steps there. An
        axis with which no operand can compare it is passed over.
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
    """Axes, slowest first, as `concatenate` orders them: it compares axes longer than 1, whatever their strides.

    Parameters
    ----------
    arrays : sequence of (shape, strides)
        The arrays to be joined.
    ndim : int
        The number of axes that each has.
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
    """The number of an axis, counted from the first. As for NumPy, a truth is no number."""
    if type(axis) is bool:
        raise TypeError("an integer is required for the axis")
    return normalize_axis_index(operator.index(axis), ndim)


def checked_order(order: Any) -> str:
    """An order, 'K' for None; NumPy's error for what is none."""
    if type(order) is str and order.upper() in ("K", "C", "F", "A"):
        return order.upper()
    np.empty(0).copy(order=order)  # pyright: ignore[reportArgumentType]  # for NumPy's error
    return "K" if order is None else str(order).upper()


def resolved_order(x: Array, order: str | None) -> str:
    """'C', 'F', or 'K' if a copy of x is neither."""
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
    """Axes, slowest first, of a copy of x in an order as from `resolved_order`: by falling stride, if it is 'K'."""
    order = resolved_order(x, order)
    if order == "K":
        return sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))
    axes = list(range(x.ndim if ndim is None else ndim))
    return axes[::-1] if order == "F" else axes


# What ghosts stand on. It is ours, and small: a ghost's strides are 0.
GROUND = bytearray(16)


def ghost(shape: Integers) -> Array:
    """A header of this shape over one byte, to have NumPy word an error that depends on shapes alone."""
    return np.ndarray(shape, np.int8, GROUND, 0, (0,) * len(shape))
