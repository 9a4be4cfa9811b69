# NumPy's protocols.

from cpython.object cimport PyObject

from cowarray._array.array cimport Array


cdef object array_ufunc(Array self, object ufunc, str method_name, tuple inputs, dict kwargs)
cdef object quick_ufunc(object self, PyObject *const *given, Py_ssize_t count)
cdef object array_function(Array self, object function, object types, tuple args, dict kwargs)
