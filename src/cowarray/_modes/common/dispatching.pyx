"""Dispatch of operations: each is inspected once and goes to the mode that it concerns.

One scan of the arguments finds arrays that have no bytes yet (deferred), never will have any (fake), or are managed by
a budget. The modes are asked in a fixed order; each decides by the block in force and by the arrays found whether the
operation is its own. A mode enlists its `Handler` on import, so this module depends on no mode.
"""

cimport cython

from cowarray._array.array cimport Array, is_array
from cowarray._array.layout cimport MAXDIMS
from cowarray._modes.common.blocks cimport current_in
from cowarray._modes.common.thread cimport this_thread, Thread

from cowarray._ops.operands import register

cdef object LEFT = object()

cdef list handlers = [None] * (SIMULATIONS + 1)
cdef type managed_keeper = None
cdef long long seen = 0


@cython.final
@cython.freelist(16)
cdef class Found:
    """The result of a scan of arguments."""


cdef class Handler:
    """A mode's hook: does an operation, or leaves it to the next mode."""

    cdef object handle(self, Thread thread, object block, Found found, str operation, object function, tuple args,
                       dict kwargs):
        return LEFT


cdef int enlist(Place place, Handler handler) except -1:
    handlers[<int>place] = handler
    register(dispatch)
    return 0


cdef void name_managed(type keeper) noexcept:
    global managed_keeper
    managed_keeper = keeper


cpdef object dispatch(str operation, object function, tuple args, dict kwargs):
    """Offer an operation to each mode in turn; if all decline, call the function."""
    cdef Thread thread = this_thread()
    cdef object block = current_in(thread)
    cdef Found found = Found.__new__(Found)
    look_into(found, args, 0)
    if kwargs:
        if "like" in kwargs and is_array(kwargs["like"]):
            # Results are cowarray's in any case, so `like` adds nothing.
            kwargs = {name: value for name, value in kwargs.items() if name != "like"}
        look_into(found, kwargs, 0)
    for handler in handlers:
        if handler is not None:
            result = (<Handler>handler).handle(thread, block, found, operation, function, args, kwargs)
            if result is not LEFT:
                return result
    return function(*args, **kwargs)


cdef int look_into(Found found, object values, int depth) except -1:
    """Look at each array among values once. Subclasses of list, tuple and dict are read without running their code."""
    if isinstance(values, tuple):
        for value in <tuple>values:
            look_at(found, value, depth)
    elif isinstance(values, list):
        for value in <list>values:
            look_at(found, value, depth)
    else:
        for value in dict.values(values):
            look_at(found, value, depth)
    return 0


cdef int look_at(Found found, object value, int depth) except -1:
    global seen
    cdef Array x
    if is_array(value):
        seen += 1
        x = <Array>value
        if x.storage_ is None or x.storage_.doorkeeper == NULL:
            return 0
        if x.storage_.is_deferred:
            if found.deferred is None:
                found.deferred = x
        elif x.storage_.is_fake:
            if found.fake is None:
                found.fake = x
        elif found.managed is None and type(<object>x.storage_.doorkeeper) is managed_keeper:
            found.managed = x
    elif depth < MAXDIMS and isinstance(value, (tuple, list, dict)):
        look_into(found, value, depth + 1)
    return 0


def arrays_seen():
    """Return how many arrays all scans have looked at since the start. For tests."""
    return seen
