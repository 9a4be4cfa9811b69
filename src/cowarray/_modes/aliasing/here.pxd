# Whether copies in meaning are aliases here.


cdef object block_here()
