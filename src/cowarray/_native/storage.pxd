# The core's interface for the other packages: Storages, and scopes on their bytes.

from cpython.object cimport PyObject

from cowarray._c.atomics cimport glance, relaxed
from cowarray._c.core cimport (
    cow_account,
    cow_account_figures,
    cow_const_scope,
    cow_mutable_scope,
    cow_overwrite_scope,
    cow_paging_figures,
    cow_paging_policy,
    cow_stats,
    cow_storage,
)


# Up to this size, a copy costs less than releasing and retaking the GIL.
cdef enum:
    SMALL_COPY = 65536

# From this size on, a write may cost pages instead of the whole window, so it describes what it touches.
cdef enum:
    PAGED = 4194304


# ---- the door: every access states its purpose. doors.md, beside this file, has the rules.

cdef enum Intent:
    LOCATES     # needs elements' addresses, but touches no element
    SHARES      # takes a share for a lazy copy, but touches no byte now
    READS
    WRITES      # changes some of the bytes, or gives them values that depend on the old ones
    OVERWRITES  # gives every byte of the box a value that does not depend on the old one

# On whose behalf an access is made.
cdef enum Behalf:
    OPERATION  # one of NumPy's, on the road or a lane
    EXPORT     # the holder of a snapshot, a buffer or a writable alias
    CTYPES
    DLPACK
    C_API
    FOREIGN    # a ufunc that is not NumPy's own

# One access: to the elements of a box; ndim < 0: to anything in the window. Within the box it touches no more pages
# than `most` elements can.
cdef struct Access:
    Intent intent
    Behalf behalf
    int ndim
    Py_ssize_t offset
    Py_ssize_t itemsize
    const Py_ssize_t *dims  # the shape, then the strides in bytes
    size_t most
    PyObject *shadow  # the accessing array's, borrowed: see Array.shadow


cdef class Hold:
    cdef cow_const_scope scope


cdef class Storage
ctypedef int (*door_function)(object keeper, Storage storage, const Access *access) except -1
ctypedef int (*shared_function)(object keeper, Storage storage, Storage made, const Access *access) except -1


# A doorkeeper written in C, which receives the Access itself.
cdef class Keeper:
    cdef door_function door
    # Called with the Storage of each new lazy copy, before any other code sees it; NULL for most. That Storage may
    # share absent bytes, and has no doorkeeper yet. An exception undoes the copy.
    cdef shared_function shared


cdef class Storage:
    cdef cow_storage *handle
    # Keeps the bytes at `window` alive: a Hold, or the NumPy array that owns them. None until the first read; always
    # None without KEEPS_HEADERS.
    cdef object hold
    cdef char *window
    # The NumPy array that owns the bytes, borrowed, if it serves or served as `hold`: its readers have no scope.
    cdef PyObject *unscoped
    # The bytes contain references to objects, which memcpy cannot copy; or outside code may write to them at any time.
    cdef bint never_shared
    # The Storage has no bytes and never will. All sharers have the same doorkeeper, a Keeper.
    cdef bint is_fake
    # The Storage has no bytes yet: the doorkeeper, a Keeper, brings them.
    cdef bint is_deferred
    # Made as a lazy copy, and not yet written to while a mode was in use.
    cdef bint is_copy
    # The head of a chain of arrays of this Storage that keep a header on `window`; all are borrowed.
    cdef void *readers
    # The account charged with the frozen bases that writes here make, borrowed from the doorkeeper; NULL for most.
    cdef cow_account *account
    # How many calls are in the core without the GIL, are asking a mode, or are writing fresh bytes. Until they have
    # left, `handle` stays the same, or `former` keeps the old one alive.
    cdef int inside
    # 1 if a pin lasts as long as the Storage, otherwise 0; atomic.
    cdef int pinned_for_good
    cdef Storage former
    # Asked at each access, owned; NULL for most. A Storage with a doorkeeper keeps no hold, and its arrays keep no
    # header, so every access comes through the door.
    cdef PyObject *doorkeeper
    # An Unread, owned: this lazy copy was written to and has not been read since. NULL for most. Such a Storage keeps
    # no hold and no header, so the next reader comes through the door and takes it away.
    cdef void *unread
    cdef object __weakref__


# A write that has not been read. A trace keeps it among its events.
cdef class Unread:
    cdef public object event
    cdef int lost


cdef inline bint is_unread(Storage storage) noexcept:
    """Whether reads must come through the door because a mode waits for the first one."""
    return glance(&storage.unread) != NULL


# Notes that the last write has been read, or may be from here on.
cdef void have_read(Storage storage) noexcept

cdef bint is_at(Storage storage, const char *window) noexcept
# False if the bytes are absent: their address is not known yet.
cdef bint is_aligned(Storage storage, size_t offset, size_t alignment) noexcept
cdef size_t window_size(Storage storage) noexcept
# Whether the bytes are paged, shared or not.
cdef bint is_by_page(Storage storage) noexcept
cdef size_t allocated_size(Storage storage) noexcept
cdef size_t write_cost(Storage storage) noexcept
# 1: a write to one element would cost pages, not the whole window; 2: the same, after one copy of the window to a base.
cdef int writes_by_page(Storage storage) noexcept
# About how much memory a write to that many pages would take; and how much the Storage has to itself.
cdef size_t write_takes(Storage storage, size_t pages) noexcept
cdef size_t bytes_held(Storage storage) noexcept
# The most pages that an access can touch.
cdef size_t pages_touched(Storage storage, const Access *access) noexcept
cdef size_t count_shares(Storage storage) noexcept
cdef bint is_pinned(Storage storage) noexcept
cdef bint is_foreign(Storage storage) noexcept
cdef Hold new_hold(Storage storage, const Access *access)
# A const scope for doorkeepers: asks nobody; RuntimeError if the bytes are absent.
cdef Hold quiet_hold(Storage storage)
cdef object held(Storage storage, const Access *access, char **window)
cdef Storage share(Storage storage, const Access *access, size_t offset, size_t nbytes, bint quiet=*, bint read=*)
cdef char *own_bytes(Storage storage) noexcept
# Give the core's Storage to an owner outside Python, which can drop it without the GIL.
cdef void *detach(Storage storage) noexcept
cdef void drop_detached(void *handle) noexcept nogil


