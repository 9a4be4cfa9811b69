# Operators.

from cowarray._array.array cimport Array
from cowarray._ops.large cimport (
    binary_function,
    fake_to_reuse,
    is_large,
    is_wide,
    large_operator,
    large_unary,
    unary_function,
)
from cowarray._ops.operands cimport computed, operand
from cowarray._ops.strangers cimport defer


cdef object compare(Array self, object other, int op)
cdef object one_sided(Array self, object ufunc)
cdef object power(object base, object exponent)
cdef object in_place_power(object base, object exponent)


cdef inline object beside_lane(Array self, object other, object ufunc, bint reflected):
    """Run an operator that NumPy's own cannot compute on headers. Inline: the caller recognizes a temporary."""
    cdef object target = fake_to_reuse(self, other, ufunc, reflected)
    if target is None:
        return defer(self, other, ufunc, reflected)
    return ufunc(other, self, out=(target,)) if reflected else ufunc(self, other, out=(target,))


cdef inline object binary(Array self, object other, binary_function function, object ufunc, bint reflected):
    """Compute self op other or, if reflected, other op self, by NumPy's own operator on headers."""
    own = operand(self)
    shown = operand(other)
    if shown is None or own is None:
        return beside_lane(self, other, ufunc, reflected)
    if is_wide(self):
        if reflected:
            return large_operator(function, ufunc, other, self, shown, own)
        return large_operator(function, ufunc, self, other, own, shown)
    return computed(function(shown, own) if reflected else function(own, shown))


cdef inline object unary(Array self, unary_function function, object ufunc):
    own = operand(self)
    if own is None:
        return one_sided(self, ufunc)
    return computed(large_unary(function, own) if is_large(self) else function(own))


cdef object in_place(Array self, object other, object ufunc)
cdef object in_place_by_numpy(Array self, object other, object ufunc, binary_function function)
