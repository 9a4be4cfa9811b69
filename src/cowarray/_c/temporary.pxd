# Whether only the interpreter refers to an object.

from cpython.object cimport PyTypeObject


cdef extern from "temporary.h":
    bint is_temporary "cowi_is_temporary" (object value, object kind, int operator_code) noexcept
