# The door of watched Storages, and its findings.

cimport cython
from cpython.object cimport PyObject

from cowarray._array.array cimport Array
from cowarray._modes.simulate.regions cimport Region
from cowarray._modes.simulate.shadows cimport Mark, Shadow, Watch
from cowarray._native.storage cimport Storage


@cython.final
@cython.no_gc
cdef class Step:
    cdef str operation
    cdef long long number
    cdef list pending  # its Writes, to be logged when it has ended
    # The array that it is about: its Storage, its Shadow or NULL, both borrowed; and facts that the door cannot know.
    cdef void *storage
    cdef PyObject *shadow
    cdef Region region  # the bytes it touches, where an index picks them
    cdef bint reads_nothing  # of that array, whatever intent it declares at the door
    cdef bint overwrites  # it gives all bytes that it touches there new values
    cdef bint mute  # it changes nothing: the end of x[key] += 1
    cdef bint holds  # findings wait: they are void if it returns a view, or a copy, which gets the marks
    cdef list held  # (mark, bytes, differed)


cdef Watch watch_of(Array x)
cdef Watch watch_for(Storage storage)
cdef int tell(Mark mark, str kind, str operation, Py_ssize_t nbytes, object site, object differed,
              long long number) except -1
