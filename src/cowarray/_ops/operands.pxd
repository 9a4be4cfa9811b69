# Operands.

cimport numpy as cnp

from cowarray._array.array cimport Array, fits, has_doorkeeper, is_array_type, open_header
from cowarray._c.atomics cimport relaxed
from cowarray._c.numpy cimport NPY_VSTRING, PyDataType_REFCHK
from cowarray._native.storage cimport OPERATION, READS


# How many contexts watch every operation: above 0, each lane hands its operation to the road.
cdef int births_watched
cdef object do_provided(str name, object x)
cdef object bound_provided(str name, object x)
# Hand an operation to the registered function, or call function, which runs it without a mode.
cdef object take_road(str operation, object function, tuple args, dict kwargs)
# True if an operation with these arguments is handed to a registered function.
cdef bint is_handed(tuple args, dict kwargs) except -1
cdef bint is_handed_with(object first, object second) except -1


cdef inline bint leaves_lane(Array x) noexcept:
    """True if operations on x take the road: a mode is on, x is the standard's, or its Storage has a doorkeeper."""
    return relaxed(&births_watched) != 0 or (x.header is None and (x.standard or has_doorkeeper(x)))


cdef inline bint births_leave_lane() noexcept:
    """True if operations without arrays take the road."""
    return relaxed(&births_watched) != 0


cdef bint is_numpys_scalar(type kind) noexcept
cdef bint is_harmless(object value) noexcept
cdef bint is_plain_scalar(object value) noexcept
cdef bint has_plain_bounds(object value) noexcept
cdef bint is_itself_alone(object function) noexcept

cdef inline bint runs_code(cnp.dtype descr) noexcept:
    """True if operations on elements run methods of Python objects."""
    return PyDataType_REFCHK(descr) and descr.type_num != NPY_VSTRING


cdef list listed(object values)
cdef bint is_familiar(object value) noexcept
cdef bint has_own_ufunc(object value) except -1
cdef bint any_own_ufunc(object values) except -1
cdef bint is_stranger(object value) except -1
cdef bint is_strangers(tuple args, dict kwargs) except -1

cdef inline object operand(object value):
    """Return an operand as NumPy may see it; None if user code must be asked or may run, or the road is taken."""
    cdef type kind = type(value)
    if relaxed(&births_watched) != 0:
        return None
    if is_array_type(kind):
        if runs_code((<Array>value).descr):
            return None
        if (<Array>value).header is not None and fits(<Array>value, (<Array>value).header):
            return (<Array>value).header
        if (<Array>value).standard or has_doorkeeper(<Array>value):
            return None
        return open_header(<Array>value, READS, OPERATION)
    if kind is float or kind is int or kind is bool or kind is complex:
        return value
    if kind is cnp.ndarray:
        return value if not runs_code((<cnp.ndarray>value).descr) else None
    return value if is_plain_scalar(value) else None


cdef object computed(object result)
cdef object detached_void(object scalar)
cdef object as_standard(object result)
cdef object standard_result(object ufunc, object first, object second)
cdef object MISSING
cdef bint has_priority(object value) noexcept
