# cython: freethreading_compatible=True
"""The functions of the public namespace that call a ufunc, or a method of one, on anything array_like."""

import numpy as np
from numpy import _NoValue

cimport numpy as cnp

from cowarray._array.imports cimport import_array
from cowarray._c.python cimport PyObject_CheckBuffer
from cowarray._ops.conversion cimport is_subclass
from cowarray._ops.large cimport is_large_operand, large_call
from cowarray._ops.operands cimport computed, has_own_ufunc, is_familiar, is_stranger, MISSING, operand
from cowarray._ops.ufuncs cimport array_ufunc, takes_others, written_into

from cowarray._ops.conversion import asarray

cnp.import_array()

cdef object numpy_asarray = np.asarray
cdef type numpy_memmap = np.memmap


cdef object elementwise1(object ufunc, object x, object out, object where, object dtype, object casting):
    """Return the result of one of NumPy's own ufuncs for x, as a cowarray array."""
    if where is not True or dtype is not None or casting != "same_kind":
        return elementwise(ufunc, (x,), chosen(out, where, dtype, casting))
    if out is not None:
        result = written_into(out, ufunc, x, MISSING)
        return elementwise(ufunc, (x,), chosen(out, True, None, "same_kind")) if result is None else result
    shown = operand(x)
    if shown is None:
        return elementwise(ufunc, (x,), {})
    return computed(large_call(ufunc, (shown,), {}) if is_large_operand(shown) else ufunc(shown))


cdef object elementwise2(object ufunc, object x1, object x2, object out, object where, object dtype, object casting):
    """Return the result of one of NumPy's own ufuncs for x1 and x2, as a cowarray array."""
    if where is not True or dtype is not None or casting != "same_kind":
        return elementwise(ufunc, (x1, x2), chosen(out, where, dtype, casting))
    if out is not None:
        result = written_into(out, ufunc, x1, x2)
        return elementwise(ufunc, (x1, x2), chosen(out, True, None, "same_kind")) if result is None else result
    first = operand(x1)
    second = operand(x2)
    if first is None or second is None:
        return elementwise(ufunc, (x1, x2), {})
    if is_large_operand(first) or is_large_operand(second):
        return computed(large_call(ufunc, (first, second), {}))
    return computed(ufunc(first, second))


# NumPy's warnings name the line of the innermost frame, which would be that of a Python function here. Cython functions
# have no frame, so the warnings name the user's line. They take any arguments, and call `declared`, which has the
# signature and no body, to refuse those that do not fit, under its name.
def elementwise_function(ufunc, declared, /):
    """Return a function that calls one of NumPy's own ufuncs, of one or two operands and as many results.

    Positional arguments have other names here: Cython would refuse a second value under the inner function's name.
    """
    def one(x=MISSING, second=MISSING, /, *rest, out=MISSING, where=True, dtype=None, casting="same_kind", **unknown):
        if x is MISSING or rest or unknown:
            refuse(declared, (x,), (second,), rest, unknown)
        if second is not MISSING:
            out = only_out(declared, (x, second), out)
        return elementwise1(ufunc, x, None if out is MISSING else out, where, dtype, casting)

    def two(
        x1=MISSING, x2=MISSING, third=MISSING, /, *rest, out=MISSING, where=True, dtype=None, casting="same_kind",
        **unknown
    ):
        if x2 is MISSING or rest or unknown:
            refuse(declared, (x1, x2), (third,), rest, unknown)
        if third is not MISSING:
            out = only_out(declared, (x1, x2, third), out)
        return elementwise2(ufunc, x1, x2, None if out is MISSING else out, where, dtype, casting)

    def one_pair(
        x=MISSING, out1=None, out2=None, /, *rest, out=None, where=True, dtype=None, casting="same_kind", **unknown
    ):
        if x is MISSING or rest or unknown:
            refuse(declared, (x,), (out1, out2), rest, unknown)
        return elementwise1(ufunc, x, either_out(ufunc, out1, out2, out), where, dtype, casting)

    def two_pair(
        x1=MISSING, x2=MISSING, out1=None, out2=None, /, *rest, out=None, where=True, dtype=None, casting="same_kind",
        **unknown
    ):
        if x2 is MISSING or rest or unknown:
            refuse(declared, (x1, x2), (out1, out2), rest, unknown)
        return elementwise2(ufunc, x1, x2, either_out(ufunc, out1, out2, out), where, dtype, casting)

    return {(1, 1): one, (2, 1): two, (1, 2): one_pair, (2, 2): two_pair}[ufunc.nin, ufunc.nout]


def generalized_function(ufunc, declared, /):
    """`elementwise_function` for a generalized ufunc of two operands, with any of its options."""
    def two(x1=MISSING, x2=MISSING, third=MISSING, /, *rest, out=MISSING, **kwargs):
        if x2 is MISSING or rest:
            refuse(declared, (x1, x2), (third,), rest, kwargs)
        if third is not MISSING:
            out = only_out(declared, (x1, x2, third), out)
        if out is MISSING:
            out = None
        if out is None and not kwargs:
            return elementwise2(ufunc, x1, x2, None, True, None, "same_kind")
        return ufunc(imported(x1), imported(x2), out=out, **kwargs)

    return two


