# What the facade may ask of the core: Storages, and the scopes to their bytes.

from cpython.object cimport PyObject

from cowarray._c.core cimport (
    cow_const_scope,
    cow_mutable_scope,
    cow_overwrite_scope,
    cow_storage,
)


# Up to here a copy costs less than handing the GIL over and back.
cdef enum:
    SMALL_COPY = 65536


cdef class Hold:
    cdef cow_const_scope scope


cdef class Storage:
    cdef cow_storage *handle
    # What keeps the bytes at `window` alive: a Hold, or NumPy's array that owns them. None until somebody reads, and
    # always without KEEPS_HEADERS.
    cdef object hold
    cdef char *window
    # NumPy's array that owns the bytes, borrowed, where it serves or served as `hold`: who reads with it has no scope.
    cdef PyObject *unscoped
    # The bytes hold references to objects: they are never shared, because memcpy does not copy references.
    cdef bint has_references
    # Arrays of this Storage that keep a header on `window`; a chain through the facade's objects, which are borrowed.
    cdef void *readers
    cdef object __weakref__

    cdef char *address(self) noexcept
    cdef size_t size(self) noexcept
    cdef size_t allocated(self) noexcept
    cdef size_t write_cost(self) noexcept
    cdef size_t shares(self) noexcept
    cdef bint pinned(self) noexcept
    cdef bint foreign(self) noexcept
    cdef Hold new_hold(self)
    cdef object held(self, char **window)
    cdef Storage share(self, size_t offset, size_t nbytes, bint quiet=*)


cdef class Pin:
    cdef cow_mutable_scope scope
    cdef readonly Storage storage
    cdef bint open


cdef class Overwrite:
    cdef cow_overwrite_scope scope
    cdef cow_mutable_scope pinned
    cdef readonly Storage storage
    cdef int state

    cdef bint in_place(self) noexcept
    cdef bint commit(self) except -1


# Called, with the GIL, when a Storage's bytes have moved: lets go of headers on the old ones.
ctypedef void (*moved_function)(Storage storage) noexcept
cdef void set_moved(moved_function function) noexcept

cdef void refresh(Storage storage) noexcept
cdef Storage storage_new(size_t nbytes)
cdef Storage storage_adopt(object owner, void *data, size_t nbytes, bint foreign)
cdef Pin pin_storage(Storage storage)
# The scope of a short write that runs no foreign code: end it with end_write.
cdef int begin_write(Storage storage, cow_mutable_scope *scope) except -1
cdef void end_write(cow_mutable_scope *scope) noexcept
cdef Overwrite overwrite_storage(Storage storage)
cdef void count_eager(size_t nbytes) noexcept
