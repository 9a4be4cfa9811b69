"""What a thread is doing: one object for each thread, which its state owns and nobody else touches.

Each field belongs to one mode, and owns what it names. Whoever sets one restores it in the same Cython function: the
handler of a signal runs between the bytecodes of Python code, so none of these may stand between the two.
"""

cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject

from cowarray._c.python cimport PyThreadState_GetDict

cdef str KEY = "cowarray._modes.common.thread"


@cython.final
cdef class Instead:
    """A block that holds in a thread in place of the context's."""


@cython.final
cdef class Thread:
    """What one thread is doing."""


cdef Thread this_thread():
    """The `Thread` that runs. It exists from its first call on, which may find no memory."""
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
    """What this thread is doing, by name; empty between operations. For tests."""
    cdef Thread thread = this_thread()
    found = {"instead": thread.instead, "hushed": thread.hushed, "recorded": thread.recorded, "faked": thread.faked,
             "simulated": thread.simulated, "managed": thread.managed, "active": thread.active,
             "reserved": thread.reserved}
    return {name: value for name, value in found.items() if value}
