# Pools: bytes that leave memory and come back as a whole; and the choice of what to evict next.

from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

cdef enum State:
    PRESENT
    EVICTED
    SPILLED
    GONE  # nobody refers to it, but its children may need it to be remade


cdef enum Heuristic:
    DTR
    LOCAL
    LRU
    SIZE
    RANDOM


# Absent pools that neighbour each other, and their total cost: a set of a union-find.
cdef struct Component:
    Component *up  # NULL for a root
    double cost  # in a root: of all its pools
    Py_ssize_t refs  # nodes and components that point here
    Py_ssize_t rank
    uint64_t seen  # the last score that counted it


# What neighbours know of a pool: it may outlive the pool, and holds no Python reference.
cdef struct Vertex:
    PyObject *pool  # borrowed; NULL once the pool has died
    Component *component  # NULL while the bytes are present or in a file, and for good once it has handed down
    double cost  # of making it from its parents, with what these have handed down
    double inherited  # the part of `cost` that parents handed down
    bint has_handed_down  # its cost and its parents, to its children
    Py_ssize_t refs  # from its pool and its neighbours
    Vertex **parents
    Vertex **children
    Py_ssize_t n_parents
    Py_ssize_t n_children
    Py_ssize_t room_parents
    Py_ssize_t room_children


cdef class Pool:
    cdef Vertex *node
    cdef readonly size_t size  # bytes that leave and come back
    cdef readonly size_t nbytes  # of those, in memory for it alone while they are present
    cdef public double used
    cdef readonly int locks
    cdef State state
    cdef readonly bint constant
    cdef public int bias
    cdef readonly bint written  # to a file that still has these bytes
    cdef Py_ssize_t place  # its index among the candidates, or -1
    cdef uint64_t serial
    cdef uint64_t refused  # the last round in which it was refused
    cdef readonly Pools pools
    cdef public object owner


cdef class Pools:
    cdef readonly size_t budget
    cdef readonly size_t live
    cdef readonly size_t reserved
    cdef readonly size_t frozen
    cdef readonly size_t peak
    cdef readonly size_t small
    cdef public double now
    cdef public double write_rate
    cdef public double read_rate
    cdef readonly bint spilling
    cdef readonly bint sampling
    cdef Heuristic rule
    cdef PyObject **candidates
    cdef readonly Py_ssize_t n_candidates
    cdef Py_ssize_t room
    cdef Py_ssize_t members  # pools that were added and are alive: `candidates` has room for all
    cdef uint64_t serials
    cdef uint64_t round
    cdef uint64_t seen
    cdef uint64_t random
    cdef readonly bint by_file  # whether the last chosen pool should go to a file
    cdef readonly Py_ssize_t evictions
    cdef readonly Py_ssize_t spills
    cdef readonly Py_ssize_t remakes
    cdef readonly size_t spilled_bytes
    cdef readonly Py_ssize_t searches
    cdef readonly Py_ssize_t looked  # candidates examined, in all searches

    cpdef int add(self, Pool pool) except -1
    cpdef int link(self, Pool parent, Pool child) except -1
    cpdef int cut(self, Pool pool) except -1
    cpdef int add_cost(self, Pool pool, double cost) except -1
    cpdef int touch(self, Pool pool) except -1
    cpdef int reread(self, Pool pool) except -1
    cpdef int lock(self, Pool pool) except -1
    cpdef int unlock(self, Pool pool) except -1
    cpdef int evicted(self, Pool pool) except -1
    cpdef int spilled(self, Pool pool) except -1
    cpdef int remade(self, Pool pool) except -1
    cpdef int lost(self, Pool pool) except -1
    cpdef int gone(self, Pool pool) except -1
    cpdef int changed(self, Pool pool) except -1
    cpdef int resized(self, Pool pool, size_t nbytes) except -1
    cpdef int counts(self, Pool pool, size_t nbytes) except -1
    cpdef int freeze(self, size_t nbytes) except -1
    cpdef int reserve(self, size_t nbytes) except -1
    cpdef int unreserve(self, size_t nbytes) except -1
    cpdef bint fits(self, size_t need) except -1
    cpdef int new_round(self) except -1
    cpdef int refuse(self, Pool pool) except -1
    cpdef Pool choose(self)
    cpdef double cost_to_make(self, Pool pool) except? -1

    cdef double making(self, Pool pool) noexcept
    cdef double filing(self, Pool pool) noexcept
    cdef double score(self, Pool pool, bint *by_file) noexcept
    cdef PyObject *best_of(self, Py_ssize_t drawn) noexcept
    cdef uint64_t draw(self) noexcept
    cdef bint may_leave(self, Pool pool) noexcept
    cdef void enter(self, Pool pool) noexcept
    cdef void leave(self, Pool pool) noexcept
    cdef void count_up(self, size_t nbytes) noexcept


cdef Pool new_pool(size_t nbytes, double cost)
