# Arrays for Arrow.

from cowarray._array.array cimport Array


cdef object arrow_exporter(Array x)
