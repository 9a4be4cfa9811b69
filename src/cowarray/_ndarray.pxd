# The array: a Storage, a byte offset, a shape, strides, a dtype.

cimport numpy as cnp

from cowarray._native.storage cimport Storage


cdef enum:
    INLINE_DIMS = 4


# How an array came to be: what `explain` tells.
cdef enum Made:
    MADE_FRESH
    MADE_VIEW
    MADE_LAZY
    MADE_EAGER_SMALL
    MADE_EAGER_OVERLAP
    MADE_EAGER_ORDER
    MADE_EAGER_PINNED
    MADE_EAGER_DTYPE
    MADE_IMPORT
    MADE_IMPORT_COPY


cdef class ndarray:
    # None as long as the array has only been computed: then the header is NumPy's result itself. See storage_for.
    cdef Storage storage_
    cdef cnp.npy_intp offset
    cdef int nd
    cdef bint writeable
    cdef Made made
    # shape, then strides, in bytes; points at `inline_dims` where they fit.
    cdef cnp.npy_intp *dims
    cdef cnp.npy_intp inline_dims[2 * INLINE_DIMS]
    cdef cnp.dtype descr
    # NumPy's read-only view of the bytes, made when first needed; fits while its data are where the Storage's are.
    cdef cnp.ndarray header
    # The chain of arrays of one Storage that keep a header; its head is Storage.readers. Borrowed.
    cdef void *next_reader
    cdef void *previous_reader
    cdef object __weakref__
