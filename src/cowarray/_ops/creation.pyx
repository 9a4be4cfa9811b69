# cython: freethreading_compatible=True
"""Fresh arrays: NumPy's, made from numbers, files or at random, and `zeros` and the like by calls that pack nothing."""

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

from cowarray._array.array cimport adopt
from cowarray._array.layout cimport MAXDIMS
from cowarray._c.numpy cimport (
    is_number,
    PyArray_ArangeObj,
    PyArray_BASE,
    PyArray_DescrConverter,
    PyArray_Empty,
    PyArray_FillWithScalar,
    PyArray_Zeros,
)
from cowarray._c.python cimport PyLong_AsLongLongAndOverflow, PyObject_Call
from cowarray._ops.operands cimport births_leave_lane, computed, is_handed, is_harmless, MISSING, take_road
from cowarray._ops.passage cimport function_operation, new_passage, Operation, Passage
from cowarray._ops.quick cimport quick_call, QUICK_FAILED

from cowarray._ops.functions import dispatched

cnp.import_array()

cdef object numpy_zeros = np.zeros, numpy_empty = np.empty, numpy_arange = np.arange
cdef enum Content:
    EMPTY
    ZEROS
    ONES

cdef object FLOAT = np.dtype(float)
cdef dict NOTHING = {}


def shaped_function(function, declared, /):
    """Return a function that makes an array of a shape, as numpy.empty, zeros or ones does: see `elementwise_function`.

    There are three: Cython refuses an argument that is given twice under the name of the function that it compiled.
    """
    def empty(shape=MISSING, dtype=None, order="C", *rest, device=None, like=None, **unknown):
        return shaped(function, declared, EMPTY, shape, dtype, order, rest, device, like, unknown)

    def zeros(shape=MISSING, dtype=None, order="C", *rest, device=None, like=None, **unknown):
        return shaped(function, declared, ZEROS, shape, dtype, order, rest, device, like, unknown)

    def ones(shape=MISSING, dtype=None, order="C", *rest, device=None, like=None, **unknown):
        return shaped(function, declared, ONES, shape, dtype, order, rest, device, like, unknown)

    return empty if function is numpy_empty else zeros if function is numpy_zeros else ones


cdef inline object shaped(
    object function, object declared, Content content, object shape, object dtype, object order, tuple rest,
    object device, object like, dict unknown
):
    if shape is MISSING or rest or unknown:
        declared(*(() if shape is MISSING else (shape, dtype, order)), *rest, **unknown)
    made = of_shape(shape, dtype, order, device, like, content)
    return dispatched(function, shape, dtype, order, device=device, like=like) if made is None else made


# Unbound, this is CPython's own kind of function: see elementwise.pyx.
@cython.binding(False)
def arange(start, stop, step, dtype, device, like, /):
    """`cowarray.arange`; if stop is None, start is the stop."""
    if dtype is None and device is None and like is None:
        if (
            not births_leave_lane() and is_plain_number(start) and (stop is None or is_plain_number(stop))
            and is_plain_number(step)
        ):
            return adopt(PyArray_ArangeObj(start, stop, step, NULL))
        return made(numpy_arange, device, like, start, stop, step)
    return dispatched(numpy_arange, start, stop, step, dtype=dtype, device=device, like=like)


cdef bint is_plain_number(object value) noexcept:
    return type(value) is int or type(value) is float


@cython.binding(False)
def made(function, device, like, /, *args):
    """Return the array that a NumPy function with the keyword arguments device and like makes."""
    cdef Operation operation
    if device is None and like is None:
        operation = function_operation(function)
        result = quick_call(operation, function, operation.is_c, args, NOTHING)
        if result is not QUICK_FAILED:
            return result
    return dispatched(function, *args, device=device, like=like)


