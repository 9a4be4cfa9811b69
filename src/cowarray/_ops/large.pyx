# cython: freethreading_compatible=True
"""Large results are computed into memory that was used before: a temporary's, or the heap's.

As in NumPy, a result is computed into an operand that only the interpreter refers to (`temporary.h`), if it has the
result's shape, dtype and layout: nobody else can see its bytes.

Fresh pages are most of the cost of a large result, and of the arrays that NumPy's functions compute on the way to one.
NumPy has a memory handler for each context, and each array keeps the one that it came from. While NumPy computes with a
large array, the handler is the core's heap, which keeps the large blocks that it gets back. A handler set by the user
is left alone.

Blocks of that heap are aligned to cache lines, so results of arithmetic operators come from it from 128 KiB on: a store
as wide as a line takes twice as long where it crosses two, and malloc's blocks begin at any multiple of 16.

If memory runs out while the handler is restored, the heap stays: NumPy's arrays then come from it, and work.
"""

import opcode
import weakref

import numpy as np

cimport numpy as cnp
from cpython.number cimport PyNumber_InPlacePower
from cpython.object cimport PyObject_RichCompare
from cpython.pycapsule cimport PyCapsule_New
from cpython.ref cimport Py_REFCNT
from libc.string cimport strcpy

from cowarray._array.array cimport Array, BORN_FRESH, is_array, located_header
from cowarray._c.numpy cimport (
    NPY_ARRAY_WRITEABLE,
    PyArray_CLEARFLAGS,
    PyArray_ENABLEFLAGS,
    PyDataMem_DefaultHandler,
    PyDataMem_GetHandler,
    PyDataMem_Handler,
    PyDataMem_SetHandler,
    PyTypeNum_ISBOOL,
    PyTypeNum_ISINTEGER,
)
from cowarray._c.temporary cimport is_temporary
from cowarray._native.storage cimport count_shares, heap_calloc, heap_free, heap_malloc, heap_realloc
from cowarray._ops.operands cimport computed

cnp.import_array()

cdef PyDataMem_Handler handler
cdef object heap

cdef int BINARY_OPERATOR = opcode.opmap["BINARY_OP"]
cdef object count_weak_references = weakref.getweakrefcount
cdef object power = np.power
# Ufuncs that give operands of one inexact dtype a result of that dtype.
cdef frozenset reusing = frozenset((np.add, np.subtract, np.multiply, np.true_divide, np.power))
cdef tuple inexact = (cnp.NPY_FLOAT, cnp.NPY_DOUBLE, cnp.NPY_CFLOAT, cnp.NPY_CDOUBLE)
# The same for booleans, and for integers.
cdef frozenset reusing_bits = frozenset((np.bitwise_and, np.bitwise_or, np.bitwise_xor))
cdef frozenset reusing_integers = reusing_bits | {np.add, np.subtract, np.multiply}


cdef void *take(void *ctx, size_t nbytes) noexcept nogil:
    return heap_malloc(nbytes)


cdef void *take_zeros(void *ctx, size_t count, size_t nbytes) noexcept nogil:
    return heap_calloc(count, nbytes)


cdef void *take_more(void *ctx, void *data, size_t nbytes) noexcept nogil:
    return heap_realloc(data, nbytes)


cdef void give_back(void *ctx, void *data, size_t nbytes) noexcept nogil:
    heap_free(data)


strcpy(handler.name, b"cowarray")
handler.version = 1
handler.allocator.ctx = NULL
handler.allocator.malloc = take
handler.allocator.calloc = take_zeros
handler.allocator.realloc = take_more
handler.allocator.free = give_back
heap = PyCapsule_New(&handler, "mem_handler", NULL)


cdef bint enter_heap() except -1:
    """Have NumPy's arrays allocated from the heap until `leave_heap`; False if the user has set another handler."""
    if PyDataMem_GetHandler() is not <object>PyDataMem_DefaultHandler:
        return False
    PyDataMem_SetHandler(heap)
    return True


cdef int leave_heap() except -1:
    try:
        PyDataMem_SetHandler(<object>PyDataMem_DefaultHandler)
    except MemoryError:
        pass
    return 0


cdef object large_unary(unary_function function, object a):
    """Return function(a), whose result may be large."""
    cdef bint entered = enter_heap()
    try:
        result = function(a)
    finally:
        if entered:
            leave_heap()
    return result


cdef object large_binary(binary_function function, object a, object b):
    cdef bint entered = enter_heap()
    try:
        result = function(a, b)
    finally:
        if entered:
            leave_heap()
    return result


cdef bint gives_own_dtype(int type_num, object ufunc) except -1:
    """True if a ufunc gives operands of one dtype a result of that dtype."""
    if PyTypeNum_ISINTEGER(type_num):
        return ufunc in reusing_integers
    if PyTypeNum_ISBOOL(type_num):
        return ufunc in reusing_bits
    return type_num in inexact and ufunc in reusing


