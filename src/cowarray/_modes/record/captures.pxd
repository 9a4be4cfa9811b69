# Copies of arrays from outside, kept to compute with them again.

from cowarray._array.array cimport Array
from cowarray._native.storage cimport Storage
cimport numpy as cnp


# The bytes that elements lie in: where they begin, counted from the first element, and how many they are.
cdef struct Part:
    cnp.npy_intp low
    cnp.npy_intp nbytes


cdef Part part_of(Array x) noexcept
cdef bint is_sparse(Array x, Part part) noexcept
cdef Part part_of_foreign(cnp.ndarray array) except *
cdef bint is_shared(Storage storage, Part part) noexcept
cdef Array captured(Array x)
cdef Array captured_foreign(cnp.ndarray array)
