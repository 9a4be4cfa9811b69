# Arrays from outside that managed ones are computed from.

from cowarray._modes.record.nodes cimport Reference
from cowarray._modes.deferred.recording cimport Seen
from cowarray._modes.budget.runs cimport Allocation, Run


cdef size_t find_inputs(Run run, Seen seen, dict known) except? 0
cdef bint has_sparse(Seen seen) except -1
cdef Reference take_input(Run run, object value, dict known, object site)
cdef str constant_name(Run run, Allocation unit)
