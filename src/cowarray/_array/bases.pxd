# The array that NumPy would report as an array's base.

from cowarray._array.array cimport Array


cdef Array base_of(Array x)
