# Outside arrays that managed arrays are computed from.

from cowarray._modes.record.nodes cimport Reference
from cowarray._modes.record.rehearsing cimport Rehearsal
from cowarray._modes.budget.runs cimport Allocation, Run


cdef size_t find_inputs(Run run, Rehearsal rehearsal, dict known) except? 0
cdef bint has_sparse(Rehearsal rehearsal) except -1
cdef Reference take_input(Run run, object value, dict known, object site)
cdef str constant_name(Run run, Allocation unit)
