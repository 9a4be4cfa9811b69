# From anything to an array.

cimport numpy as cnp

from cowarray._array.array cimport Array


cdef object with_elements(object values, int depth)
cdef object settled_dtype(object dtype)
cdef cnp.dtype unconverted(Array x, object dtype)
cdef Array of_dtype(Array x, cnp.dtype descr)
cdef Array as_own(Array x, object dtype, object order, object copy)
cdef bint is_array_class(object value) except -1
cdef object hand_copy(Array x, object order)
cdef object hand_astype(Array x, object dtype, object order, object casting, object copy)
cdef object cast(Array x, object dtype, object order, object casting, object copy)
cdef int check_device(object device) except -1
cdef bint is_subclass(object value) noexcept
cdef bint keeps_class(object value) except -1
