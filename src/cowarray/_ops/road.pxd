# The road of operations.

from cowarray._array.array cimport Array
from cowarray._ops.passage cimport Operation
from cowarray._ops.picking cimport Picked


cdef dict PARTS_OF_OBJECTS

cdef object call(Operation operation, object function, Array self, tuple args, dict kwargs, bint cautious=*,
                 bint dispatched_here=*, bint asks_nobody=*)
cdef object call_method(Array self, str name, tuple args, dict kwargs)
cdef object travel_method(Array x, str name, tuple args, dict kwargs)
cdef object part(Array self, str name)
cdef bint calls_user(object journey) noexcept
cdef object identity_on_road(object journey)
cdef Picked picked_beside(object journey, Picked picked, Array x, tuple args, dict kwargs)
cdef list written_of(object journey, tuple args, dict kwargs)