cdef class Pin:
    cdef cow_mutable_scope scope
    cdef readonly Storage storage
    cdef bint open

    cdef void stay(self) noexcept


cdef class Overwrite:
    cdef cow_overwrite_scope scope
    cdef cow_mutable_scope pinned
    cdef readonly Storage storage
    cdef int state
    cdef bint entered

    cdef void stay(self) noexcept
    cdef bint in_place(self) noexcept
    cdef bint commit(self) except -1


# Called with the GIL when a Storage's bytes have moved: drops headers on the old ones.
ctypedef void (*moved_function)(Storage storage) noexcept
cdef void set_moved(moved_function function) noexcept

cdef void refresh(Storage storage) noexcept
# A Storage on fresh bytes, which start at `bytes`.
cdef Storage storage_new(size_t nbytes, char **bytes)
cdef Storage storage_adopt(object owner, void *data, size_t nbytes, bint foreign)
# A Storage on bytes of a file, which no write reaches: written pages become private. owner, if not None, lives as long
# as any page of the file may be read.
cdef Storage storage_of_file(int descriptor, size_t offset, size_t nbytes, object owner=*)
cdef Pin pin_storage(Storage storage, const Access *access)
# A Storage without bytes, now and later.
cdef Storage fake_storage(size_t nbytes, Keeper keeper)
cdef int become_fake(Storage storage, Keeper keeper) except -1
# Change the doorkeeper of a Storage whose bytes come later; then give it bytes, those of another Storage.
cdef void change_keeper(Storage storage, Keeper keeper) noexcept
cdef void take_bytes(Storage storage, Storage made) noexcept
# Take over the share of `made`, which nobody else uses and which is consumed.
cdef void exchange_bytes(Storage storage, Storage made) noexcept
# Set the doorkeeper, or None. A gap.
cdef void put_doorkeeper(Storage storage, object keeper) noexcept
# Whether the bytes are away (doors.md); and the allocation that the window lies in, NULL while they are away.
cdef bint is_absent(Storage storage) noexcept
cdef const void *allocation_of(Storage storage) noexcept
# Free the bytes of all sharers, `managed` of which have a Keeper that can bring them back. Returns the core's status:
# COW_OK; or COW_EBUSY, COW_EABSENT, COW_EINVAL (foreign) or COW_ENOMEM, having changed nothing. A gap: the owner ends.
# A Storage that ends drops its doorkeeper before its share, so a Keeper may count too few sharers, never too many.
cdef int evict_bytes(Storage storage, size_t managed) noexcept
# Why `evict_bytes` refuses, to follow "cannot evict: ".
cdef str who_holds(Storage storage, size_t managed)
# Move the bytes of `made`, which nobody else uses, to all sharers of absent bytes of that size. Returns 1; or 0 if the
# bytes were present already. Then, and after an exception, `made` keeps its own. A gap, at first.
cdef int fill_bytes(Storage storage, Storage made) except -1
# The core's accounts of memory, for extensions that do not link it. NULL: memory has run out.
cdef cow_account *new_account(cow_account *above) noexcept
cdef void hush_account(cow_account *account) noexcept
cdef void drop_account(cow_account *account) noexcept
cdef cow_account *use_account(cow_account *account) noexcept
cdef void read_account(const cow_account *account, cow_account_figures *out) noexcept
# The reserved addresses of allocations without bytes.
cdef void read_region(void **start, size_t *nbytes) noexcept
# Count an eager copy of a fake.
cdef void count_fake_copy(size_t nbytes) noexcept
# Ask the doorkeeper, if any, about an access through a scope that is already open.
cdef int knock(Storage storage, const Access *access) except -1
# Open the scope of a short write that runs no foreign code; end_write ends it.
cdef int begin_write(Storage storage, const Access *access, cow_mutable_scope *scope) except -1
cdef void end_write(cow_mutable_scope *scope) noexcept
cdef Overwrite overwrite_storage(Storage storage, const Access *access)

# How many contexts use a mode; at 0, modes are not asked. Asking or telling them runs Python code, and so is a gap,
# like asking a doorkeeper.
cdef int mode_users


cdef inline bint modes_in_use() noexcept nogil:
    return relaxed(&mode_users) != 0


# Ask before an eager copy, and tell after it. A gap, if a mode is in use.
cdef int allow_eager(size_t nbytes, str reason) except -1
cdef int tell_eager(size_t nbytes, str reason) except -1
# What `tell_eager` does while no mode is in use.
cdef void count_eager(size_t nbytes) noexcept
cdef void read_figures(cow_stats *out) noexcept
cdef void reset_figures() noexcept
cdef size_t keep_in_heap(size_t nbytes) noexcept
cdef cow_paging_policy use_paging(cow_paging_policy policy) noexcept
cdef cow_paging_policy paging_now() noexcept
cdef void read_paging(cow_paging_figures *out) noexcept
# The core's heap in malloc's form, for extensions that do not link it.
cdef void *heap_malloc(size_t nbytes) noexcept nogil
cdef void *heap_calloc(size_t count, size_t nbytes) noexcept nogil
cdef void *heap_realloc(void *data, size_t nbytes) noexcept nogil
cdef void heap_free(void *data) noexcept nogil
