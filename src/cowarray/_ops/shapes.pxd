# Shapes.

cimport numpy as cnp
from cpython.object cimport PyObject

from cowarray._array.array cimport Array
from cowarray._native.storage cimport Storage


cdef object settled_lengths(object shape)
cdef bint must_look(Array self, cnp.ndarray header, Storage storage, int *looks) except -1
cdef int rebind(Array self, Array other) except -1
cdef object hand_flatten(Array x, object order)
cdef Array quick_ravel(Array self)
cdef object hand_reshape(Array x, tuple shape, object order, object copy)
cdef Array reshaped(Array x, tuple shape, object order, object copy)
cdef Array quick_reshape(Array self, PyObject *const *shape, Py_ssize_t nd)
