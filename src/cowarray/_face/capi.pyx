# cython: freethreading_compatible=True
"""The functions behind include/cowarray/python.h, handed out in a capsule."""

import numpy as np

cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_New
from cpython.ref cimport Py_INCREF

from cowarray._array.array cimport (
    access_anywhere,
    Array,
    BORN_FRESH,
    BORN_IMPORT,
    header_for,
    is_array,
    is_plain,
    on_storage,
    writable_header,
)
from cowarray._array.copies cimport copy_in_order
from cowarray._array.layout cimport c_strides, distinct, extent, extent_fits, MAXDIMS, nbytes_fit
from cowarray._c.api cimport CowArray_API, COWARRAY_API_VERSION, CowArray_View
from cowarray._c.numpy cimport PyDataType_ELSIZE
from cowarray._c.python cimport end_view, own
from cowarray._native.storage cimport Access, C_API, Storage, storage_adopt, WRITES
from cowarray._ops.conversion cimport hand_copy
from cowarray._ops.operands cimport leaves_lane

cnp.import_array()

cdef object numpy_dtype = np.dtype


cdef int capi_check(object x) noexcept:
    return is_array(x)


cdef Array capi_array(object x):
    if not is_array(x):
        raise TypeError(f"cowarray C API: expected a cowarray.ndarray (got {type(x)!r})")
    return x


cdef void capi_fill(Array x, cnp.ndarray header, CowArray_View *view) noexcept:
    view.data = cnp.PyArray_BYTES(header)
    view.ndim = cnp.PyArray_NDIM(header)
    view.shape = cnp.PyArray_DIMS(header)
    view.strides = cnp.PyArray_STRIDES(header)
    view.itemsize = cnp.PyArray_ITEMSIZE(header)
    view.kind = x.descr.kind
    view.byteorder = x.descr.byteorder
    view.readonly = not x.writeable
    Py_INCREF(header)
    view.owner = <void *>header


cdef int capi_const_begin(object x, CowArray_View *view) except -1:
    """Begin to read. The header is the scope: it holds the reference."""
    cdef Array array = capi_array(x)
    capi_fill(array, header_for(array, C_API), view)
    if array.storage_ is not None:
        array.storage_.is_copy = False  # reads by this pointer cannot be seen, so no write counts as unread
    return 0


cdef int capi_mutable_begin(object x, CowArray_View *view) except -1:
    """Begin to write. The header is the scope: its base is the pin."""
    cdef Access access
    cdef Array array = capi_array(x)
    if not array.writeable:
        raise ValueError("assignment destination is read-only")
    access = access_anywhere(WRITES, C_API)
    access.shadow = array.shadow
    capi_fill(array, writable_header(array, &access), view)
    return 0


cdef void capi_end(CowArray_View *view) noexcept:
    cdef void *owner = view.owner
    view.owner = NULL
    end_view(owner)


cdef PyObject *capi_lazy_clone(object x) except NULL:
    cdef Array array = capi_array(x)
    return own(hand_copy(array, "K") if leaves_lane(array) else copy_in_order(array, c"K"))


cdef PyObject *capi_import_memory(object owner, void *data, int ndim, const cnp.npy_intp *shape,
                                  const cnp.npy_intp *strides, object dtype, int fresh) except NULL:
    """Make an array on bytes that owner keeps alive. fresh: nothing else refers to them, and they may be written."""
    cdef cnp.npy_intp own_strides[MAXDIMS]
    cdef cnp.npy_intp low = 0, high = 0
    cdef bint writeable
    cdef cnp.dtype descr = numpy_dtype(dtype)
    cdef int i
    cdef Storage storage
    if not is_plain(descr):
        raise ValueError(f"CowArray_FromMemory: elements of dtype {descr!r} are not plain bytes")
    if ndim < 0 or ndim > MAXDIMS or data == NULL:
        raise ValueError(f"CowArray_FromMemory: needs data that is not NULL, and 0 to {MAXDIMS} axes (got {ndim})")
    for i in range(ndim):
        if shape[i] < 0:
            raise ValueError(f"CowArray_FromMemory: axis lengths must not be negative (got {shape[i]})")
    if not nbytes_fit(ndim, shape, PyDataType_ELSIZE(descr)):
        raise ValueError("CowArray_FromMemory: the array is too big: its size in bytes overflows")
    if strides == NULL:
        c_strides(ndim, shape, PyDataType_ELSIZE(descr), own_strides)
        strides = own_strides
    if not extent_fits(ndim, shape, PyDataType_ELSIZE(descr), strides):
        raise ValueError("CowArray_FromMemory: the array is too big: the extent of its strides in bytes overflows")
    extent(ndim, shape, PyDataType_ELSIZE(descr), strides, &low, &high)
    if <size_t>-low >= <size_t>data:
        raise ValueError("CowArray_FromMemory: the strides lead to addresses before the start of memory")
    storage = storage_adopt(owner, <char *>data + low, high - low, not fresh)
    if fresh:
        # The owner is not a Hold, which headers need.
        storage.hold = None
        storage.window = NULL
        storage.unscoped = NULL
    writeable = distinct(ndim, shape, PyDataType_ELSIZE(descr), strides)
    return own(on_storage(storage, -low, ndim, shape, strides, descr, writeable, BORN_FRESH if fresh else BORN_IMPORT))


cdef CowArray_API capi
capi.version = COWARRAY_API_VERSION
capi.check = capi_check
capi.const_begin = capi_const_begin
capi.mutable_begin = capi_mutable_begin
capi.end = capi_end
capi.lazy_clone = capi_lazy_clone
capi.import_memory = capi_import_memory

_C_API = PyCapsule_New(<void *>&capi, b"cowarray._C_API", NULL)
