# Lines of the program.

cdef object here()
