"""Copies of arrays from outside, kept for later computation, in the layout of the originals.

In another layout, a sum can differ in its last bits. So the whole range of bytes that contains the elements is copied,
lazily where allowed: then a strided part of an array costs nothing.
"""

import numpy as np

cimport numpy as cnp

from cowarray._array.array cimport (
    Array,
    Birth,
    descr_of,
    extent_of,
    header_at,
    itemsize_of,
    on_storage,
    shadowed_as,
    shape_of,
    size_of,
    still,
    storage_for,
    strides_of,
)
from cowarray._array.copies cimport copy_in_order, is_worth_sharing
from cowarray._array.imports cimport import_value
from cowarray._array.layout cimport extent, extent_fits
from cowarray._native.storage cimport is_pinned, Storage

from cowarray._modes.record.draws import NotRecorded

cnp.import_array()

cdef cnp.dtype BYTES = np.dtype("u1")
cdef cnp.npy_intp ONE = 1


cdef Part part_of(Array x) noexcept:
    """Return the range of bytes that contains an array's elements."""
    cdef Part part
    cdef cnp.npy_intp high
    extent(x.nd, shape_of(x), itemsize_of(x), strides_of(x), &part.low, &high)
    part.nbytes = high - part.low
    return part


cdef bint is_sparse(Array x, Part part) noexcept:
    """True if most of these bytes are not elements."""
    return part.nbytes // 2 > size_of(x) * itemsize_of(x)


cdef Part part_of_foreign(cnp.ndarray array) except *:
    """Return the range of bytes that contains a NumPy array's elements; raise NotRecorded if they are too sparse."""
    cdef Part part
    cdef cnp.npy_intp high
    if not extent_fits(cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_ITEMSIZE(array),
                       cnp.PyArray_STRIDES(array)):
        raise NotRecorded
    extent_of(array, &part.low, &high)
    part.nbytes = high - part.low
    if part.nbytes // 2 > cnp.PyArray_NBYTES(array):
        raise NotRecorded
    return part


cdef bint is_shared(Storage storage, Part part) noexcept:
    """True if a copy of a part of a Storage is lazy."""
    return not storage.never_shared and not is_pinned(storage) and is_worth_sharing(storage, part.nbytes)


cdef Array captured(Array x):
    """Return a copy of an array in exactly its layout; raise NotRecorded if it is too sparse to copy at once."""
    cdef Array source = still(x)
    cdef Storage storage = storage_for(source)
    cdef Part part = part_of(source)
    cdef Array copy
    if is_sparse(source, part) and not is_shared(storage, part):
        raise NotRecorded
    copy = on_storage(storage, source.offset + part.low, 1, &part.nbytes, &ONE, BYTES, False, <Birth>source.birth)
    copy = copy_in_order(shadowed_as(copy, source), c"K")
    copy = on_storage(storage_for(copy), copy.offset - part.low, source.nd, shape_of(source), strides_of(source),
                      source.descr, source.writeable, <Birth>copy.birth)
    copy.standard = source.standard
    return copy


cdef Array captured_foreign(cnp.ndarray array):
    """Do `captured` for a NumPy array; share its bytes where allowed."""
    cdef Part part = part_of_foreign(array)
    cdef Array copy
    copy = import_value(header_at(cnp.PyArray_BYTES(array) + part.low, BYTES, 1, &part.nbytes, &ONE, 0, array), None)
    return on_storage(storage_for(copy), copy.offset - part.low, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array),
                      cnp.PyArray_STRIDES(array), descr_of(array), False, <Birth>copy.birth)
