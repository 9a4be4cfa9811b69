# What the facade may ask of the core: Storages, and the scopes to their bytes.

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


# Up to here a copy costs less than handing the GIL over and back.
cdef enum:
    SMALL_COPY = 65536

# From here on a write may cost pages instead of the whole window, so it says what it touches.
cdef enum:
    PAGED = 4194304


# ---- the door: every call for bytes says what it is for. doors.md, beside this file, has the rules.

cdef enum Intent:
    LOCATES     # asks where elements lie, and touches none of them
    SHARES      # takes a share for a lazy copy, and touches no byte now
    READS
    WRITES      # changes some of the bytes, or gives them values that depend on the old ones
    OVERWRITES  # gives every byte of the box a value that does not depend on the old one

# On whose behalf.
cdef enum Behalf:
    OPERATION  # one of NumPy's, on the road or a lane
    EXPORT     # whoever holds a snapshot, a buffer or a writable alias
    CTYPES
    DLPACK
    C_API
    FOREIGN    # a ufunc that is not NumPy's own

# Who comes, and which elements will be touched: the box, or no more pages of it than so many elements touch, wherever
# they lie. ndim < 0: anything in the window.
cdef struct Access:
    Intent intent
    Behalf behalf
    int ndim
    Py_ssize_t offset
    Py_ssize_t itemsize
    const Py_ssize_t *dims  # the shape, then the strides in bytes
    size_t most
    PyObject *shadow  # of the array that comes, borrowed: see Array.shadow


cdef class Hold:
    cdef cow_const_scope scope


cdef class Storage
ctypedef int (*door_function)(object keeper, Storage storage, const Access *access) except -1
ctypedef int (*shared_function)(object keeper, Storage storage, Storage made, const Access *access) except -1


# A doorkeeper that is asked in C, and gets the access as it is.
cdef class Keeper:
    cdef door_function door
    # Told of the Storage of a new lazy copy, before anybody else has it; NULL for most. It shares bytes that may be
    # absent, and has no doorkeeper yet. What is raised undoes the copy.
    cdef shared_function shared


cdef class Storage:
    cdef cow_storage *handle
    # What keeps the bytes at `window` alive: a Hold, or NumPy's array that owns them. None until somebody reads, and
    # always without KEEPS_HEADERS.
    cdef object hold
    cdef char *window
    # NumPy's array that owns the bytes, borrowed, where it serves or served as `hold`: its readers have no scope.
    cdef PyObject *unscoped
    # The bytes hold references to objects, which memcpy does not copy; or others write to them whenever they like.
    cdef bint never_shared
    # There are no bytes, and never will be. Its doorkeeper is a Keeper, which those that share with it have, too.
    cdef bint is_fake
    # There are no bytes yet: its doorkeeper, a Keeper, brings them.
    cdef bint is_deferred
    # Made as a lazy copy, and not yet written while a mode was in use.
    cdef bint is_copy
    # Arrays of this Storage that keep a header on `window`; a chain through the facade's objects, which are borrowed.
    cdef void *readers
    # On which are the frozen bases that writes here make, borrowed from the doorkeeper; NULL for most.
    cdef cow_account *account
    # Calls that are in the core without the GIL, or that ask a mode, and writers of fresh bytes: until they have left,
    # `handle` stays what it was, or its successor keeps it in `former`.
    cdef int inside
    cdef Storage former
    # Who is asked at the door, owned; NULL for most. A Storage that has one keeps no hold, and its arrays no header, so
    # that each access comes through the door.
    cdef PyObject *doorkeeper
    # An Unread, owned: this lazy copy was written, and nobody has come to read. NULL for most. A Storage that has one
    # keeps no hold and no header, so that whoever reads comes through the door, and takes it away.
    cdef void *unread
    cdef object __weakref__


# A write that nobody has read: the modes keep it, too.
cdef class Unread:
    cdef public object event
    cdef int lost


cdef inline bint is_unread(Storage storage) noexcept:
    """Whether reads must come through the door, since a mode waits for the first."""
    return glance(&storage.unread) != NULL


# Somebody has what was written, or may have it from here on.
cdef void have_read(Storage storage) noexcept

cdef bint is_at(Storage storage, const char *window) noexcept
# False where the bytes are absent, and nobody knows where they will be.
cdef bint is_aligned(Storage storage, size_t offset, size_t alignment) noexcept
cdef size_t window_size(Storage storage) noexcept
# Whether the bytes are by the page, alone or with others.
cdef bint is_by_page(Storage storage) noexcept
cdef size_t allocated_size(Storage storage) noexcept
cdef size_t write_cost(Storage storage) noexcept
# 1: a write of one element would cost pages of it, and not all of it; 2: and before that, once, a base of all of it.
cdef int writes_by_page(Storage storage) noexcept
# Bytes of memory that a write to so many pages would take, about; and those that the Storage has for itself.
cdef size_t write_takes(Storage storage, size_t pages) noexcept
cdef size_t bytes_held(Storage storage) noexcept
# How many pages an access touches at most.
cdef size_t pages_touched(Storage storage, const Access *access) noexcept
cdef size_t count_shares(Storage storage) noexcept
cdef bint is_pinned(Storage storage) noexcept
cdef bint is_foreign(Storage storage) noexcept
cdef Hold new_hold(Storage storage, const Access *access)
# For doorkeepers: a const scope, about which nobody is asked, not even where the bytes are absent: RuntimeError.
cdef Hold quiet_hold(Storage storage)
cdef object held(Storage storage, const Access *access, char **window)
cdef Storage share(Storage storage, const Access *access, size_t offset, size_t nbytes, bint quiet=*)
cdef char *own_bytes(Storage storage) noexcept
# For owners outside Python: the Storage of the core, which is the caller's from here on. It is dropped without the GIL.
cdef void *detach(Storage storage) noexcept
cdef void drop_detached(void *handle) noexcept nogil


