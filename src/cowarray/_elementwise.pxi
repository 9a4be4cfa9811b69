# The way of the functions of the public namespace (`_elementwise.py` and the other chapters). Included by _ndarray.pyx.
#
# `np.add(a, b)` of ours has NumPy look for overrides, and pack and unpack the arguments for ours: twice the price of a
# small sum. Here NumPy is shown headers at once, as by an operator, and nothing is asked that no argument calls for.


# Not bound, these are CPython's own kind of function, which its interpreter calls directly: 10 ns less.


@cython.binding(False)
def elementwise1(ufunc, x, out=None, where=True, dtype=None, casting="same_kind", /):
    """What one of NumPy's own ufuncs gives for x, as ours."""
    if out is not None or where is not True or dtype is not None or casting != "same_kind":
        return elementwise(ufunc, (x,), chosen(out, where, dtype, casting))
    shown = operand(x)
    return computed(ufunc(shown)) if shown is not None else elementwise(ufunc, (x,), {})


@cython.binding(False)
def elementwise2(ufunc, x1, x2, out=None, where=True, dtype=None, casting="same_kind", /):
    """What one of NumPy's own ufuncs gives for x1 and x2, as ours."""
    if out is not None or where is not True or dtype is not None or casting != "same_kind":
        return elementwise(ufunc, (x1, x2), chosen(out, where, dtype, casting))
    first = operand(x1)
    second = operand(x2)
    if first is None or second is None:
        return elementwise(ufunc, (x1, x2), {})
    return computed(ufunc(first, second))


cdef dict chosen(object out, object where, object dtype, object casting):
    """Options of a ufunc as NumPy hands them over: those that say something, and out as a tuple."""
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
    """The long way: options, or an operand that has code or rules of its own, or is no array yet."""
    cdef list read = []
    cdef tuple out = options.get("out", ())
    for value in inputs + out:
        if has_own_ufunc(value):
            # NumPy asks it, and ours as well, which then gives way. What comes back may be known to others.
            result = ufunc(*inputs, **options)
            return import_array(result, None) if type(result) is numpy_ndarray_type and not out else result
    for value in inputs:
        read.append(readable_operand(value))
    return array_ufunc(None, ufunc, "__call__", tuple(read), options)


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


def fresh(result, /):
    """What NumPy has just made, and nobody else knows of, as ours and without a copy.

    Arrays in one memory, of a list or tuple, become views of one Storage. What is no array stays what it is.
    """
    cdef Passage passage
    if type(result) is numpy_ndarray_type and PyArray_BASE(<cnp.ndarray>result) == NULL:
        return computed(result)
    if type(result) is not numpy_ndarray_type and type(result) is not tuple and type(result) is not list:
        return result
    passage = Passage(computing)
    return passage.result(result)
