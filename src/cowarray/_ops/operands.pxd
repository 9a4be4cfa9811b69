# What an operation is given.

cimport numpy as cnp

from cowarray._array.array cimport Array, const_header, is_array_type
from cowarray._c.numpy cimport NPY_VSTRING, PyDataType_REFCHK


cdef bint is_numpys_scalar(type kind) noexcept
cdef bint is_harmless(type kind) noexcept
cdef bint is_itself_alone(object function) noexcept

cdef inline bint runs_code(cnp.dtype descr) noexcept:
    """Whether operations on elements run methods of Python objects."""
    return PyDataType_REFCHK(descr) and descr.type_num != NPY_VSTRING


cdef list listed(object values)
cdef bint is_familiar(object value) noexcept
cdef bint has_own_ufunc(object value) except -1

cdef inline object operand(object value):
    """One side of an operator as NumPy may see it; None when user code has to be asked or may run."""
    cdef type kind = type(value)
    if is_array_type(kind):
        return const_header(<Array>value) if not runs_code((<Array>value).descr) else None
    if kind is float or kind is int or kind is bool or kind is complex:
        return value
    if kind is cnp.ndarray:
        return value if not runs_code((<cnp.ndarray>value).descr) else None
    return value if is_numpys_scalar(kind) else None


cdef object computed(object result)
cdef object detached_void(object scalar)
cdef bint has_priority(object value) noexcept
