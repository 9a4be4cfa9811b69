# Bringing bytes back.

from cowarray._modes.budget.runs cimport Allocation, Managed, ManagedVersion
from cowarray._modes.record.nodes cimport Node
from cowarray._native.storage cimport Storage


cdef int link_to_inputs(Allocation unit, Node node) except -1
cdef int bring(Managed managed) except -1
cdef set missing(ManagedVersion version)
cdef Storage present(ManagedVersion version)
