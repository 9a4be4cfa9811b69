"""The layouts of a ufunc's methods along axes: `reduce`, `accumulate` and `reduceat`."""

from functools import lru_cache
from typing import Any

import numpy as np

from cowarray._modes.layouts.dtypes import found_late, header, number_of
from cowarray._modes.layouts.layouts import (
    Array,
    Integers,
    Layout,
    axis_in,
    dense,
    iteration_order,
    laid_out,
    spread,
)

__all__ = ["accumulation", "reduction", "segments"]

NOT_GIVEN = np._NoValue


@lru_cache(maxsize=4096)
def kept_reduced_dtype(
    ufunc: np.ufunc, numbers: Any, dtype: Any, reduced: Any, empty: Any, asked: Any, out: Any, mask: Any
) -> Any:
    """Return `reduced_dtype` without an initial value, cached. Type numbers tell int64 from longlong."""
    return reduced_dtype(ufunc, dtype, reduced, empty, asked, out, mask, {})


def reduced_dtype(
    ufunc: np.ufunc, dtype: Any, reduced: Any, empty: Any, asked: Any, out: Any, mask: Any, initial: Any
) -> Any:
    """Reduce an array without elements: return the result's dtype, or raise NumPy's error.

    Parameters
    ----------
    ufunc : numpy.ufunc
        Of two operands and one result.
    dtype : numpy.dtype
        The operand's.
    reduced : int
        How many axes are reduced; 2 means two or more.
    empty : bool
        Whether elements of the result are reductions of no elements.
    asked, out, mask : dtype, optional
        The argument `dtype`; the dtypes of `out` and `where`.
    initial : dict
        The argument, if given.
    """
    if out is not None and out.hasobject and asked is not None:
        out = None  # any dtype can be cast; NumPy would take the first value's bytes for an object, and may crash
    lengths = (1,) + (0,) * reduced if empty else (0,) + (1,) * reduced
    options = dict(initial)
    if asked is not None:
        options["dtype"] = asked
    if out is not None:
        options["out"] = np.empty(lengths[:1], out)
    if mask is not None:
        options["where"] = np.empty(lengths, mask)
    return ufunc.reduce(np.empty(lengths, dtype), axis=tuple(range(1, reduced + 1)), **options).dtype


def reduction(
    ufunc: np.ufunc,
    x: Array,
    *,
    axis: int | tuple[int, ...] | None = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NOT_GIVEN,
    where: Any = True,
) -> Layout:
    """Return the layout of ``ufunc.reduce(x, ...)``.

    Parameters
    ----------
    ufunc : numpy.ufunc
        Of two operands and one result.
    x : array
        The array to reduce.
    axis, dtype, out, keepdims, initial, where
        As NumPy's; `out` is an array or a tuple of one.

    Returns
    -------
    Layout
        That of `out`, if given.
    """
    x, out = header(x), only(out)
    ndim, shape = x.ndim, x.shape
    if type(keepdims) is not bool:
        np.add.reduce(np.zeros(1), keepdims=keepdims)  # NumPy accepts some other types and refuses others
    mask = None if where is True else header(where)
    if mask is not None and mask.dtype != bool:
        np.empty(0, mask.dtype).astype(bool, casting="safe")
    try:
        axes = reduced_axes(axis, ndim)
    except (TypeError, ValueError, IndexError):
        ufunc.reduce(np.empty((0,) * ndim, x.dtype), axis=axis, dtype=dtype)  # NumPy's order of checks
        raise
    kept = tuple([n for k, n in enumerate(shape) if k not in axes])
    empty = 0 in shape and any(shape[k] == 0 for k in axes)
    arguments = (
        ufunc,
        x.dtype,
        min(len(axes), 2),
        empty,
        dtype,
        None if out is None else out.dtype,
        None if mask is None else mask.dtype,
    )
    result = tuple([1 if k in axes else n for k, n in enumerate(shape)]) if keepdims else kept
    try:
        if initial is NOT_GIVEN:
            its = kept_reduced_dtype(ufunc, (x.dtype.num, number_of(dtype)), *arguments[1:])
        else:
            first = np.zeros((), initial.dtype) if isinstance(initial, np.ndarray) else initial
            its = reduced_dtype(*arguments, {"initial": first})
    except (TypeError, OverflowError, ValueError) as error:
        if found_late(error) and (initial is not NOT_GIVEN or isinstance(error, TypeError)):
            refuse_other_shapes(ufunc, shape, result, out, mask)
        raise
    if mask is not None and initial is NOT_GIVEN and 0 not in shape:
        if dtype is not None:
            kinds = np.dtype(dtype).kind
        else:
            loop = (
                (its,)
                if out is None
                else ufunc.resolve_dtypes((out.dtype, x.dtype, None), reduction=True, casting="unsafe")
            )
            kinds = [its.kind for its in loop]
        if "O" in kinds:  # objects have an identity only if there are no elements
            raise ValueError(
                f"reduction operation '{ufunc.__name__}' does not have an identity, "
                "so to use a where mask one has to specify 'initial'"
            )
    refuse_other_shapes(ufunc, shape, result, out, mask)
    if out is not None:
        return Layout(out.shape, out.dtype, out.strides)
    masked = None if mask is None else (mask.shape, mask.strides)
    return Layout(result, its, reduced_strides(shape, x.strides, masked, axes, bool(keepdims), its.itemsize))


