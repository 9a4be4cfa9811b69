# The memory of one budget: its managed arrays, and where their bytes are.

cimport cython

from cowarray._array.array cimport Array
from cowarray._c.core cimport cow_account
from cowarray._modes.budget.pools cimport Pool, Pools
from cowarray._modes.record.nodes cimport Node, Traced, Version
from cowarray._native.storage cimport door_function, Storage


# An allocation, which leaves and comes back as a whole, and the Storages that share it.
cdef class Allocation(Pool):
    cdef readonly Run run
    cdef readonly object site  # the line that made it
    cdef Py_ssize_t members  # managed Storages on it
    cdef Py_ssize_t held  # of those, copies that only a record has
    cdef list storages  # weak references to them; some may have died
    cdef object digest  # a checksum of the evicted bytes, if they are to be verified
    cdef bint has_gaps  # meaningless bytes, which may change when they are remade: it is not verified
    cdef object slot  # of the spill file
    cdef readonly str why  # the reason that it cannot be remade, or None
    cdef object __weakref__


cdef class ManagedVersion(Version):
    cdef Allocation unit  # in which its bytes lie, or None
    cdef str name  # in the log
    # The next version was written over this one. Otherwise the write read this one from elsewhere.
    cdef bint gave_way
    cdef int depth  # of the longest chain of operations that led to it, since the last bytes that are kept


cdef class ManagedNode(Node):
    cdef double cost  # of running it
    cdef size_t pages  # the most that its writes touch


cdef class Managed(Traced):
    cdef ManagedVersion latest  # the version of its bytes; None if only a record has the Storage
    cdef readonly Allocation unit
    cdef str name  # in the log; None where it is not logged
    cdef bint is_held  # only a record has the Storage
    cdef bint is_counted
    cdef int writes  # in a row, since the last that made it or kept it


cdef class Run:
    cdef readonly Pools pools
    cdef readonly bint by_model
    cdef readonly bint verify
    cdef readonly object log
    cdef readonly object spill
    cdef readonly frozenset keep
    cdef readonly frozenset recompute
    cdef public bint is_over
    cdef Py_ssize_t users  # open blocks, and 1 more if it has been started
    cdef size_t peak  # when it ended
    cdef public double base_time
    cdef public double remat_time
    cdef public double search_time
    cdef Py_ssize_t active  # operations under way, of all threads
    cdef Py_ssize_t waiting  # of those, waiting
    cdef Py_ssize_t waiters  # threads that wait
    cdef set constants  # Allocations that have members and cannot be remade
    cdef cow_account *account  # of bases that were made by writes to managed arrays
    cdef list written_outside  # weak references to Storages whose pages are, or may be, written from outside
    cdef object temporaries  # weak set of Versions that were made only for others
    cdef object inputs  # weak: by the address of unmanaged bytes, the Version that was captured there

    cdef long long names  # how many have been given out
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
