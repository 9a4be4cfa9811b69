# Operations that are handed over: looked at once, and given to the mode that they concern.

from cowarray._array.array cimport Array
from cowarray._modes.common.thread cimport Thread


# In this order a mode may do an operation, or leave it to the next.
cdef enum Place:
    REHEARSALS
    DEFERRALS
    FAKES
    BUDGETS
    SIMULATIONS


# The first array of each kind among an operation's arguments, or in lists, tuples and dicts there; None: none.
cdef class Found:
    cdef Array deferred
    cdef Array fake
    cdef Array managed


cdef class Handler:
    # Does an operation, or gives LEFT. block: the one that holds.
    cdef object handle(self, Thread thread, object block, Found found, str operation, object function, tuple args,
                       dict kwargs)


cdef object LEFT
cdef int enlist(Place place, Handler handler) except -1
# The doorkeepers of managed arrays are of this type.
cdef void name_managed(type keeper) noexcept
cpdef object dispatch(str operation, object function, tuple args, dict kwargs)
