"""The layouts of elementwise functions: ufuncs, their outer products, and `where`.

Operands are broadcast together; the results have their axes in the order in which NumPy iterates over the operands.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NoReturn

import numpy as np

from cowarray._modes.layouts.dtypes import (
    FLOAT,
    INTEGER,
    LARGEST_ALIKE,
    found_late,
    header,
    kept_dtypes,
    result_dtypes,
)
from cowarray._modes.layouts.layouts import (
    Integers,
    Layout,
    broadcast,
    contiguous,
    dense,
    ghost,
    iteration_order,
    spread,
)

__all__ = ["elementwise", "outer", "where"]


def elementwise(
    ufunc: np.ufunc,
    inputs: Any,
    *,
    out: Any | None = None,
    where: Any = True,
    dtype: Any = None,
    signature: Any = None,
    casting: Any = "same_kind",
    order: str = "K",
    subok: bool = True,
) -> tuple[Layout, ...]:
    """Return the layouts of a ufunc's results.

    Parameters
    ----------
    ufunc : numpy.ufunc
        One without core dimensions.
    inputs : sequence
        Arrays, NumPy scalars and Python scalars.
    out : tuple of (array or None), optional
        One for each output.
    where : array or bool, optional
        As NumPy's. It takes part in broadcasting and in the order of axes.
    dtype, signature, casting, order, subok
        As NumPy's.

    Returns
    -------
    tuple of Layout
        One for each output; for a given array, its own.
    """
    if (
        out is None
        and where is True
        and dtype is None
        and signature is None
        and order == "K"
        and casting == "same_kind"
    ):
        key = []
        shape = strides = None
        alike = True
        for x in inputs:
            kind = type(x)
            if kind is np.ndarray:
                its = x.dtype
                key.append(its.num)
                key.append(its)
                length = x.shape
                if length:
                    if shape is None:
                        shape = length
                        alike = x.flags.c_contiguous
                    elif alike:
                        alike = shape == length and x.flags.c_contiguous
            elif kind is float:
                key.append(FLOAT)
            elif kind is int and 0 <= x <= LARGEST_ALIKE:
                key.append(INTEGER)
            else:
                break
        else:
            dtypes = kept_dtypes(ufunc, tuple(key))
            if alike:
                if shape is None:
                    return tuple([Layout((), its, ()) for its in dtypes])
                if len(dtypes) == 1:
                    its = dtypes[0]
                    return (Layout(shape, its, contiguous(shape, its.itemsize)),)
                return tuple([Layout(shape, its, contiguous(shape, its.itemsize)) for its in dtypes])
            shape, strides = placed(
                tuple([(x.shape, x.strides) for x in inputs if type(x) is np.ndarray]),
                tuple([its.itemsize for its in dtypes]),
                one_loop_order(ufunc, inputs, (None,), None, None) or "K",
            )
            return tuple([Layout(shape, its, strides[i]) for i, its in enumerate(dtypes)])
    return elementwise_with(ufunc, inputs, out, where, dtype, signature, casting, order, subok)


def elementwise_with(
    ufunc: np.ufunc,
    inputs: Sequence[Any],
    out: Any,
    where: Any,
    dtype: Any,
    signature: Any,
    casting: Any,
    order: str,
    subok: Any,
) -> tuple[Layout, ...]:
    """Do `elementwise` for arguments of any kind."""
    inputs = [x if type(x) in (int, float, complex) else header(x) for x in inputs]
    mask = None if where is True else header(where)
    options = {}
    if signature is not None:
        options["signature"] = signature
    if casting != "same_kind":
        options["casting"] = casting
    if order != "K":
        options["order"] = order
    if subok is not True:
        options["subok"] = subok
    if len(inputs) != ufunc.nin:
        raise TypeError(f"{ufunc.__name__}() takes {ufunc.nin} positional arguments but {len(inputs)} were given")
    if out is not None and type(out) is not tuple:
        out = (out,)
    if out is not None and all(o is None for o in out):
        out = None
    given = (None,) * ufunc.nout if out is None else out
    operands = [x for x in (*inputs, *given, mask) if isinstance(x, np.ndarray)]
    arrays = tuple([(x.shape, x.strides) for x in operands])
    try:
        dtypes = result_dtypes(ufunc, inputs, out, mask, dtype, **options)
    except TypeError as error:
        if found_late(error):
            refuse_other_outputs(placed(arrays, (), "K")[0], operands, given)
        raise
    if isinstance(order, str) and order.upper() == "A":
        operands = [x for x in operands if not copied_first(x, ufunc, inputs, given, mask, dtype, signature)]
    forced = forced_order(order, operands)
    if mask is None and operands and (order is None or order.upper() in "KA"):
        forced = one_loop_order(ufunc, inputs, given, dtype, signature) or forced
    shape, strides = placed(arrays, tuple([its.itemsize for its in dtypes]), forced)
    refuse_other_outputs(shape, operands, given)
    if ufunc is np.power and type(inputs[1]) is int and inputs[1] < 0 and 0 not in shape:
        refuse_negative_power(dtypes if out is None else result_dtypes(ufunc, inputs, dtype=dtype, **options))
    return tuple(
        [
            Layout(shape, its, at) if x is None else Layout(x.shape, x.dtype, x.strides)
            for x, its, at in zip(given, dtypes, strides, strict=True)
        ]
    )


def refuse_other_outputs(shape: Integers, operands: Sequence[Any], given: Any) -> None:
    """Make NumPy raise its error if a given output does not have the results' shape."""
    for x in given:
        if x is not None and x.shape != shape:
            raise_shape_error(operands, given)


