# Checks of what producers offer.


cdef object offered(object producer)
cdef int check_buffer(object producer) except -1
