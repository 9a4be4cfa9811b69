# Flags and flat iterators.

cimport cython

from cowarray._array.array cimport Array


cdef void count_items_from_the_front(type kind)
cdef object flags_of(Array x)
cdef object flat_of(Array x)
cdef object item_iterator(Array x)
cdef int flat_fill(Array x, object value) except -1


@cython.final
@cython.no_gc
cdef class Flags:
    cdef Array of


@cython.final
@cython.no_gc
cdef class FlatIterator:
    cdef Array of
    cdef Py_ssize_t at


@cython.final
cdef class ItemIterator:
    cdef Array of
    cdef Py_ssize_t at
