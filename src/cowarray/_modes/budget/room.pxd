# Room within a budget: freeing bytes, and reading them back from the file.

from cowarray._modes.budget.runs cimport Allocation, Run
from cowarray._native.storage cimport Storage


cdef bint make_room(Run run, size_t need) except -1
cdef int make_room_beside(Allocation unit, size_t need) except -1
cdef object no_room(Run run, size_t need)
cdef bint put_out(Run run, Allocation unit, bint by_file) except -1
cdef object checksum(Storage storage)
cdef int bring_from_file(Run run, Allocation unit) except -1
