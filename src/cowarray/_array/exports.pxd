# Exports.

cimport numpy as cnp

from cowarray._array.array cimport Array
from cowarray._native.storage cimport Behalf


cdef cnp.ndarray export(Array x, Behalf behalf, bint for_reading=*)
cdef cnp.ndarray addressed(Array x, Behalf behalf, bint for_reading=*)
cdef cnp.ndarray outgoing(Array x)
cdef object array_for_numpy(Array x, object dtype, object copy)
cdef dict interface_of(Array x)
cdef object held_values(Array x, cnp.dtype wanted, bint own, object na_value)
cdef object as_flag(object copy)
