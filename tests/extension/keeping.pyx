# cython: language_level=3
"""A doorkeeper in C, as the library's own modes have them, with Python functions for what it does."""

from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libc.string cimport memcpy

from cowarray._c.core cimport cow_allocator, COW_EABSENT, COW_EBUSY, COW_EINVAL, COW_OK
from cowarray._native.storage cimport (
    Access,
    allocation_of,
    evict_bytes,
    fill_bytes,
    is_absent,
    Keeper,
    put_doorkeeper,
    SHARES,
    Storage,
    who_holds,
)

STATUSES = {COW_OK: "ok", COW_EBUSY: "busy", COW_EABSENT: "absent", COW_EINVAL: "invalid"}


cdef class Bringer(Keeper):
    cdef object bring
    cdef object share
    cdef readonly list intents


cdef int asked(object keeper, Storage storage, const Access *access) except -1:
    cdef Bringer bringer = keeper
    bringer.intents.append(access.intent)
    if access.intent != SHARES and is_absent(storage):
        fill_bytes(storage, bringer.bring())
    return 0


cdef int told(object keeper, Storage storage, Storage made, const Access *access) except -1:
    (<Bringer>keeper).share(storage, made)
    return 0


def keep(Storage storage, bring, share=None):
    """Have a Storage's bytes brought by `bring()`, a Storage; `share(storage, made)` is told of lazy copies."""
    cdef Bringer bringer = Bringer.__new__(Bringer)
    bringer.bring = bring
    bringer.share = share
    bringer.intents = []
    bringer.door = asked
    if share is not None:
        bringer.shared = told
    put_doorkeeper(storage, bringer)
    return bringer


def evicted(Storage storage, size_t managed):
    return STATUSES[evict_bytes(storage, managed)]


def held_by(Storage storage, size_t managed):
    return who_holds(storage, managed)


def allocation(Storage storage):
    return <size_t>allocation_of(storage)


# ---- what happens while bytes are copied -----------------------------------------------------------------------------

cdef cow_allocator watched
cdef const cow_allocator *under = NULL
cdef object meanwhile = None


cdef void clone(void *self, void *data, const void *source, size_t nbytes) noexcept with gil:
    under.clone(under.self, data, source, nbytes)
    if meanwhile is not None:
        meanwhile()


def watch_clones(capsule, function):
    """An allocator like that of the capsule, which calls the function when it has copied."""
    global under, watched, meanwhile
    under = <const cow_allocator *>PyCapsule_GetPointer(capsule, "cowarray.allocator")
    memcpy(&watched, under, sizeof(cow_allocator))
    watched.clone = clone
    watched.paging = NULL
    meanwhile = function
    return PyCapsule_New(&watched, "cowarray.allocator", NULL)
