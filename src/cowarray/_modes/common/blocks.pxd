# The block in force.

from cowarray._modes.common.thread cimport Instead, Thread


cpdef object current()
cdef object current_in(Thread thread)
# Put a block in force in a thread, in place of the context's. The function that put it in must take it out.
cdef Instead put_in(Thread thread, object block)
cdef void take_out(Thread thread, Instead instead) noexcept
cpdef object call_in(object block, object function, tuple args, dict kwargs, bint bearing=*)
