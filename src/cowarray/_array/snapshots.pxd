# Snapshots.

cimport numpy as cnp

from cowarray._array.array cimport Array


cdef cnp.ndarray snapshot(Array x)
cdef bint fill_buffer(Array x, Py_buffer *view) except -1
cdef bint loses_as_buffer(cnp.dtype descr) except -1
# The reason for copies that a caller outside the library asked for.
cdef str ASKED_FOR
cdef cnp.ndarray copied_out(cnp.ndarray shown, cnp.NPY_ORDER order)
cdef object readable(Array self)
cdef object printable(Array self)
