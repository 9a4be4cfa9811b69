# cython: freethreading_compatible=True, auto_pickle=False
"""The array that NumPy would report as an array's base, for code that asks for its size where arrays act as NumPy's."""

from weakref import WeakValueDictionary

cimport numpy as cnp

from cowarray._array.array cimport (
    Array,
    BORN_FRESH,
    BORN_VIEW,
    descr_of,
    itemsize_of,
    on_storage,
    with_face,
)
from cowarray._array.layout cimport distinct
from cowarray._native.storage cimport Storage, window_size

cnp.import_array()

# By the address of its Storage, which it keeps alive, so that comparing bases finds one object; read-only views have
# another, by way of which nobody can write.
cdef object known = WeakValueDictionary()


cdef Array base_of(Array x):
    """Return an array of all of x's Storage, the same one while it lives; None if x is not a view.

    It is laid out like the NumPy array that owns the bytes, if one does; otherwise it has one axis. It is read-only if
    x is.
    """
    cdef Storage storage = x.storage_
    cdef size_t key = <size_t><void *>storage + x.writeable
    cdef Array base
    if x.birth != BORN_VIEW:
        return None
    base = known.get(key)
    if base is None or base.storage_ is not storage:
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
    if step == 0 or window_size(storage) % <size_t>step:
        descr = cnp.PyArray_DescrFromType(cnp.NPY_UINT8)
        step = 1
    size = window_size(storage) // <size_t>step
    return on_storage(storage, 0, 1, &size, &step, descr, x.writeable, BORN_FRESH)
