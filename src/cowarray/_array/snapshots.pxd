# Snapshots.

cimport numpy as cnp

from cowarray._array.array cimport Array
from cowarray._array.layout cimport product
from cowarray._c.numpy cimport PyDataType_ELSIZE


cdef cnp.ndarray snapshot(Array x)
cdef bint fill_buffer(Array x, Py_buffer *view) except -1
cdef bint loses_as_buffer(cnp.dtype descr) except -1
# The reason for copies requested by callers outside the library.
cdef str ASKED_FOR
cdef cnp.ndarray copied_out(cnp.ndarray shown, cnp.NPY_ORDER order)
cdef object readable(Array self)
cdef object printable(Array self)


cdef inline void fill_view(Py_buffer *view, char *data, cnp.dtype descr, int nd, cnp.npy_intp *dims, const char *format,
                           bint readonly) noexcept:
    """Describe elements at data in a buffer, except for its owner. dims: the shape, then the strides in bytes."""
    view.buf = data
    view.itemsize = PyDataType_ELSIZE(descr)
    view.len = product(nd, dims) * view.itemsize
    view.readonly = readonly
    view.ndim = nd
    view.format = <char *>format
    view.shape = <Py_ssize_t *>dims
    view.strides = <Py_ssize_t *>dims + nd
    view.suboffsets = NULL
    view.internal = NULL