cdef object refuse(object declared, tuple operands, tuple options, tuple rest, dict unknown):
    """Let the declared function say what does not fit."""
    given = tuple([value for value in operands if value is not MISSING])
    return declared(*given, *(options + rest if rest else ()), **unknown)


cdef object only_out(object declared, tuple given, object out):
    """Return the out that was given by position, the last one; the declared function refuses another, by name."""
    return given[-1] if out is MISSING else declared(*given, out=out)


cdef object either_out(object ufunc, object out1, object out2, object out):
    """Return the out of a function of two results, which may also be given by position."""
    if out1 is None and out2 is None:
        if out is not None and type(out) is not tuple:
            raise TypeError(f"{ufunc.__name__}: out must be a tuple of two arrays (got {type(out).__name__})")
        if out is not None and len(<tuple>out) != 2:
            raise ValueError(f"{ufunc.__name__}: out must be a tuple of two arrays (got {len(<tuple>out)})")
        return out
    if out is not None:
        raise TypeError(f"{ufunc.__name__}: out was passed both by position and by keyword; pass only one")
    return out1, out2


cdef dict chosen(object out, object where, object dtype, object casting):
    """Return a ufunc's options as NumPy passes them: those that differ from the default, with out as a tuple."""
    cdef dict options = {}
    if out is not None:
        options["out"] = out if type(out) is tuple else (out,)
    if where is not True:
        options["where"] = where
    if dtype is not None:
        options["dtype"] = dtype
    if casting != "same_kind":
        options["casting"] = casting
    return options


cdef object elementwise(object ufunc, tuple inputs, dict options):
    """Take the slow path: options are given, or an operand has its own code or rules, or is not an array yet."""
    cdef list read = []
    cdef tuple out = options.get("out", ())
    if takes_others(inputs, out, options):
        # NumPy asks both sides, and cowarray gives way. The result may be referred to elsewhere.
        result = ufunc(*inputs, **options)
        return import_array(result, None) if type(result) is cnp.ndarray and not out else result
    for value in inputs:
        read.append(readable_operand(value))
    return array_ufunc(None, ufunc, "__call__", tuple(read), options)


cdef object readable_operand(object value):
    """Return an array_like that is only read, as NumPy's array over its memory."""
    cdef type kind = type(value)
    if is_familiar(value) or (cnp.PyArray_Check(value) and kind is not numpy_memmap):
        return value  # subclasses of NumPy's array may make results of their own kind
    if PyObject_CheckBuffer(value) or hasattr(kind, "__array__") or hasattr(kind, "__array_interface__"):
        return numpy_asarray(value)
    return value


def ufunc_methods(ufunc, /):
    """Return the methods of one of NumPy's own ufuncs, for anything array_like: see `elementwise_function`."""
    def reduce(array, /, axis=0, dtype=None, out=None, keepdims=False, initial=_NoValue, where=True):  # no-cython-lint
        options = {"axis": axis, "dtype": dtype, "keepdims": keepdims, "where": where}
        if initial is not _NoValue:
            options["initial"] = initial
        return ufunc_method(ufunc, "reduce", (array,), out, options)

    def accumulate(array, /, axis=0, dtype=None, out=None):  # no-cython-lint
        return ufunc_method(ufunc, "accumulate", (array,), out, {"axis": axis, "dtype": dtype})

    def reduceat(array, /, indices, axis=0, dtype=None, out=None):  # no-cython-lint
        return ufunc_method(ufunc, "reduceat", (array, indices), out, {"axis": axis, "dtype": dtype})

    def outer(A, B, /, *, out=None, **kwargs):
        return ufunc_method(ufunc, "outer", (A, B), out, kwargs)

    def at(a, indices, b=_NoValue, /):
        return ufunc_method(ufunc, "at", (a, indices) if b is _NoValue else (a, indices, b), None, {})

    return reduce, accumulate, reduceat, outer, at


cdef object ufunc_method(object ufunc, str method, tuple inputs, object out, dict options):
    """Return the result of a method of one of NumPy's own ufuncs, as cowarray's arrays; default options are dropped."""
    if out is not None:
        options["out"] = out if type(out) is tuple else (out,)
    for name, default in (("dtype", None), ("keepdims", False), ("where", True)):
        if name in options and options[name] is default:
            del options[name]
    if takes_others(inputs, options.get("out", ()), options):
        result = getattr(ufunc, method)(*inputs, **options)
        return import_array(result, None) if type(result) is cnp.ndarray and out is None else result
    if method != "at":  # it writes to the first
        inputs = tuple([readable_operand(value) for value in inputs])
    return array_ufunc(None, ufunc, method, inputs, options)


def imported(x, /):
    """Return the argument of a function as a cowarray array, unless it is a scalar or None.

    Subclasses of NumPy's array, and objects with their own ``__array_ufunc__`` or ``__array_function__``, are returned
    as they are.
    """
    cdef type kind = type(x)
    if kind is cnp.ndarray or kind is numpy_memmap or kind is list or kind is tuple:
        return asarray(x)
    if is_familiar(x) or cnp.PyArray_Check(x) or has_own_ufunc(x) or is_stranger(x):
        return x
    return asarray(x)


def imported_values(x, /):
    """`imported` for a function that returns no subclasses: arrays of a class without its own rules come in."""
    x = imported(x)
    if is_subclass(x) and type(x).__array_function__ is cnp.ndarray.__array_function__:
        return asarray(x)
    return x
