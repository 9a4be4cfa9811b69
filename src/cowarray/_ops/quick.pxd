# Calls that need no Passage.

from cowarray._array.array cimport Array
from cowarray._ops.passage cimport Operation


cdef object QUICK_FAILED
cdef object quick_call(Operation operation, object implementation, bint is_c, tuple args, dict kwargs,
                       object self=*, object header=*)
cdef bint are_axes(tuple args) noexcept
cdef object without_passage(Array self, str name, Operation operation, tuple args)
