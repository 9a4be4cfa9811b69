# Pickles.

from cowarray._array.array cimport Array


cdef object reduce_array(Array x, int protocol)
