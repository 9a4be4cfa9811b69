# Item access.

from cowarray._array.array cimport Array
from cowarray._ops.operands cimport leaves_lane


cdef object shown_key(object key)
cdef bint is_settled(object key) noexcept
cdef object settled(object key, bint flat=*)
cdef object hand_get_item(Array self, object key)
cdef Array basic_view(Array self, object key)
cdef object item_by_numpy(Array self, object key)


cdef inline object get_item(Array self, object key):
    cdef Array view = None
    if leaves_lane(self):
        return hand_get_item(self, key)
    if self.nd > 1 or type(key) is not int:
        view = basic_view(self, key)
    return view if view is not None else item_by_numpy(self, key)


cdef object shown_value(Array self, object value)
cdef int set_item(Array self, object key, object value) except -1
