# cython: freethreading_compatible=True
"""Reading items: views and elements by arithmetic where an index allows it, else by NumPy on headers."""

import numpy as np

cimport numpy as cnp
from cpython.object cimport PyObject, PyObject_GetItem
from cpython.ref cimport Py_INCREF
from libc.string cimport memcmp, memcpy

from cowarray._array.array cimport (
    adopt,
    Array,
    BORN_VIEW,
    const_header,
    descr_of,
    fits,
    is_array,
    on_storage,
    root_of,
    shadowed_as,
    storage_for,
    storage_then,
    view_on,
)
from cowarray._array.copies cimport exports_alias
from cowarray._array.exports cimport export
from cowarray._array.imports cimport copy_foreign
from cowarray._array.layout cimport product
from cowarray._c.numpy cimport PyArray_Empty, PyArray_Scalar
from cowarray._native.storage cimport EXPORT, Storage
from cowarray._ops.keys cimport find_place, key_beside, picks_one, settled, small_index
from cowarray._ops.operands cimport as_standard, detached_void, take_road
from cowarray._ops.picking cimport Place

cnp.import_array()

cdef enum:
    SHORT_MASK = 256

cdef type numpy_void = np.void


cdef object basic_item(Array self, object key):
    """Return the view or number that integers, slices, None and an ellipsis pick; None if NumPy decides.

    NumPy would also make an array for a view, which doubles the cost, and most views are written to or copied.
    """
    cdef Place place
    cdef char *first
    if not find_place(self, key, &place):
        return None
    if place.nd == 0:
        first = numbers_of(self) if type(key) is tuple and len(<tuple>key) == self.nd else NULL
        return None if first == NULL else number_of(self, first - self.offset + place.offset)
    return on_storage(storage_for(self), place.offset, place.nd, place.shape, place.strides, self.descr,
                      self.writeable, BORN_VIEW)


cdef object hand_get_item(Array self, object key):
    return take_road("ndarray.__getitem__", _plain_get_item, (self, key), {})


def _plain_get_item(Array self not None, key):
    key = settled(key)
    result = basic_item(self, key)
    if result is None:
        result = item_by_numpy(self, key)
    elif is_array(result):
        shadowed_as(<Array>result, self)
    if not self.standard or (self.descr.type_num == cnp.NPY_OBJECT and picks_one(self.nd, key)):
        return result  # an element comes out as it is, even if it is an array
    return as_standard(result)


cdef object item_by_numpy(Array self, object key):
    cdef cnp.ndarray header = self.header
    cdef cnp.npy_intp place
    if header is not None and is_number(self.descr) and fits(self, header):
        place = element_offset(self, key)
        if place >= 0:
            return PyArray_Scalar(cnp.PyArray_BYTES(header) - self.offset + place, self.descr, header)
    cdef object shown = key if type(key) is int else key_beside(self, settled(key))
    header = const_header(self)
    if type(shown) is cnp.ndarray and is_short_mask(header, shown):
        return adopt(masked(header, shown))
    cdef Storage storage = self.storage_
    cdef cnp.npy_intp offset = self.offset
    cdef char *window = cnp.PyArray_BYTES(header) - offset
    cdef cnp.ndarray array
    cdef object result = header[shown]
    if type(result) is not cnp.ndarray:
        is_void = descr_of(header).type_num == cnp.NPY_VOID
        if not is_void or not isinstance(result, numpy_void):
            return result
        return export(self, EXPORT, True)[shown] if elements_alias(self) else detached_void(result)
    array = result
    if root_of(<PyObject *>array) == root_of(<PyObject *>header):
        storage = storage_then(self, storage, header)
        if storage is None:
            return copy_foreign(array)
        if cnp.PyArray_SIZE(array):
            offset = cnp.PyArray_BYTES(array) - window
        return shadowed_as(view_on(storage, offset, window, array, self.writeable), self)
    if descr_of(header).type_num == cnp.NPY_OBJECT and picks_one(cnp.PyArray_NDIM(header), shown):
        return result  # an element that is itself a NumPy array
    return adopt(array)


