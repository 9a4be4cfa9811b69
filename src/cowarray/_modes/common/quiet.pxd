# Warnings of what is only looked at, or done once more.

from cowarray._modes.common.thread cimport Thread


cdef int hush(Thread thread) except -1
cdef void unhush(Thread thread) noexcept
