# Large results, and the memory that they are computed into.

cimport numpy as cnp

from cowarray._array.array cimport Array, itemsize_of, size_of


ctypedef object (*binary_function)(object, object)
ctypedef object (*unary_function)(object)

cdef enum:
    LARGE = 1 << 15  # elements: 256 KiB of float64
    WIDE = 128 << 10  # bytes: from here on, alignment gains more than the handler costs


cdef inline bint is_large(Array x) noexcept:
    """True if a result of x's shape is worth a block of the heap."""
    return size_of(x) >= LARGE


cdef inline bint is_wide(Array x) noexcept:
    """True if an arithmetic result of x's shape and dtype is worth aligned memory."""
    return size_of(x) * itemsize_of(x) >= WIDE or is_large(x)


cdef inline bint is_large_operand(object operand) noexcept:
    """`is_large` for an operand as NumPy sees it."""
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
