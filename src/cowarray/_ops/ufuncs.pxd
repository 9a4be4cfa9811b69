# NumPy's ufuncs on arrays.

from cpython.object cimport PyObject

from cowarray._array.array cimport Array


cdef object array_ufunc(Array self, object ufunc, str method_name, tuple inputs, dict kwargs)
cdef object quick_ufunc(object self, PyObject *const *given, Py_ssize_t count)
cdef bint takes_others(tuple inputs, tuple out, dict kwargs) except -1
cdef Array written_into(object out, object ufunc, object left, object right)
# A key that identifies an operation that was handed over; None if it can give a view, or runs user code.
cdef object identity_of(object function)
# True if a handed-over operation applies a ufunc element by element.
cdef bint is_elementwise(object function) noexcept
# The result of a ufunc for headers of arrays, and numbers; QUICK_FAILED if it has to take the road.
cdef object at_headers(object function, tuple inputs, dict kwargs)
