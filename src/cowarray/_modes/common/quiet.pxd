# Suppress warnings of operations that are only rehearsed or repeated.

from cowarray._modes.common.thread cimport Thread


cdef int hush(Thread thread) except -1
cdef void unhush(Thread thread) noexcept
