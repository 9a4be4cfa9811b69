# Assigning items.

from cowarray._array.array cimport Array, is_array
from cowarray._ops.operands cimport is_handed_with, leaves_lane


cdef object shown_value(Array self, object value)
cdef int hand_set_item(Array self, object key, object value) except -1
cdef int put_item(Array self, object key, object value) except -1


cdef inline int set_item(Array self, object key, object value) except -1:
    if leaves_lane(self) or ((type(key) is not int or is_array(value)) and is_handed_with(key, value)):
        return hand_set_item(self, key, value)
    return put_item(self, key, value)