cdef bint is_number_for(cnp.dtype descr, object other) noexcept:
    """True if an operation on this number and an array of this dtype gives that dtype."""
    if type(other) is int:
        return not PyTypeNum_ISBOOL(descr.type_num)
    if type(other) is float:
        return not PyTypeNum_ISINTEGER(descr.type_num) and not PyTypeNum_ISBOOL(descr.type_num)
    return type(other) is <object>descr.typeobj


cdef bint is_reusable(Array x, cnp.ndarray header, object ufunc, object other) except -1:
    """True if x is a temporary, and the result of ufunc for x and other has x's shape, dtype and layout.

    header is x's own: the array that NumPy returned. The caller and x each hold a reference to it.
    """
    cdef cnp.ndarray array
    if x.storage_ is not None or not x.writeable or not is_large(x):
        return False
    if count_weak_references(x) or Py_REFCNT(header) > 2:
        return False
    if not gives_own_dtype(x.descr.type_num, ufunc) or not cnp.PyArray_ISBEHAVED_RO(header):
        return False
    if type(other) is cnp.ndarray:
        array = other
        if not (
            array.descr.type_num == x.descr.type_num and cnp.PyArray_ISBEHAVED_RO(array)
            and cnp.PyArray_IS_C_CONTIGUOUS(array) and cnp.PyArray_IS_C_CONTIGUOUS(header)
            and cnp.PyArray_SAMESHAPE(array, header)
        ):
            return False
    elif not is_number_for(x.descr, other):
        return False
    return is_temporary(x, type(x), BINARY_OPERATOR)


cdef object fake_to_reuse(Array self, object other, object ufunc, bint reflected):
    """Return the operand without bytes that an operator's result would be computed into; or None.

    Only self is certain to be an array. Called before anything takes a reference to the two.
    """
    cdef bint both = is_array(other)
    if is_reusable_fake(self, other, both, ufunc, reflected):
        return self
    if both and is_reusable_fake(<Array>other, self, True, ufunc, not reflected):
        return other
    return None


cdef bint is_reusable_fake(Array x, object other, bint both, object ufunc, bint is_right) except -1:
    """`is_reusable` for an array without bytes: no other object may refer to its Storage."""
    cdef cnp.ndarray header
    if x.storage_ is None or not x.storage_.is_fake or not is_large(x) or (is_right and ufunc is power):
        return False
    # The call itself holds a reference.
    if Py_REFCNT(x.storage_) > 2 or count_shares(x.storage_) != 1 or x.birth != BORN_FRESH:
        return False
    if not x.writeable or x.standard or not gives_own_dtype(x.descr.type_num, ufunc):
        return False
    if both and (<Array>other).nd == 0 and (<Array>other).birth == BORN_FRESH:
        # The other would be one of NumPy's scalars.
        if (<Array>other).descr.type_num != x.descr.type_num:
            return False
    elif both:
        if (<Array>other).descr.type_num != x.descr.type_num:
            return False
        header = located_header(<Array>other)
        if not (
            cnp.PyArray_ISBEHAVED_RO(header) and cnp.PyArray_IS_C_CONTIGUOUS(header)
            and cnp.PyArray_IS_C_CONTIGUOUS(located_header(x)) and is_shaped_as(x, header)
        ):
            return False
    elif not is_number_for(x.descr, other):
        return False
    return not count_weak_references(x) and is_temporary(x, type(x), BINARY_OPERATOR)


cdef bint is_shaped_as(Array x, cnp.ndarray header) noexcept:
    cdef int i
    if x.nd != cnp.PyArray_NDIM(header):
        return False
    for i in range(x.nd):
        if x.dims[i] != cnp.PyArray_DIMS(header)[i]:
            return False
    return True


cdef object reused(Array x, cnp.ndarray header, object ufunc, object a, object b):
    """Compute ufunc(a, b) into x, which is reusable; a or b is x's header."""
    PyArray_ENABLEFLAGS(header, NPY_ARRAY_WRITEABLE)
    try:
        if ufunc is power:
            PyNumber_InPlacePower(a, b, None)  # it knows squares and roots, as the operator does
        else:
            ufunc(a, b, header)
    finally:
        PyArray_CLEARFLAGS(header, NPY_ARRAY_WRITEABLE)
    return x


cdef object large_operator(binary_function function, object ufunc, object left, object right, object a, object b):
    """Return the result of an operator for left and right, whose headers are a and b; at least one is a large array."""
    if is_array(left) and is_reusable(<Array>left, a, ufunc, b):
        return reused(<Array>left, a, ufunc, a, b)
    if is_array(right) and ufunc is not power and is_reusable(<Array>right, b, ufunc, a):
        return reused(<Array>right, b, ufunc, a, b)
    return computed(large_binary(function, a, b))


cdef object large_compare(object a, object b, int op):
    cdef bint entered = enter_heap()
    try:
        result = PyObject_RichCompare(a, b, op)
    finally:
        if entered:
            leave_heap()
    return result


cdef object large_call(object function, tuple args, dict kwargs):
    cdef bint entered = enter_heap()
    try:
        result = function(*args, **kwargs)
    finally:
        if entered:
            leave_heap()
    return result
