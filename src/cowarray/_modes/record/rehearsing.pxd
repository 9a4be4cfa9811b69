# The results and writes of an operation, found by the rules of fakes on ghosts of its arguments.

from cowarray._array.array cimport Array
from cowarray._modes.fake.fakes cimport Origin
from cowarray._modes.record.nodes cimport Traced
from cowarray._native.storage cimport Storage
cimport numpy as cnp


cdef class Rehearsal:
    cdef object block
    cdef object outer  # the block that the program is in
    cdef void *frame  # of the program; valid while the rules run
    cdef readonly object site
    cdef Origin origin  # of its ghosts
    cdef object first  # the first ghost
    cdef list ghosts  # of (ghost, the array that it stands for, the `Traced` of its Storage or None)
    cdef list foreign  # the arguments that are NumPy arrays
    cdef dict written  # by written Storage: how many of its pages, at most
    cdef bint has_real  # whether the result has an array with bytes
    cdef bint is_repeated  # the operation itself runs afterwards, so modes must not report or refuse it now as well

    cdef int stand_here(self) except -1
    cdef object show(self, object value)
    cdef object show_array(self, Array x)
    cdef object ghost_of(self, Array x, Traced traced)
    cdef Array ghost_of_real(self, Array x)
    cdef int find_fresh(self, object result, list found) except -1
    cdef Py_ssize_t look_into(self, object result, list found, Py_ssize_t place) except -1
    cdef Array original_on(self, Storage storage)


cdef object rehearse(str operation, object function, tuple args, dict kwargs, Rehearsal rehearsal)
cdef object own_block()
cdef int refuse_objects(cnp.dtype descr) except -1
