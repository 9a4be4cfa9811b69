# Operators.

cimport numpy as cnp

from cowarray._array.array cimport Array
from cowarray._array.exports cimport snapshot
from cowarray._ops.operands cimport computed, operand


ctypedef object (*binary_function)(object, object)
ctypedef object (*unary_function)(object)

cdef object compare(Array self, object other, int op)
cdef object one_sided(Array self, object ufunc)
cdef object defer(Array self, object other, object ufunc, bint reflected)
cdef object power(object base, object exponent)
cdef object in_place_power(object base, object exponent)


cdef inline object binary(Array self, object other, binary_function function, object ufunc, bint reflected):
    """self op other, or with reflected other op self, as NumPy's own operator on headers computes it."""
    own = operand(self)
    shown = operand(other)
    if shown is None or own is None:
        if reflected and cnp.PyArray_Check(other) and type(other) is not cnp.ndarray:
            return function(other, snapshot(self))  # a matrix, say: it knows NumPy's arrays, and did not know ours
        return defer(self, other, ufunc, reflected)
    return computed(function(shown, own) if reflected else function(own, shown))


cdef inline object unary(Array self, unary_function function, object ufunc):
    own = operand(self)
    return one_sided(self, ufunc) if own is None else computed(function(own))


cdef object in_place(Array self, object other, object ufunc)
cdef object in_place_by_numpy(Array self, object other, object ufunc, binary_function function)
