# NumPy's protocols.

from cpython.object cimport PyObject

from cowarray._array.array cimport Array


cdef object array_ufunc(Array self, object ufunc, str method_name, tuple inputs, dict kwargs)
cdef object quick_ufunc(object self, PyObject *const *given, Py_ssize_t count)
cdef object array_function(Array self, object function, object types, tuple args, dict kwargs)
# What tells an operation, as it is handed over, from others; None where it can give a view, or runs user code.
cdef object identity_of(object function)
# Whether it applies a ufunc element by element.
cdef bint is_elementwise(object function) noexcept
# What a ufunc gives of arrays and numbers that are shown to it at once; QUICK_FAILED where the road has to see to it.
cdef object at_headers(object function, tuple inputs, dict kwargs)
