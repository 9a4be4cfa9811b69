# The memory of one budget: what is managed in it, and where its bytes are.

cimport cython

from cowarray._array.array cimport Array
from cowarray._c.core cimport cow_account
from cowarray._modes.budget.pools cimport Pool, Pools
from cowarray._modes.record.nodes cimport Node, Traced, Version
from cowarray._native.storage cimport door_function, Storage


# Bytes that leave, and come back, as a whole: an allocation, and who shares it.
cdef class Allocation(Pool):
    cdef readonly Run run
    cdef readonly object site  # the line that made it
    cdef Py_ssize_t members  # managed Storages on it
    cdef Py_ssize_t held  # of which are copies that nobody but a record has
    cdef list storages  # weak references to them; some may have died
    cdef object digest  # of the bytes that were evicted, where they are to be verified
    cdef bint has_gaps  # bytes that mean nothing, and may be others when they come back: then it is not verified
    cdef object slot  # of the spill file
    cdef readonly str why  # a reason that it cannot be made again, or None
    cdef object __weakref__


cdef class ManagedVersion(Version):
    cdef Allocation unit  # in which its bytes lie; None: in none
    cdef str name  # in the log
    # The next version was written where this one lay. Else what wrote it read this one elsewhere.
    cdef bint gave_way
    cdef int depth  # how many operations were done for it after one another, since the last that is kept


cdef class ManagedNode(Node):
    cdef double cost  # of running it
    cdef size_t pages  # that its writes touch at most


cdef class Managed(Traced):
    cdef ManagedVersion latest  # what its bytes are; None where only a record has the Storage
    cdef readonly Allocation unit
    cdef str name  # in the log; None where it is not logged
    cdef bint is_held  # only a record has the Storage
    cdef bint is_counted
    cdef int writes  # after one another, since the last that made it or kept it


cdef class Run:
    cdef readonly Pools pools
    cdef readonly bint by_model
    cdef readonly bint verify
    cdef readonly object log
    cdef readonly object spill
    cdef readonly frozenset keep
    cdef readonly frozenset recompute
    cdef public bint is_over
    cdef Py_ssize_t users  # open blocks, and whether it has been started
    cdef size_t peak  # of the time when it was over
    cdef public double base_time
    cdef public double remat_time
    cdef public double search_time
    cdef Py_ssize_t active  # operations under way, of all threads
    cdef Py_ssize_t waiting  # of which wait
    cdef Py_ssize_t waiters  # threads that wait
    cdef set constants  # Allocations with members that cannot be made again
    cdef cow_account *account  # of bases that writes to what is managed have made
    cdef list written_outside  # weak references to Storages whose pages somebody outside may write, or has written
    cdef object temporaries  # weak set of Versions that nobody has, and that were made for others
    cdef object inputs  # by where an allocation starts that is not managed, a Version that was taken of it; weak

    cdef long long names  # that have been given
    cdef object __weakref__

    cdef bint is_enforced(self) noexcept
    cdef str new_name(self)
    cdef double clock(self) except? -1


cdef double nanoseconds() noexcept
cdef void set_door(door_function door) noexcept
cdef object lock_guard_to_end()
cdef int unlock_guard_and_raise(object interruption) except -1
cdef Managed find_managed(Array x)
cdef Managed manager_of(Storage storage)
cdef ManagedVersion new_version(ManagedNode node)
cdef Allocation new_allocation(Run run, size_t nbytes, double cost, object site, str why, Py_ssize_t held=*)
cdef Managed manage(Storage storage, Allocation unit, ManagedVersion version, bint is_held, str name=*)
cdef int unmanage(Storage storage) except -1
cdef int move(Managed managed, Allocation unit) except -1
cdef Storage member_of(Allocation unit)
cdef int keep_bytes(Managed managed) except -1
cdef int make_constant(Allocation unit, str why) except -1
cdef size_t bytes_in(Storage storage) noexcept
cdef int count_held(Managed managed) except -1
cdef int count_outside(Managed managed, size_t nbytes) except -1
cdef int look_outside(Run run) except -1
cdef int count_frozen(Run run) except -1