cdef bint elements_alias(Array x) except -1:
    """True if an element with fields lies on the memory of its array, as NumPy's does."""
    return cnp.PyDataType_HASFIELDS(x.descr) and exports_alias()


cdef object elements_at(Array self, Array key):
    """Return self[key], for a mask or an array of integers that has axes: NumPy's result is fresh."""
    where = key_beside(self, key)
    cdef cnp.ndarray header = const_header(self)
    if is_short_mask(header, where):
        return adopt(masked(header, where))
    return adopt(PyObject_GetItem(header, where))


cdef bint is_short_mask(cnp.ndarray header, cnp.ndarray where) noexcept:
    """True if a mask picks among few numbers that lie as its elements do: NumPy's iterator costs more than they."""
    cdef int nd = cnp.PyArray_NDIM(header)
    return (
        cnp.PyArray_TYPE(where) == cnp.NPY_BOOL and cnp.PyArray_NDIM(where) == nd
        and cnp.PyArray_SIZE(where) <= SHORT_MASK and is_number(descr_of(header))
        and memcmp(cnp.PyArray_DIMS(where), cnp.PyArray_DIMS(header), nd * sizeof(cnp.npy_intp)) == 0
        and cnp.PyArray_CHKFLAGS(header, cnp.NPY_ARRAY_C_CONTIGUOUS)
        and cnp.PyArray_CHKFLAGS(where, cnp.NPY_ARRAY_C_CONTIGUOUS)
    )


cdef cnp.ndarray masked(cnp.ndarray header, cnp.ndarray where):
    """Return header[where], for a mask that `is_short_mask` has accepted."""
    cdef const char *chosen = cnp.PyArray_BYTES(where)
    cdef const char *source = cnp.PyArray_BYTES(header)
    cdef cnp.npy_intp size = cnp.PyArray_SIZE(where), itemsize = cnp.PyArray_ITEMSIZE(header), count = 0, i
    cdef cnp.dtype descr = descr_of(header)
    cdef cnp.ndarray made
    cdef char *place
    for i in range(size):
        count += chosen[i] != 0
    Py_INCREF(descr)  # stolen
    made = PyArray_Empty(1, &count, descr, False)
    place = cnp.PyArray_BYTES(made)
    for i in range(size):
        if chosen[i] != 0 and count > 0:  # another thread may write to the mask meanwhile
            memcpy(place, source + i * itemsize, itemsize)
            place += itemsize
            count -= 1
    return made


cdef object item_at(Array self, Py_ssize_t index):
    """Return self[index] for iteration: index is not negative."""
    if self.nd > 1 and index < self.dims[0] and not leaves_lane(self):
        return on_storage(
            storage_for(self),
            self.offset if product(self.nd - 1, self.dims + 1) == 0 else self.offset + index * self.dims[self.nd],
            self.nd - 1, self.dims + 1, self.dims + self.nd + 1, self.descr, self.writeable, BORN_VIEW,
        )
    return get_item(self, index)


cdef cnp.npy_intp element_offset(Array x, object key) except -1:
    """Return the byte offset in the window of the element at key; -2 unless key is one in-range integer per axis."""
    cdef cnp.npy_intp offset = x.offset
    cdef cnp.npy_intp index
    cdef int axis
    if type(key) is int:
        if x.nd != 1:
            return -2
        index = small_index(key, x.dims[0])
        return -2 if index < 0 else offset + index * x.dims[1]
    if type(key) is not tuple or len(<tuple>key) != x.nd:
        return -2
    for axis in range(x.nd):
        item = (<tuple>key)[axis]
        if type(item) is not int:
            return -2
        index = small_index(item, x.dims[axis])
        if index < 0:
            return -2
        offset += index * x.dims[x.nd + axis]
    return offset


cdef object python_number(Array self, tuple key):
    """Return the number at one integer per axis as Python's own; None: NumPy has to look."""
    cdef char *first = numbers_of(self)
    cdef cnp.npy_intp offset = element_offset(self, key) if first != NULL else -2
    return None if offset < 0 else cnp.PyArray_GETITEM(self.header, first - self.offset + offset)
