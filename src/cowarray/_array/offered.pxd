# Checks of the memory that producers offer.


cdef object offered(object producer)
cdef int check_buffer(object producer) except -1
