# An index, and the place that it picks.

cimport numpy as cnp

from cowarray._array.array cimport Array
from cowarray._c.python cimport PyLong_AsLongLongAndOverflow
from cowarray._native.storage cimport Access
from cowarray._ops.picking cimport Place


cdef object shown_key(object key)
cdef object key_beside(Array self, object key)
cdef bint picks_one(int nd, object key) noexcept
cdef bint is_settled(object key) noexcept
cdef object settled(object key, bint flat=*)
cdef bint is_basic(object key) noexcept
cdef bint find_place(Array x, object key, Place *place) except -1
cdef bint is_same_place(const Place *a, const Place *b) noexcept
# Narrow the box of an access to all of x to the elements that key picks. where: key as NumPy is to see it.
cdef int narrow(Access *access, cnp.npy_intp *box, Array x, object key, object where) except -1


cdef inline cnp.npy_intp small_index(object item, cnp.npy_intp length) noexcept:
    """Return the index counted from the front, or -1 if it is out of range."""
    cdef int overflow = 0
    cdef long long index = PyLong_AsLongLongAndOverflow(item, &overflow)
    if index < 0 and not overflow:
        index += length
    return index if not overflow and 0 <= index < length else -1
