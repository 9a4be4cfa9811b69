# Columns: memory of pandas.

cimport numpy as cnp


cdef object block_to_hold(object obj)
cdef cnp.ndarray array_of_block(object block)
