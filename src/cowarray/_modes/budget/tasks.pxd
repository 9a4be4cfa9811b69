# Operations about to run in a budget: what each reads, writes and returns, and what it needs beforehand.

from cowarray._modes.budget.runs cimport Allocation, ManagedNode, Run
from cowarray._modes.fake.forecasts cimport Forecast
from cowarray._modes.record.rehearsing cimport Rehearsal


# A prediction of an operation.
cdef class Outlook(Rehearsal):
    cdef object function  # repeats the operation
    cdef bint draws  # whether it draws random numbers
    cdef list originals  # arrays whose Storages are written
    cdef dict pages  # by Storage, the most pages of it that are written


cdef class Task:
    cdef list inputs  # of Managed, each once, that it reads or writes
    cdef list written  # of Managed
    cdef list storages  # theirs
    cdef list addresses  # where their allocations started
    cdef bint has_births
    cdef bint only_shares  # it gives lazy copies, and needs no bytes
    cdef list born  # ManagedVersions
    cdef list locked  # Allocations; None before the first
    cdef dict pages  # as in `Outlook`
    cdef size_t reserved


cdef Outlook foresee(str operation, object function, tuple args, dict kwargs, object key, Forecast known, list arrays,
                     list fresh)
cdef Task new_task(Outlook outlook)
cdef size_t bytes_of(Outlook outlook, list fresh, bint shares_nothing) except? 0
cdef bint leaves_unset(str operation, tuple args, dict kwargs) except -1
cdef bint gives_copies(list fresh) except -1
cdef ManagedNode begin(Run run, Task task, size_t need, str operation, Outlook outlook, tuple args, dict kwargs)
cdef int end(Run run, Task task) except -1
cdef int reserve(Run run, size_t nbytes) except -1
cdef int unreserve(Run run, size_t nbytes) except -1
cdef bint wait_for_others(Run run) except -1
