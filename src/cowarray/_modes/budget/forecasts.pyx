"""What operations give, by what the rules have said of others just like them.

To ask the rules takes longer than to add two short arrays. But what most operations give and write depends on shapes,
strides and dtypes alone, and on what else they are given: programs do the same thing again and again. So an answer is
kept by these. Operations that may give views or lazy copies are not kept: there it matters who shares what.
"""

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.list cimport PyList_AsTuple

from cowarray._array.array cimport Array, BORN_LAZY, BORN_SCALAR, is_array
from cowarray._c.numpy cimport NPY_VSTRING, PyArray_DescrCheck, PyDataType_REFCHK
from cowarray._ops.operands cimport is_harmless
from cowarray._ops.protocols cimport identity_of, is_elementwise

cnp.import_array()

cdef enum:
    MOST_KNOWN = 4096
    MOST_NUMBERS = 128
    MOST_ITEMS = 16

# Of which a ufunc's result has the shape and dtype that it has of any other of the type.
cdef frozenset NUMBERS = frozenset(
    [int, float, complex, bool, np.bool_, np.float16, np.float32, np.float64, np.complex64, np.complex128]
)
cdef type numpy_void = np.void

cdef dict known = {}


@cython.final
cdef class Forecast:
    """What an operation gives, and what it writes."""


# A key under way: numbers, and beside them what else takes part.
cdef struct Numbers:
    Py_ssize_t of[MOST_NUMBERS]
    Py_ssize_t count
    bint elementwise


cdef inline bint put(Numbers *numbers, Py_ssize_t number) noexcept:
    if numbers.count == MOST_NUMBERS:
        return False
    numbers.of[numbers.count] = number
    numbers.count += 1
    return True


cdef bint put_array(Numbers *numbers, list others, list arrays, Array x) except -1:
    cdef Py_ssize_t i, shared = len(arrays)
    for i in range(len(arrays)):
        if arrays[i] is x:
            return put(numbers, -1) and put(numbers, i)
        if (<Array>arrays[i]).storage_ is x.storage_ and x.storage_ is not None and shared == len(arrays):
            shared = i
    if PyDataType_REFCHK(x.descr) or x.descr.type_num == NPY_VSTRING or x.shadow != NULL:
        return False
    if numbers.count + 4 + 2 * x.nd > MOST_NUMBERS:
        return False
    arrays.append(x)
    others.append(x.descr)
    put(numbers, -2)
    put(numbers, x.nd)
    put(numbers, shared)
    put(numbers, x.writeable | (x.standard << 1) | ((x.birth == BORN_SCALAR) << 2))
    for i in range(2 * x.nd):
        put(numbers, x.dims[i])
    return True


cdef bint put_value(Numbers *numbers, list others, list arrays, object value, int depth) except -1:
    """Whether a value can be part of a key, and is now."""
    cdef type kind = type(value)
    if is_array(value):
        return put_array(numbers, others, arrays, <Array>value)
    if kind is tuple or kind is list:
        if depth == 2 or len(value) > MOST_ITEMS:
            return False
        if not (put(numbers, -3 if kind is tuple else -4) and put(numbers, len(value))):
            return False
        for item in value:
            if not put_value(numbers, others, arrays, item, depth + 1):
                return False
        return True
    if numbers.elementwise and kind in NUMBERS:
        others.append(kind)
        return put(numbers, -5)
    if kind is slice or kind is numpy_void or not (is_harmless(kind) or PyArray_DescrCheck(value)):
        return False
    others.append(kind)
    others.append(value)
    return put(numbers, -6)


cdef object key_of(object function, tuple args, dict kwargs, list arrays):
    """By what an operation's answer is kept; None: it is not. arrays: gets those that take part, each once."""
    cdef Numbers numbers
    cdef list others
    cdef object identity = identity_of(function)
    if identity is None:
        return None
    numbers.count = 0
    numbers.elementwise = is_elementwise(function)
    others = [identity]
    for value in args:
        if not put_value(&numbers, others, arrays, value, 0):
            return None
    for name, value in kwargs.items():
        if type(name) is not str:
            return None
        others.append(name)
        if not (put(&numbers, -7) and put_value(&numbers, others, arrays, value, 0)):
            return None
    others.append(PyBytes_FromStringAndSize(<char *>numbers.of, numbers.count * sizeof(Py_ssize_t)))
    return PyList_AsTuple(others)


cdef Forecast recall(object key):
    """What was kept by a key, or None."""
    return <Forecast>known.get(key)


cdef int memorize(object key, list births, tuple written) except -1:
    """Keep what the rules have said."""
    cdef Forecast made
    for _, array in births:
        if (<Array>array).birth == BORN_LAZY:
            return 0
    made = Forecast.__new__(Forecast)
    made.births = births
    made.written = written
    if len(known) >= MOST_KNOWN:
        known.clear()
    known[key] = made
    return 0
