# The C API for other extensions; include/cowarray/python.h documents each function.

cimport numpy as cnp
from cpython.object cimport PyObject


cdef extern from "cowarray/python.h":
    enum:
        COWARRAY_API_VERSION
        COWARRAY_API_NAME

    ctypedef struct CowArray_View:
        const void *data
        int ndim
        cnp.npy_intp *shape
        cnp.npy_intp *strides
        cnp.npy_intp itemsize
        char kind
        char byteorder
        int readonly
        void *owner

    ctypedef struct CowArray_API:
        int version
        int (*check)(object)
        int (*const_begin)(object, CowArray_View *) except -1
        int (*mutable_begin)(object, CowArray_View *) except -1
        void (*end)(CowArray_View *) noexcept
        PyObject *(*lazy_clone)(object) except NULL
        PyObject *(*import_memory)(object, void *, int, const cnp.npy_intp *, const cnp.npy_intp *, object,
                                   int) except NULL
