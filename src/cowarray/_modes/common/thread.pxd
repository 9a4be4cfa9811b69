# What a thread is doing.

cimport cython


# A block that holds in a thread in place of the context's, until it is over.
@cython.final
cdef class Instead:
    cdef object block
    cdef bint is_over
    cdef Instead before  # what was there when it was put in


@cython.final
cdef class Thread:
    cdef Instead instead  # of operations under way, and of blocks entered inside them; the innermost
    cdef int hushed  # above 0, nobody is told of warnings
    cdef object recorded  # the `Rehearsal` of an operation, while its rules run
    cdef object faked  # the `Permit` of an operation on fakes
    cdef object simulated  # the `Step` of a simulated operation
    cdef object managed  # the budget's `Task`; or its `Frame`, while it makes something again
    cdef Py_ssize_t active  # operations that the budget waits for
    cdef size_t reserved  # bytes that they are about to allocate


cdef Thread this_thread()
