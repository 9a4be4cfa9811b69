"""What a thread is doing: one object for each thread, owned by the thread state and touched by no other thread.

Each field belongs to one mode and owns the object it names. The Cython function that sets a field restores it as well:
signal handlers run between bytecodes of Python code, and none may run between the two.
"""

cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject

from cowarray._c.python cimport PyThreadState_GetDict

cdef str KEY = "cowarray._modes.common.thread"


@cython.final
cdef class Instead:
    """A block that is in force in a thread in place of the context's."""


@cython.final
cdef class Thread:
    """What one thread is doing."""


cdef Thread this_thread():
    """Return the current thread's object. The first call in a thread creates it, which may run out of memory."""
    cdef PyObject *owner = PyThreadState_GetDict()
    cdef PyObject *found
    if owner == NULL:
        raise MemoryError("cannot allocate what a thread keeps of its own")
    found = PyDict_GetItemWithError(<object>owner, KEY)
    if found == NULL:
        (<dict><object>owner)[KEY] = Thread.__new__(Thread)
        found = PyDict_GetItemWithError(<object>owner, KEY)
    return <Thread?><object>found


def doing():
    """Return this thread's fields that are set, by name; empty between operations. For tests."""
    cdef Thread thread = this_thread()
    found = {"instead": thread.instead, "hushed": thread.hushed, "recorded": thread.recorded, "faked": thread.faked,
             "simulated": thread.simulated, "managed": thread.managed, "active": thread.active,
             "reserved": thread.reserved}
    return {name: value for name, value in found.items() if value}
