# Whether copies in meaning are aliases in the current context.


cdef object block_here()
