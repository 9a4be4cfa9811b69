# Bringing bytes back.

from cowarray._modes.budget.runs cimport Allocation, Managed, ManagedNode, ManagedVersion
from cowarray._native.storage cimport Storage


cdef int link_to_inputs(Allocation unit, ManagedNode node) except -1
cdef int bring(Managed managed) except -1
cdef set missing(ManagedVersion version)
cdef Storage present(ManagedVersion version)
