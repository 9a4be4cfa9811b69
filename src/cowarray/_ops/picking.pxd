# Which elements a write by indices, masks and the like touches.

cimport cython
cimport numpy as cnp

from cowarray._array.array cimport Array
from cowarray._array.layout cimport MAXDIMS
from cowarray._native.storage cimport Access


# Elements of an array's window, as a view would have them.
cdef struct Place:
    cnp.npy_intp offset
    int nd
    cnp.npy_intp shape[MAXDIMS]
    cnp.npy_intp strides[MAXDIMS]


# How an operation's argument picks elements.
cdef enum Way:
    AN_INDEX        # as in x[value] = ...
    A_FLAT_INDEX    # as in x.flat[value] = ...
    FLAT_PLACES     # each element of value is a place in x.flat, out of bounds or not
    FLAT_MASK       # the elements of x.flat where value.flat is true
    TRUE_ELEMENTS   # those of x where value, broadcast to x, is true
    ALONG_AN_AXIS   # each element of value is a place along an axis
    THE_DIAGONAL    # and, if value is true, its continuation below its end in a tall matrix


@cython.final
@cython.no_gc
cdef class Picked:
    cdef Way way
    cdef object value
    cdef object axis


cdef Picked new_picked(Way way, object value, object axis=*)
cdef void place_of(Array x, Place *place) noexcept
cdef void put_box(Access *access, const Place *place, cnp.npy_intp *box) noexcept
# True if two arrays have the same elements of the same Storage.
cdef bint same_elements(Array x, Array other) noexcept
# True if a write to x should say what it touches: x is large, and the write may cost pages.
cdef bint says_where(Array x) except -1
# Narrow an access to all of x to the picked elements, as far as that is cheap to know. box has room for it. A gap.
cdef int narrow_to(Access *access, cnp.npy_intp *box, Array x, Picked picked) except -1
