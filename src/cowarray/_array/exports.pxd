# What goes out.

cimport numpy as cnp

from cowarray._array.array cimport Array
from cowarray._native.storage cimport Behalf


cdef cnp.ndarray snapshot(Array x)
cdef bint fill_buffer(Array x, Py_buffer *view) except -1
cdef bint loses_as_buffer(cnp.dtype descr) except -1
cdef cnp.ndarray export(Array x, Behalf behalf)
cdef cnp.ndarray outgoing(Array x)
cdef object array_for_numpy(Array x, object dtype, object copy)
cdef dict interface_of(Array x)
cdef object held_values(Array x, cnp.dtype wanted, bint own, object na_value)
cdef object as_flag(object copy)
# Why copies for somebody outside are made.
cdef str ASKED_FOR
cdef cnp.ndarray copied_out(cnp.ndarray shown, cnp.NPY_ORDER order)
cdef object readable(Array self)
cdef object named(Array self)
cdef object printable(Array self)
cdef bint is_fake(Array x) noexcept
cdef bint is_absent(Array x) noexcept
cdef str outline(Array x)
