# Arrays for Arrow.

from cowarray._array.array cimport Array


cdef object arrow_converter(Array x)
cdef object arrow_exporter(Array x)