cdef class Pin:
    cdef cow_mutable_scope scope
    cdef readonly Storage storage
    cdef bint open


cdef class Overwrite:
    cdef cow_overwrite_scope scope
    cdef cow_mutable_scope pinned
    cdef readonly Storage storage
    cdef int state
    cdef bint entered

    cdef void stay(self) noexcept
    cdef bint in_place(self) noexcept
    cdef bint commit(self) except -1


# Called, with the GIL, when a Storage's bytes have moved: lets go of headers on the old ones.
ctypedef void (*moved_function)(Storage storage) noexcept
cdef void set_moved(moved_function function) noexcept

cdef void refresh(Storage storage) noexcept
# Fresh bytes, at `bytes`: nobody else knows of them.
cdef Storage storage_new(size_t nbytes, char **bytes)
cdef Storage storage_adopt(object owner, void *data, size_t nbytes, bint foreign)
# Over bytes of a file, which is not written to: the Storage has pages of its own where it is.
cdef Storage storage_of_file(int descriptor, size_t offset, size_t nbytes)
cdef Pin pin_storage(Storage storage, const Access *access)
# A Storage without bytes.
cdef Storage fake_storage(size_t nbytes, Keeper keeper)
cdef int become_fake(Storage storage, Keeper keeper) except -1
# Of a Storage whose bytes come later: another doorkeeper; then the bytes, those of another Storage.
cdef void change_keeper(Storage storage, Keeper keeper) noexcept
cdef void take_bytes(Storage storage, Storage made) noexcept
# The share of bytes of `made`, which nobody else has, and which is good for nothing then.
cdef void exchange_bytes(Storage storage, Storage made) noexcept
# Another doorkeeper, or None. A gap.
cdef void put_doorkeeper(Storage storage, object keeper) noexcept
# Bytes that are away (doors.md): whether they are; and the allocation that the window lies in, NULL while it has none.
cdef bint is_absent(Storage storage) noexcept
cdef const void *allocation_of(Storage storage) noexcept
# Frees the bytes of all that share them, of whom `managed` have a Keeper who can bring them. The status of the core:
# COW_OK; COW_EBUSY, COW_EABSENT, COW_EINVAL (foreign) or COW_ENOMEM, and nothing has changed. A gap: their owner ends.
# A Storage that ends lets go of its doorkeeper before its share: who counts his own may count too few, never too many.
cdef int evict_bytes(Storage storage, size_t managed) noexcept
# Why it refuses, in words: "cannot evict: " and this.
cdef str who_holds(Storage storage, size_t managed)
# Moves the bytes of `made`, which nobody else has, into absent ones of that size, for all that share these. 1; 0: there
# were bytes already, and `made` keeps its own, as it does where an exception is raised. A gap, before it looks.
cdef int fill_bytes(Storage storage, Storage made) except -1
# Accounts of what takes no bytes: the core's, for extensions that do not link it. NULL: memory has run out.
cdef cow_account *new_account(cow_account *above) noexcept
cdef void hush_account(cow_account *account) noexcept
cdef void drop_account(cow_account *account) noexcept
cdef cow_account *use_account(cow_account *account) noexcept
cdef void read_account(const cow_account *account, cow_account_figures *out) noexcept
# The addresses of what takes no bytes.
cdef void read_region(void **start, size_t *nbytes) noexcept
# Count a copy of bytes that are not there, which has been made at once.
cdef void count_fake_copy(size_t nbytes) noexcept
# Asks the doorkeeper of a Storage that has one, for bytes that are reached through a scope that is open already.
cdef int knock(Storage storage, const Access *access) except -1
# The scope of a short write that runs no foreign code: end it with end_write.
cdef int begin_write(Storage storage, const Access *access, cow_mutable_scope *scope) except -1
cdef void end_write(cow_mutable_scope *scope) noexcept
cdef Overwrite overwrite_storage(Storage storage, const Access *access)

# How many contexts use a mode, so that what happens everywhere asks nobody. To ask or to tell the modes runs Python
# code: it is a gap, like asking a doorkeeper.
cdef int mode_users


cdef inline bint modes_in_use() noexcept nogil:
    return relaxed(&mode_users) != 0


# Before a copy is made at once, and after. A gap, where a mode is in use.
cdef int allow_eager(size_t nbytes, str reason) except -1
cdef int tell_eager(size_t nbytes, str reason) except -1
# Without a mode in use, `tell_eager` is no more than this.
cdef void count_eager(size_t nbytes) noexcept
cdef void read_figures(cow_stats *out) noexcept
cdef void reset_figures() noexcept
cdef size_t keep_in_heap(size_t nbytes) noexcept
cdef cow_paging_policy use_paging(cow_paging_policy policy) noexcept
cdef cow_paging_policy paging_now() noexcept
cdef void read_paging(cow_paging_figures *out) noexcept
# The heap as malloc, for extensions that do not link the core.
cdef void *heap_malloc(size_t nbytes) noexcept nogil
cdef void *heap_calloc(size_t count, size_t nbytes) noexcept nogil
cdef void *heap_realloc(void *data, size_t nbytes) noexcept nogil
cdef void heap_free(void *data) noexcept nogil