def reduced_axes(axis: Any, ndim: int) -> Any:
    """Return the reduced axes, each once."""
    if axis is None:
        return tuple(range(ndim))
    if ndim == 0 and type(axis) is int and axis in (0, -1):
        return ()
    if type(axis) is int and -ndim <= axis < ndim:
        return (axis % ndim,)
    axes = axis if isinstance(axis, tuple) else (axis,)
    if ndim == 0 and axes in ((0,), (-1,)) and not isinstance(axis, tuple):
        return ()
    axes = tuple([axis_in(k, ndim) for k in axes])
    if len(set(axes)) < len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes


def only(out: Any) -> Any:
    """Return the single output of an argument `out`, which may be a tuple of one."""
    if type(out) is tuple:
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry")
        return out[0]
    return out


def refuse_other_shapes(ufunc: np.ufunc, shape: Integers, result: Any, out: Any, mask: Any) -> None:
    """Raise if a mask does not broadcast to the operand, or `out` does not have the result's shape."""
    if out is not None:
        refuse_other_shape(ufunc, out.shape, result)
    if mask is None:
        return
    if mask.ndim > len(shape):
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    for have, length in zip(reversed(shape), reversed(mask.shape), strict=False):
        if length not in (1, have):
            raise ValueError(f"operands could not be broadcast together with remapped shapes: {shape} and {mask.shape}")


def refuse_other_shape(ufunc: np.ufunc, given: Any, expected: Any) -> None:
    """Raise if the output of a reduction does not have the result's shape."""
    if len(given) != len(expected):
        raise ValueError(
            f"output parameter for reduction operation {ufunc.__name__} has the wrong number of dimensions: "
            f"Found {len(given)} but expected {len(expected)}"
        )
    if given != expected:
        raise ValueError(f"operands could not be broadcast together with remapped shapes: {given} and {expected}")


@lru_cache(maxsize=4096)
def reduced_strides(
    shape: Integers, strides: Integers, mask: Any, axes: Any, keepdims: bool, itemsize: int
) -> Integers:
    """Return the strides of a reduction's result: all axes in iteration order, reduced ones with length 1."""
    ndim = len(shape)
    operands = [spread(shape, strides, ndim)]
    if mask is not None:
        operands.append(spread(mask[0], mask[1], ndim))
    kept = dense(tuple([1 if k in axes else n for k, n in enumerate(shape)]), iteration_order(operands, ndim), itemsize)
    return kept if keepdims else tuple([step for k, step in enumerate(kept) if k not in axes])


def accumulation(ufunc: np.ufunc, x: Array, axis: Any = 0, dtype: Any = None, out: Any = None) -> Layout:
    """Return the layout of ``ufunc.accumulate(x, ...)``."""
    x, out = header(x), only(out)
    try:
        its = along_axis_dtype(ufunc, "accumulate", x, axis, dtype, out)
    except TypeError as error:
        if out is not None and found_late(error):
            refuse_other_shape(ufunc, out.shape, x.shape)
        raise
    if out is not None:
        refuse_other_shape(ufunc, out.shape, x.shape)
        return Layout(out.shape, out.dtype, out.strides)
    return laid_out(x.shape, its, iteration_order([spread(x.shape, x.strides, x.ndim)], x.ndim))


def segments(
    ufunc: np.ufunc,
    x: Array,
    indices_length: int,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
) -> Layout:
    """Return the layout of ``ufunc.reduceat(x, indices, ...)``; `indices` has one axis, of this length."""
    x, out = header(x), only(out)
    if x.ndim and not isinstance(axis, tuple):
        if axis is None or type(axis) is bool or not -x.ndim <= axis < x.ndim:
            along_axis_dtype(ufunc, "reduceat", x, axis, dtype, out)
        axis %= x.ndim  # pyright: ignore[reportOperatorIssue]  # NumPy has refused None by now
        if indices_length and not x.shape[axis]:
            ufunc.reduceat(np.empty((0,) * x.ndim, x.dtype), [0], axis, dtype)
            raise IndexError(f"index 0 out-of-bounds in {ufunc.__name__}.reduceat [0, 0)")
    its = along_axis_dtype(ufunc, "reduceat", x, axis, dtype, out)
    if isinstance(axis, tuple):
        axis = axis_in(axis[0], x.ndim)
    shape = (*x.shape[:axis], indices_length, *x.shape[axis + 1 :])
    if out is not None:
        refuse_other_shape(ufunc, out.shape, shape)
        return Layout(out.shape, out.dtype, out.strides)
    strides = list(spread(x.shape, x.strides, x.ndim))
    strides[axis] = 0  # NumPy iterates over the indices along this axis
    return laid_out(shape, its, iteration_order([strides], x.ndim))


def along_axis_dtype(ufunc: np.ufunc, method: Any, x: Any, axis: Any, dtype: Any, out: Any) -> Any:
    """Return the dtype of `accumulate` or `reduceat` along an axis; raise NumPy's error for an invalid axis."""
    arguments = () if method == "accumulate" else (np.empty(0, np.intp),)
    options = {} if dtype is None else {"dtype": dtype}
    if out is not None and not (out.dtype.hasobject and dtype is not None):  # as in `reduced_dtype`
        options["out"] = np.empty((0,) * x.ndim, out.dtype)
    operand = np.empty((0,) * x.ndim, x.dtype)
    return getattr(ufunc, method)(operand, *arguments, axis=axis, **options).dtype
