# Recording operations that have run in a budget.

from cowarray._modes.budget.runs cimport ManagedNode, Run
from cowarray._modes.budget.tasks cimport Task


cdef int note_writes(Run run, Task task, ManagedNode node, str why) except -1
cdef int note_births(Run run, Task task, ManagedNode node, list fresh, object result) except -1
cdef int note_gaps(Task task, list ghosts, list fresh) except -1
cdef int log_operation(Run run, Task task, ManagedNode node) except -1
