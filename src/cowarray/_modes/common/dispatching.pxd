# Dispatched operations: each is inspected once and goes to the mode that it concerns.

from cowarray._array.array cimport Array
from cowarray._modes.common.thread cimport Thread


# The order in which the modes are offered an operation.
cdef enum Place:
    REHEARSALS
    DEFERRALS
    FAKES
    BUDGETS
    SIMULATIONS


# The first array of each kind among an operation's arguments, including lists, tuples and dicts there; or None.
cdef class Found:
    cdef Array deferred
    cdef Array fake
    cdef Array managed


cdef class Handler:
    # Do an operation and return its result, or return LEFT. block: the one in force.
    cdef object handle(self, Thread thread, object block, Found found, str operation, object function, tuple args,
                       dict kwargs)


cdef object LEFT
cdef int enlist(Place place, Handler handler) except -1
# Set the type of the doorkeepers of managed arrays.
cdef void name_managed(type keeper) noexcept
cpdef object dispatch(str operation, object function, tuple args, dict kwargs)
