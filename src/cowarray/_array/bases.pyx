# cython: freethreading_compatible=True, auto_pickle=False
"""The array that NumPy would report as an array's base, for code that asks for its size where arrays act as NumPy's."""

from weakref import WeakValueDictionary

cimport numpy as cnp

from cowarray._array.array cimport (
    Array,
    BORN_FRESH,
    BORN_VIEW,
    descr_of,
    is_plain,
    itemsize_of,
    on_storage,
    shape_of,
    strides_of,
    with_face,
)
from cowarray._array.layout cimport distinct
from cowarray._native.storage cimport Storage, window_size

cnp.import_array()

# By what `key_of` says, which keeps its Storage alive, so that comparing bases finds one object.
cdef object known = WeakValueDictionary()


cdef size_t key_of(Array x) noexcept:
    """Return the address of x's Storage, with what a base has from x beside it."""
    return <size_t><void *>x.storage_ + x.writeable + 2 * x.standard


cdef Array base_of(Array x):
    """Return an array of all of x's Storage, the same one while it lives; None if x is not a view.

    It is laid out like the NumPy array that owns the bytes, if one does; otherwise it has one axis. If the bytes may be
    references to objects, it lies as x does. It is read-only if x is.
    """
    cdef Storage storage = x.storage_
    cdef size_t key = key_of(x)
    cdef Array base
    if x.birth != BORN_VIEW:
        return None
    base = known.get(key)
    if base is None or base.storage_ is not storage or base.writeable != x.writeable:
        base = with_face(whole(storage, x), x.standard, BORN_FRESH)
        known[key] = base
    return base


cdef Array whole(Storage storage, Array x):
    cdef object owner = storage.hold
    cdef cnp.npy_intp size, step = itemsize_of(x)
    cdef cnp.dtype descr = x.descr
    if cnp.PyArray_Check(owner):
        return on_storage(
            storage, cnp.PyArray_BYTES(owner) - storage.window, cnp.PyArray_NDIM(owner), cnp.PyArray_DIMS(owner),
            cnp.PyArray_STRIDES(owner), descr_of(owner),
            x.writeable and distinct(cnp.PyArray_NDIM(owner), cnp.PyArray_DIMS(owner), cnp.PyArray_ITEMSIZE(owner),
                                     cnp.PyArray_STRIDES(owner)),
            BORN_FRESH,
        )
    if storage.never_shared or not is_plain(descr):
        return on_storage(storage, x.offset, x.nd, shape_of(x), strides_of(x), descr, x.writeable, BORN_FRESH)
    if step == 0 or window_size(storage) % <size_t>step:
        descr = cnp.PyArray_DescrFromType(cnp.NPY_UINT8)
        step = 1
    size = window_size(storage) // <size_t>step
    return on_storage(storage, 0, 1, &size, &step, descr, x.writeable, BORN_FRESH)