def copied_first(
    x: Any, ufunc: np.ufunc, inputs: Sequence[Any], given: Any, mask: Any, dtype: Any, signature: Any
) -> bool:
    """True if NumPy casts an operand before it iterates, so that order 'A' sees a contiguous one.

    It does so with small operands of one axis, up to the first operand that must be cast and is not one of these.
    """
    if mask is not None or x.ndim != 1 or all(x is not other for other in inputs):
        return False
    loop = loop_dtypes(ufunc, inputs, given, dtype, signature)
    for y, its in zip(inputs, loop, strict=False):
        if isinstance(y, np.ndarray) and y.dtype != its:
            if y.ndim > 1 or (y.ndim == 1 and y.shape[0] > np.getbufsize()):
                return False
            if y is x:
                return True
    return False


def loop_dtypes(ufunc: np.ufunc, inputs: Sequence[Any], given: Any, dtype: Any, signature: Any) -> Sequence[Any]:
    """Return the dtypes in which a ufunc computes; empty if all inputs are Python's numbers."""
    if dtype is not None:
        signature = (None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout
    types = [y.dtype if isinstance(y, np.ndarray) else type(y) for y in inputs]
    if not any(isinstance(kind, np.dtype) for kind in types):
        return ()
    outputs = [None if o is None else o.dtype for o in given]
    options = {} if signature is None else {"signature": signature}
    return ufunc.resolve_dtypes((*types, *outputs), casting="unsafe", **options)


def one_loop_order(ufunc: np.ufunc, inputs: Sequence[Any], given: Any, dtype: Any, signature: Any) -> str | None:
    """Return 'C' or 'F' if NumPy allocates the only result in this order, without an iterator; else None.

    It does so if all operands with axes have the same shape and the dtypes in which it computes, and are contiguous in
    the same order. Only the strides of axes of length 1 show it.
    """
    arrays = [x for x in inputs if isinstance(x, np.ndarray) and x.ndim]
    shape = arrays[0].shape if arrays else ()
    if len(shape) < 2 or 1 not in shape or ufunc.nout != 1 or any(x is not None for x in given):
        return None
    if any(x.shape != shape or not x.flags.forc or not x.flags.aligned for x in arrays):
        return None
    loop = loop_dtypes(ufunc, inputs, given, dtype, signature)
    if any(isinstance(x, np.ndarray) and x.ndim and x.dtype != its for x, its in zip(inputs, loop, strict=False)):
        return None
    if all(x.flags.c_contiguous for x in arrays):
        return "C"
    return "F" if all(x.flags.f_contiguous for x in arrays) else None


def refuse_negative_power(dtypes: Any) -> None:
    """Raise NumPy's error for a negative Python integer as exponent, which comes at the first element."""
    if dtypes[0].kind in "iu":
        raise ValueError("Integers to negative integer powers are not allowed.")


@lru_cache(maxsize=4096)
def placed(operands: Sequence[Any], itemsizes: Any, order: str) -> tuple[Integers, tuple[Integers, ...]]:
    """Return the shape and strides of the results of an iteration over operands.

    Parameters
    ----------
    operands : tuple of (shape, strides)
        The given ones.
    itemsizes : tuple of int
        One for each result.
    order : {'K', 'C', 'F'}
        The iterator's.

    Returns
    -------
    shape : tuple of int
        The shape to which the operands broadcast.
    strides : tuple of tuple of int
        One for each result.
    """
    shape = broadcast([x[0] for x in operands])
    if shape is None:
        raise_shape_error([ghost(x[0]) for x in operands], ())
    ndim = len(shape)
    axes: Sequence[int]
    if order == "K":
        axes = iteration_order([spread(x[0], x[1], ndim) for x in operands], ndim)
    else:
        axes = range(ndim) if order == "C" else range(ndim - 1, -1, -1)
    return shape, tuple([dense(shape, axes, itemsize) for itemsize in itemsizes])


def forced_order(order: str, operands: Sequence[Any]) -> str:
    """Return 'K', 'C' or 'F': how the iterator takes an argument `order` that NumPy has accepted."""
    order = order.upper() if isinstance(order, str) else "K"
    if order != "A":
        return order
    return "F" if operands and all(x.flags.f_contiguous for x in operands) else "C"


def raise_shape_error(operands: Sequence[Any], given: Any) -> NoReturn:
    """Make NumPy's iterator, which touches no elements, raise its error about the shapes of operands."""
    outputs = [x for x in given if x is not None]
    read = [ghost(x.shape) for x in operands if not any(x is o for o in outputs)]
    written = [ghost(x.shape) for x in outputs]
    flags: Any = [["readonly"]] * len(read) + [["writeonly", "no_broadcast"]] * len(written)
    np.nditer(read + written, flags=["zerosize_ok"], op_flags=flags)
    raise ValueError("operands could not be broadcast together")


def outer(ufunc: np.ufunc, a: Any, b: Any, **options: Any) -> Layout | tuple[Layout, ...]:
    """Return the layout of ``ufunc.outer(a, b)``; a tuple of them if the ufunc has several results."""
    a, b = header(a), header(b)
    if a.ndim + b.ndim > 64:
        raise ValueError(
            f"maximum supported dimension for an ndarray is 64, but `{ufunc.__name__}.outer()` result would have "
            f"{a.ndim + b.ndim}."
        )
    layouts = elementwise(ufunc, (a[(..., *(None,) * b.ndim)], b), **options)
    return layouts[0] if ufunc.nout == 1 else layouts


def where(condition: Any, a: Any, b: Any) -> Layout:
    """Return the layout of ``numpy.where(condition, a, b)``."""
    operands = [x if type(x) in (int, float, complex) else header(x) for x in (condition, a, b)]
    operands[0] = header(operands[0])
    arrays = tuple([(x.shape, x.strides) for x in operands if isinstance(x, np.ndarray)])
    try:
        (its,) = result_dtypes(np.where, operands)
    except (TypeError, OverflowError) as error:
        if found_late(error):
            placed(arrays, (), "K")
        raise
    shape, (strides,) = placed(arrays, (its.itemsize,), "K")
    return Layout(shape, its, strides)
