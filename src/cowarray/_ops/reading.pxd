# Reading items.

cimport numpy as cnp

from cowarray._array.array cimport Array, fits, is_array
from cowarray._c.atomics cimport relaxed
from cowarray._c.numpy cimport NPY_HALF, number_at
from cowarray._ops.operands cimport births_watched, is_handed_with, leaves_lane


cdef object hand_get_item(Array self, object key)
cdef object basic_item(Array self, object key)
cdef object item_by_numpy(Array self, object key)
cdef object python_number(Array self, tuple key)
cdef cnp.npy_intp element_offset(Array x, object key) except -1
cdef bint elements_alias(Array x) except -1
cdef object elements_at(Array self, Array key)
cdef object item_at(Array self, Py_ssize_t index)


cdef inline bint is_number(cnp.dtype descr) noexcept:
    return 0 <= descr.type_num < cnp.NPY_OBJECT or descr.type_num == NPY_HALF


cdef inline char *numbers_of(Array x) noexcept:
    """Return where x's first element is, if all are numbers and its kept header fits its Storage; else NULL."""
    if relaxed(&births_watched) != 0 or x.header is None or not is_number(x.descr) or not fits(x, x.header):
        return NULL
    return cnp.PyArray_BYTES(x.header)


cdef inline object number_of(Array x, char *place):
    """Return the element of x at place, which was found from `numbers_of`."""
    return number_at(place, <void *>x.descr, <void *>x.header)


cdef inline object get_item(Array self, object key):
    cdef object found = None
    if leaves_lane(self) or (is_array(key) and is_handed_with(key, None)):
        return hand_get_item(self, key)
    if is_array(key) and (<Array>key).nd:
        return elements_at(self, <Array>key)
    if self.nd > 1 or type(key) is not int:
        found = basic_item(self, key)
        if found is None and is_handed_with(key, None):
            return hand_get_item(self, key)
    return found if found is not None else item_by_numpy(self, key)
