# The way of the element-wise functions of the public namespace (`_elementwise.py`). Included by _ndarray.pyx.
#
# `np.add(a, b)` of ours has NumPy look for overrides, and pack and unpack the arguments for ours: twice the price of a
# small sum. Here NumPy is shown headers at once, as by an operator, and nothing is asked that no argument calls for.


def elementwise1(ufunc, x, /):
    """What one of NumPy's own ufuncs gives for x, as ours."""
    shown = operand(x)
    return computed(ufunc(shown)) if shown is not None else elementwise(ufunc, (x,))


def elementwise2(ufunc, x1, x2, /):
    """What one of NumPy's own ufuncs gives for x1 and x2, as ours."""
    first = operand(x1)
    second = operand(x2)
    if first is None or second is None:
        return elementwise(ufunc, (x1, x2))
    return computed(ufunc(first, second))


cdef object elementwise(object ufunc, tuple inputs):
    """The long way: an operand has code or rules of its own, or is no array yet."""
    cdef list read = []
    for value in inputs:
        if has_own_ufunc(value):
            # NumPy asks it, and ours as well, which then gives way. What comes back may be known to others.
            result = ufunc(*inputs)
            return import_array(result, None) if type(result) is numpy_ndarray_type else result
        read.append(readable_operand(value))
    return array_ufunc(None, ufunc, "__call__", tuple(read), {})


cdef object readable_operand(object value):
    """What brings its memory along, as an array of NumPy's over it: it is only read, and the result is ours."""
    cdef type kind = type(value)
    if is_familiar(value) or (cnp.PyArray_Check(value) and kind is not numpy_memmap):
        return value  # subclasses of NumPy's array that make results of their kind do so here, too
    if PyObject_CheckBuffer(value) or hasattr(kind, "__array__") or hasattr(kind, "__array_interface__"):
        return numpy_asarray(value)
    return value


def imported(x, /):
    """The argument of a function that NumPy's dispatch brings to ours: an array, unless it is a scalar or None.

    A subclass of NumPy's array, and what has a ``__array_ufunc__`` of its own, stay what they are.
    """
    cdef type kind = type(x)
    if kind is numpy_ndarray_type or kind is numpy_memmap or kind is list or kind is tuple:
        return asarray(x)
    return x if is_familiar(x) or cnp.PyArray_Check(x) or has_own_ufunc(x) else asarray(x)
