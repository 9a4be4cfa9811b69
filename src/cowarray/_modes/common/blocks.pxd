# Which block holds.

from cowarray._modes.common.thread cimport Instead, Thread


cpdef object current()
cdef object current_in(Thread thread)
# Have a block hold in a thread in place of the context's, until it is taken out: by the same function.
cdef Instead put_in(Thread thread, object block)
cdef void take_out(Thread thread, Instead instead) noexcept
cpdef object call_in(object block, object function, tuple args, dict kwargs, bint bearing=*)
