# Imports.

cimport numpy as cnp

from cowarray._array.array cimport Array
from cowarray._array.layout cimport distinct


cdef Array import_array(cnp.ndarray array, object copy)
cdef Array import_value(cnp.ndarray array, object copy)
cdef Array import_received(cnp.ndarray array)
cdef Array share_foreign(cnp.ndarray array, object owner=*)


cdef inline bint distinct_array(cnp.ndarray array) noexcept:
    return cnp.PyArray_IS_C_CONTIGUOUS(array) or distinct(
        cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_ITEMSIZE(array), cnp.PyArray_STRIDES(array)
    )


cdef Array copy_foreign(cnp.ndarray array)
cdef bint is_trusted(cnp.ndarray array) except -1
cdef Array copied_by_numpy(cnp.ndarray array)
