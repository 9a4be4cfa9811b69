# Copies of arrays from outside, kept for later computation.

from cowarray._array.array cimport Array
from cowarray._native.storage cimport Storage
cimport numpy as cnp


# The range of bytes that contains all elements: its start, relative to the first element, and its length.
cdef struct Part:
    cnp.npy_intp low
    cnp.npy_intp nbytes


cdef Part part_of(Array x) noexcept
cdef bint is_sparse(Array x, Part part) noexcept
cdef Part part_of_foreign(cnp.ndarray array) except *
cdef bint is_shared(Storage storage, Part part) noexcept
cdef Array captured(Array x)
cdef Array captured_foreign(cnp.ndarray array)
