# Item access.

cimport numpy as cnp

from cowarray._array.array cimport Array, fits, is_array
from cowarray._c.atomics cimport relaxed
from cowarray._c.numpy cimport NPY_HALF, number_at
from cowarray._native.storage cimport Access
from cowarray._ops.operands cimport births_watched, is_handed_with, leaves_lane
from cowarray._ops.picking cimport Place


cdef bint find_place(Array x, object key, Place *place) except -1
cdef bint is_same_place(const Place *a, const Place *b) noexcept
cdef bint is_basic(object key) noexcept
cdef object shown_key(object key)
cdef bint is_settled(object key) noexcept
cdef object settled(object key, bint flat=*)
cdef object hand_get_item(Array self, object key)
cdef Array basic_view(Array self, object key)
# Make the box of an access to all of x that of the elements which an index picks. where: it as NumPy is to see it.
cdef int narrow(Access *access, cnp.npy_intp *box, Array x, object key, object where) except -1
cdef object item_by_numpy(Array self, object key)
cdef object python_number(Array self, tuple key)
cdef bint elements_alias(Array x) except -1
cdef object elements_at(Array self, Array key)
cdef object item_at(Array self, Py_ssize_t index)

cdef inline bint is_number(cnp.dtype descr) noexcept:
    return 0 <= descr.type_num < cnp.NPY_OBJECT or descr.type_num == NPY_HALF


cdef inline char *numbers_of(Array x) noexcept:
    """Where x's first element is, if all are numbers, and a header that it keeps is on its Storage's present bytes."""
    if relaxed(&births_watched) != 0 or x.header is None or not is_number(x.descr) or not fits(x, x.header):
        return NULL
    return cnp.PyArray_BYTES(x.header)


cdef inline object number_of(Array x, char *place):
    """The element of x there, `numbers_of` having said where the first one is."""
    return number_at(place, <void *>x.descr, <void *>x.header)


cdef inline object get_item(Array self, object key):
    cdef Array view = None
    if leaves_lane(self) or (is_array(key) and is_handed_with(key, None)):
        return hand_get_item(self, key)
    if is_array(key) and (<Array>key).nd:
        return elements_at(self, <Array>key)
    if self.nd > 1 or type(key) is not int:
        view = basic_view(self, key)
        if view is None and is_handed_with(key, None):
            return hand_get_item(self, key)
    return view if view is not None else item_by_numpy(self, key)


cdef object shown_value(Array self, object value)
cdef int hand_set_item(Array self, object key, object value) except -1
cdef int put_item(Array self, object key, object value) except -1


cdef inline int set_item(Array self, object key, object value) except -1:
    if leaves_lane(self) or ((type(key) is not int or is_array(value)) and is_handed_with(key, value)):
        return hand_set_item(self, key, value)
    return put_item(self, key, value)
