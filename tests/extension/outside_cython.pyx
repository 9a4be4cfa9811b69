# cython: language_level=3, freethreading_compatible=True
"""Somebody else's extension in Cython; see outside.c."""

cdef extern from "cowarray/python.h":
    ctypedef struct CowArray_View:
        void *data
        int ndim
        Py_ssize_t *shape
        Py_ssize_t *strides

    int CowArray_Import() except -1
    int CowArray_ConstBegin(object, CowArray_View *) except -1
    int CowArray_MutableBegin(object, CowArray_View *) except -1
    void CowArray_End(CowArray_View *)
    object CowArray_LazyClone(object)

CowArray_Import()


def total(array):
    """The sum of an array of doubles with one axis."""
    cdef CowArray_View view
    cdef Py_ssize_t i
    cdef double result = 0
    CowArray_ConstBegin(array, &view)
    try:
        with nogil:
            for i in range(view.shape[0]):
                result += (<double *>(<char *>view.data + i * view.strides[0]))[0]
    finally:
        CowArray_End(&view)
    return result


def scaled(array, double factor):
    """A copy of an array of doubles with one axis, times factor."""
    cdef CowArray_View view
    cdef Py_ssize_t i
    copy = CowArray_LazyClone(array)
    CowArray_MutableBegin(copy, &view)
    try:
        for i in range(view.shape[0]):
            (<double *>(<char *>view.data + i * view.strides[0]))[0] *= factor
    finally:
        CowArray_End(&view)
    return copy
