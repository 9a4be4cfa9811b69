# A thread's state.

cimport cython


# A block that is in force in a thread in place of the context's, until it is over.
@cython.final
cdef class Instead:
    cdef object block
    cdef bint is_over
    cdef Instead before  # the one that was in force when it was put in


@cython.final
cdef class Thread:
    cdef Instead instead  # the innermost, of running operations and of blocks entered inside them
    cdef int hushed  # above 0, warnings are suppressed
    cdef object recorded  # the `Rehearsal` of an operation, while its rules run
    cdef object faked  # the `Permit` of an operation on fakes
    cdef object simulated  # the `Step` of a simulated operation
    cdef object managed  # the budget's `Task`; or its `Frame`, while it recomputes something
    cdef Py_ssize_t active  # operations that the budget waits for
    cdef size_t reserved  # bytes that they are about to allocate


cdef Thread this_thread()
