# Buffers that alias an array, made without an intermediate NumPy array.

cimport numpy as cnp

from cowarray._array.array cimport Array
from cowarray._native.storage cimport Pin


cdef bint fill_alias(Array x, Py_buffer *view, int flags) except -1
cdef Pin pin_behind(cnp.ndarray array)
