# Writes that replace every byte.

cimport numpy as cnp
from cpython.object cimport PyObject

from cowarray._array.array cimport Array, itemsize_of, shape_of, size_of, storage_for, strides_of
from cowarray._array.layout cimport distinct
from cowarray._c.numpy cimport NPY_HALF
from cowarray._native.storage cimport Intent, window_size, write_cost


cdef bint attempt(object function, tuple args, PyObject *kwargs) except -1
cdef bint attempt_ufunc(object ufunc, object a, object b, object out) except -1

cdef inline bint spans_storage(Array x, bint text) except -1:
    """True if x has as many bytes as its Storage, and writing an element writes each of its bytes.

    text: the writer also fills the rest of a text element; NumPy's ufuncs do not.
    """
    cdef int kind = x.descr.type_num
    return (
        (kind <= cnp.NPY_DOUBLE or kind == cnp.NPY_CFLOAT or kind == cnp.NPY_CDOUBLE or kind == NPY_HALF
         or kind == cnp.NPY_DATETIME or kind == cnp.NPY_TIMEDELTA
         or (text and (kind == cnp.NPY_STRING or kind == cnp.NPY_UNICODE)))
        and <size_t>(size_of(x) * itemsize_of(x)) == window_size(storage_for(x))
    )


cdef inline bint is_replaceable(Array x, bint text) except -1:
    """True if a write to all of x replaces every byte of its Storage, and would have to copy the old ones first."""
    return (
        spans_storage(x, text) and write_cost(x.storage_) != 0
        and distinct(x.nd, shape_of(x), itemsize_of(x), strides_of(x))
    )


cdef cnp.ndarray overwriting_header(Array x, bint text, Intent intent)
cdef cnp.ndarray overwritten_header(cnp.ndarray header)
cdef bint commit(cnp.ndarray header) except -1
