# Warnings of what is only looked at, or done once more.

cdef void *hush() except? NULL
cdef void unhush(void *before) noexcept
