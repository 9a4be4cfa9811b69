# What an operation would give and write, on ghosts of its arguments; and arguments as they are now, for later.

from cowarray._array.array cimport Array
from cowarray._modes.record.nodes cimport Recipe
from cowarray._native.storage cimport Storage
cimport numpy as cnp


cdef class Seen:
    cdef object block
    cdef object outer  # the block that the program is in
    cdef void *frame  # of the program, that records; as long as the rules run
    cdef readonly object site
    cdef object first  # the first ghost
    cdef list ghosts  # of (ghost, what it stands for, what is known of its Storage, or None)
    cdef list foreign  # arrays of NumPy's
    cdef dict written  # Storages, and how many pages of each at most
    cdef list originals  # arrays whose ghosts lie there
    cdef dict pages  # by their Storages, how many pages of each are written at most
    cdef bint has_real  # whether the result has an array with bytes
    cdef bint everything  # whether arrays have ghosts whose bytes are there
    cdef object function  # what repeats the operation
    cdef bint draws  # random numbers

    cdef object show(self, object value)
    cdef Array ghost_of_real(self, Array x)
    cdef int find_fresh(self, object result, list found) except -1
    cdef Py_ssize_t look_into(self, object result, list found, Py_ssize_t place) except -1
    cdef Array original_on(self, Storage storage)
    cdef Recipe recipe_on(self, Storage storage)
    cdef object give_back(self, object result)
    cdef list written_recipes(self)


cdef object dry(str operation, object function, tuple args, dict kwargs, Seen seen)
cdef object own_block()
cdef int refuse_objects(cnp.dtype descr) except -1
