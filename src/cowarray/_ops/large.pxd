# Large results, and the memory that they are computed into.

cimport numpy as cnp

from cowarray._array.array cimport Array, itemsize_of, size_of


ctypedef object (*binary_function)(object, object)
ctypedef object (*unary_function)(object)

cdef enum:
    LARGE = 1 << 15  # elements: 256 KiB or more, for most
    WIDE = 128 << 10  # bytes: what is gained by alignment is more than what the handler takes


cdef inline bint is_large(Array x) noexcept:
    """Whether a result of x's shape is worth memory that is kept."""
    return size_of(x) >= LARGE


cdef inline bint is_wide(Array x) noexcept:
    """Whether a result of arithmetic of x's shape and dtype is worth memory that is aligned."""
    return size_of(x) * itemsize_of(x) >= WIDE or is_large(x)


cdef inline bint is_large_operand(object operand) noexcept:
    """`is_large` of what NumPy is shown."""
    cdef cnp.npy_intp size = 1
    cdef int i
    if type(operand) is not cnp.ndarray:
        return False
    for i in range(cnp.PyArray_NDIM(<cnp.ndarray>operand)):
        size *= cnp.PyArray_DIMS(<cnp.ndarray>operand)[i]
    return size >= LARGE


cdef object large_unary(unary_function function, object a)
cdef object large_operator(binary_function function, object ufunc, object left, object right, object a, object b)
cdef object fake_to_reuse(Array self, object other, object ufunc, bint reflected)
cdef object large_compare(object a, object b, int op)
cdef object large_call(object function, tuple args, dict kwargs)
