# Blocks that hold in a context.

cimport cython


# A block that has been entered.
@cython.final
cdef class Entry:
    cdef readonly object value  # what holds in it
    cdef readonly Entry outer  # of the block around it
    cdef object token
    cdef readonly bint is_over  # in all contexts


cdef class Mode:
    cdef str name
    cdef object variable
    cdef object value
    cdef tuple counters  # of (function, its arguments to count in, and those to count out)
    cdef object blocks
    cdef list open  # Entries, of all contexts

    cdef int count_in(self, Py_ssize_t number) except -1
    cdef int count_out(self, Py_ssize_t number) except -1
    cdef int put(self, Entry entry) except -1


cdef Entry next_open(Entry entry)
