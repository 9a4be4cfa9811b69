# Copies in meaning.

cimport numpy as cnp

from cowarray._array.array cimport Array, Birth
from cowarray._c.atomics cimport relaxed
from cowarray._native.storage cimport allocated_size, Storage


cdef inline bint is_worth_sharing(Storage storage, size_t nbytes) noexcept:
    """True if an array of nbytes may keep the allocation alive: it is at least half of it.

    Otherwise the array could retain, and the next write copy, more than a small constant times its size.
    """
    return 2 * nbytes >= allocated_size(storage)


cdef Array copy_with(Array source, const cnp.npy_intp *strides, bint writeable=*)
cdef Array lazy_copy(Array source, Birth *reason)
cdef Storage lazy_storage(Array source, cnp.npy_intp *offset, Birth *reason)
cdef Storage lazy_block(Array source, cnp.npy_intp nbytes, Birth *reason)
cdef Array copy_in_order(Array source, char order)
cdef void order_strides(Array source, char order, cnp.npy_intp *strides) noexcept
cdef Array copy_as_laid(Array source)
cdef char order_code(object order) except -1

# How many contexts make copies in meaning aliases wherever NumPy does (`cowarray.aliasing`, `cowarray.simulate`); those
# of `simulate` also watch them.
cdef int alias_users
ctypedef bint (*alias_question)() except -1
cdef void set_alias_question(alias_question question) noexcept


cdef inline bint may_alias() noexcept:
    """True if some context may make a copy in meaning an alias."""
    return relaxed(&alias_users) != 0


cdef Array copy_of_alias(Array view, str operation, Array same=*)
cdef bint exports_alias() except -1
cdef bint is_numpys_class() except -1
cdef bint wants_copy() except -1
cdef bint takes_pointer() except -1
cdef bint watches_here() except -1
cdef int tell_exported(Array x, bint for_reading) except -1

# Before and after every eager copy: ask the modes, then tell them.
cdef int may_copy(cnp.npy_intp nbytes, Birth reason) except -1
cdef int have_copied(cnp.npy_intp nbytes, Birth reason) except -1
