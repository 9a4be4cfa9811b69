# Which block holds.

cpdef object current()
