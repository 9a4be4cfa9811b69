# NumPy's functions on arrays.

from cowarray._array.array cimport Array


cdef object array_function(Array self, object function, object types, tuple args, dict kwargs)
