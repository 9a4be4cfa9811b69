# Blocks that are in force in a context.

cimport cython


# A block that has been entered.
@cython.final
cdef class Entry:
    cdef readonly object value  # the mode's value, which is in force inside
    cdef readonly Entry outer  # the block around it
    cdef object token
    cdef readonly bint is_over  # in all contexts


cdef class Mode:
    cdef str name
    cdef object variable
    cdef object value
    cdef tuple counters  # of (function, arguments to count in, arguments to count out)
    cdef object blocks
    cdef list open  # the Entries of all contexts

    cdef int count_in(self, Py_ssize_t number) except -1
    cdef int count_out(self, Py_ssize_t number) except -1
    cdef int put(self, Entry entry) except -1


cdef Entry next_open(Entry entry)