cdef object of_shape(object shape, object dtype, object order, object device, object like, Content content):
    """Return a fresh array of numbers; None if NumPy has to look at the arguments, or the road is taken."""
    cdef cnp.npy_intp lengths[MAXDIMS]
    cdef cnp.dtype descr
    cdef cnp.ndarray array
    cdef int i, nd = 1
    if births_leave_lane() or device is not None or like is not None or not (type(order) is str and order == "C"):
        return None
    if type(shape) is int:
        if not plain_length(shape, &lengths[0]):
            return None
    elif type(shape) is tuple and len(shape) <= MAXDIMS:
        nd = <int>len(shape)
        for i in range(nd):
            if not plain_length((<tuple>shape)[i], &lengths[i]):
                return None
    else:
        return None
    if dtype is None:
        descr = <cnp.dtype>FLOAT
    elif is_harmless(dtype):
        descr = <cnp.dtype>PyArray_DescrConverter(dtype)
        if not is_number(descr):
            return None
    else:
        return None
    Py_INCREF(descr)  # stolen
    if content == ZEROS:
        array = PyArray_Zeros(nd, lengths, descr, False)
    else:
        array = PyArray_Empty(nd, lengths, descr, False)
    if content == ONES:
        PyArray_FillWithScalar(array, 1)
    return adopt(array)


cdef bint plain_length(object value, cnp.npy_intp *length) except -1:
    cdef int overflow = 0
    if type(value) is not int:
        return False
    length[0] = PyLong_AsLongLongAndOverflow(value, &overflow)
    return not overflow and length[0] >= 0


cdef object taken_over(object result):
    """Take over NumPy's fresh result, which nothing else refers to, as cowarray arrays, without a copy.

    Arrays of a list or tuple that lie in the same memory become views of one Storage. Other objects are returned as
    they are.
    """
    cdef Passage passage
    if type(result) is cnp.ndarray and PyArray_BASE(<cnp.ndarray>result) == NULL:
        return computed(result)
    if type(result) is not cnp.ndarray and type(result) is not tuple and type(result) is not list:
        return result
    passage = new_passage()
    return passage.result(result)


def fresh(result, /):
    """`taken_over`, for Python code."""
    return taken_over(result)


cdef object bear(object function, tuple args, dict kwargs):
    if births_leave_lane() or is_handed(args, kwargs):
        return take_road(function.__name__, _Bearing(function), args, kwargs)
    return taken_over(PyObject_Call(function, args, <PyObject *>kwargs if kwargs else NULL))


def born(function, /, *args, **kwargs):
    """Return the arrays that a NumPy function makes from numbers, files or at random, as cowarray's."""
    return bear(function, args, kwargs)


def drawing_function(function, slowly, /):
    """Return a function that draws by one of NumPy's, given numbers and names; slowly: for other arguments."""
    def draw(*args, **kwargs):
        for value in args:
            if not is_harmless(value):
                return slowly(*args, **kwargs)
        for value in kwargs.values():
            if not is_harmless(value):
                return slowly(*args, **kwargs)
        return bear(function, args, kwargs)

    return draw


def drawing_method(declared, /):
    """Return a method with declared's name and parameters that draws by `_numpys`: see `elementwise_function`.

    With an `out`, declared itself draws.
    """
    cdef str name = declared.__name__
    cdef list parameters = list(declared.__code__.co_varnames[:declared.__code__.co_argcount])
    cdef Py_ssize_t most = len(parameters) - 1 if "out" not in parameters else parameters.index("out") - 1

    def draw(self, *args, **kwargs):
        if len(args) > most or "out" in kwargs:
            return declared(self, *args, **kwargs)
        return bear(getattr(self._numpys, name), args, kwargs)

    return draw


@cython.final
cdef class _Bearing:
    """A creation to run without a mode, by the mode that it was handed to."""

    cdef readonly object function

    def __cinit__(self, object function):
        self.function = function

    def __call__(self, *args, **kwargs):
        return taken_over(self.function(*args, **kwargs))


def bearing(function, /):
    """Return the creation by a function, in the form in which `born` hands it over."""
    return _Bearing(function)
