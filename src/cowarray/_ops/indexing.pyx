# cython: freethreading_compatible=True
"""Item access: NumPy's forms of an index, on headers.

It is one file because an assignment asks at each step what kind of index it has: cut in two, the hottest lanes would
cross modules, and each half would be read with the other at hand.
"""

import operator
import numpy as np

cimport numpy as cnp
from cpython.exc cimport PyErr_Clear
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.number cimport PyNumber_Index
from cpython.object cimport PyObject, PyObject_GetItem
from cpython.ref cimport Py_INCREF
from libc.stdint cimport SIZE_MAX
from libc.string cimport memcmp, memcpy, memmove

from cowarray._array.array cimport (
    access_anywhere,
    access_to,
    adopt,
    Array,
    BORN_VIEW,
    const_header,
    descr_of,
    fits,
    has_doorkeeper,
    header_at,
    header_beside,
    is_array,
    is_array_type,
    is_plain,
    located_header,
    on_storage,
    reader_header,
    root,
    root_of,
    shadowed_as,
    size_of,
    still,
    storage_for,
    storage_then,
    view_on,
    writable_header,
)
from cowarray._array.copies cimport exports_alias
from cowarray._array.exports cimport export
from cowarray._array.imports cimport copy_foreign
from cowarray._array.layout cimport is_c_ordered, MAXDIMS, product, same_layout
from cowarray._c.core cimport cow_mutable_scope
from cowarray._c.numpy cimport (
    NPY_ARRAY_WRITEABLE,
    NPY_HALF,
    numpy_ndarray,
    PyArray_CopyInto,
    PyArray_Empty,
    PyArray_ISNBO,
    PyArray_Pack,
    PyArray_Scalar,
    PyArray_View,
    PyDataType_ELSIZE,
    PyTypeNum_ISBOOL,
    PyTypeNum_ISCOMPLEX,
    PyTypeNum_ISINTEGER,
)
from cowarray._c.python cimport (
    PyIndex_Check,
    PyLong_AsLongLongAndOverflow,
    PyObject_CheckBuffer,
    PySequence_Check,
    PySlice_AdjustIndices,
    PySlice_Unpack,
    PyTuple_Check,
    PyUnicode_Check,
    PyUnicode_FromObject,
)
from cowarray._native.storage cimport (
    Access,
    begin_write,
    end_write,
    EXPORT,
    Intent,
    OPERATION,
    OVERWRITES,
    PAGED,
    SMALL_COPY,
    Storage,
    window_size,
    write_cost,
    WRITES,
)
from cowarray._ops.operands cimport as_standard, detached_void, is_numpys_scalar, runs_code, take_road
from cowarray._ops.overwriting cimport attempt, commit, is_replaceable, overwriting_header, spans_storage
from cowarray._ops.picking cimport AN_INDEX, narrow_to, new_picked, place_of, put_box, says_where

cnp.import_array()

cdef enum:
    SHORT_MASK = 256

cdef object numpy_asarray = np.asarray
cdef object numpy_empty = np.empty
cdef object as_strided = np.lib.stride_tricks.as_strided
cdef type numpy_integer = np.integer
cdef type numpy_void = np.void
cdef object set_items = operator.setitem


cdef object shown_key(object key):
    """A settled index as NumPy may see it: cowarray's arrays in it are replaced by headers."""
    if is_array(key):
        return reader_header(<Array>key)
    if type(key) is tuple:
        for item in <tuple>key:
            if is_array(item):
                return tuple([reader_header(<Array>item) if is_array(item) else item for item in <tuple>key])
    return key


cdef object key_beside(Array self, object key):
    """`shown_key` for NumPy's C code, which runs no code of the user before it has read an index of numbers.

    An index that lies in the bytes of self has a share: they may be written to meanwhile.
    """
    cdef Array index
    if not is_array(key):
        return shown_key(key)
    index = <Array>key
    if (
        index is self or (index.storage_ is not None and index.storage_ is self.storage_) or has_doorkeeper(index)
        or runs_code(index.descr) or runs_code(self.descr)
    ):
        return reader_header(index)
    return const_header(index)


cdef bint picks_one(int nd, object key) noexcept:
    """Whether a settled index names one element of an array with nd axes."""
    if type(key) is not tuple:
        return nd == 1 and is_whole_number(key)
    if len(<tuple>key) != nd:
        return False
    for item in <tuple>key:
        if not is_whole_number(item):
            return False
    return True


cdef bint is_whole_number(object item) noexcept:
    """Whether an item of a settled index is one integer, or an integer array without axes."""
    if is_array(item):
        return (<Array>item).nd == 0 and PyTypeNum_ISINTEGER((<Array>item).descr.type_num)
    if type(item) is cnp.ndarray:
        return cnp.PyArray_NDIM(item) == 0 and PyTypeNum_ISINTEGER(descr_of(item).type_num)
    return type(item) is int or isinstance(item, numpy_integer)


cdef bint is_settled(object key) noexcept:
    """Whether using an index runs no user code: every object in it is of a known type."""
    cdef type kind = type(key)
    if kind is int or key is None or key is Ellipsis or kind is str or is_array_type(kind):
        return True
    if kind is cnp.ndarray:
        return cnp.PyArray_TYPE(key) != cnp.NPY_UNICODE  # text becomes names of fields
    if kind is slice:
        return is_settled_bound(key.start) and is_settled_bound(key.stop) and is_settled_bound(key.step)
    if kind is tuple:
        for item in <tuple>key:
            if type(item) is tuple or not is_settled(item):
                return False
        return True
    return kind is bool or is_numpys_scalar(kind)


cdef inline bint is_settled_bound(object bound) noexcept:
    return bound is None or type(bound) is int or is_numpys_scalar(type(bound))


cdef object settled(object key, bint flat=False):
    """The index in plain integers, slices, arrays and names. All the user code that an index can run, runs here.

    Every object in it is asked once, before any array is looked at. NumPy's rules decide what an object stands for;
    flat: those of an array's flat iterator.
    """
    cdef object names
    if is_settled(key):
        return key
    if PyTuple_Check(key):
        return tuple([flat_item(item) if flat else settled_item(item) for item in tuple(key)])
    if flat:
        return flat_item(key)
    if PyUnicode_Check(key):
        return PyUnicode_FromObject(key)
    if is_plain_sequence(key):
        key = list(key)
    names = field_names(key)
    return settled_item(key) if names is None else names


cdef bint is_plain_sequence(object key) except -1:
    """Whether NumPy would ask for the items one by one: a sequence that is no list, integer, array or buffer."""
    return (
        type(key) is not list and PySequence_Check(key) and not PyIndex_Check(key) and not PyObject_CheckBuffer(key)
        and not hasattr(type(key), "__array__") and not hasattr(type(key), "__array_interface__")
    )


cdef list field_names(object key):
    """A sequence of text as a list of names of fields; None for anything else."""
    if cnp.PyArray_Check(key):
        if cnp.PyArray_TYPE(key) != cnp.NPY_UNICODE or cnp.PyArray_NDIM(key) != 1:
            return None
        return PyArray_View(key, NULL, numpy_ndarray).tolist() or None
    if type(key) is not list or not key or not all([PyUnicode_Check(name) for name in <list>key]):
        return None
    return [PyUnicode_FromObject(name) for name in <list>key]


cdef object settled_item(object item):
    cdef cnp.ndarray array
    cdef type kind = type(item)
    if kind is not tuple and is_settled(item):
        return item
    if kind is slice:
        return slice(settled_bound(item.start), settled_bound(item.stop), settled_bound(item.step))
    if cnp.PyArray_Check(item):
        return PyArray_View(item, NULL, numpy_ndarray)
    if PyIndex_Check(item):
        try:
            return PyNumber_Index(item)
        except MemoryError:
            raise
        except Exception:
            pass  # as NumPy does: it may still be an array_like
    array = numpy_asarray(item)
    if cnp.PyArray_SIZE(array) == 0:
        return (<object>array).astype("p")  # [] alone would be floats
    if not PyTypeNum_ISINTEGER(descr_of(array).type_num) and not PyTypeNum_ISBOOL(descr_of(array).type_num):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
            "valid indices"
        )
    return array


cdef object flat_item(object item):
    """As `settled_item`, but in plain numbers: a flat iterator has rules of its own for booleans and floats."""
    cdef type kind = type(item)
    if kind is float or (kind is not tuple and is_settled(item)):
        return item
    if kind is slice:
        return slice(settled_bound(item.start), settled_bound(item.stop), settled_bound(item.step))
    if PyIndex_Check(item) and not cnp.PyArray_Check(item):
        return PyNumber_Index(item)
    if cnp.PyArray_Check(item):
        return PyArray_View(item, NULL, numpy_ndarray)
    array = numpy_asarray(item)
    if array.size == 0:
        return array.astype("p")  # even of text, as in NumPy
    if array.dtype.kind not in "biuf":
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices"
        )
    return array.tolist()


cdef object settled_bound(object bound):
    if is_settled_bound(bound) or not hasattr(bound, "__index__"):
        return bound  # if it is none, NumPy refuses it
    return PyNumber_Index(bound)


cdef bint find_place(Array x, object key, Place *place) except -1:
    """The place of the elements that integers, slices of integers, None and an ellipsis pick, by NumPy's arithmetic.

    False for any other key, and for a bad one, which NumPy reports.
    """
    cdef cnp.npy_intp index
    cdef Py_ssize_t start, stop, step, length, i, j
    cdef Py_ssize_t count = len(<tuple>key) if type(key) is tuple else 1
    cdef Py_ssize_t skipped
    cdef int axis = 0, nd = 0
    cdef bint expanded = False
    place.offset = x.offset
    if x.nd + count > MAXDIMS:
        return False
    for i in range(count):
        item = (<tuple>key)[i] if type(key) is tuple else key
        if type(item) is slice and axis < x.nd and is_plain_slice(item):
            if PySlice_Unpack(item, &start, &stop, &step) < 0:
                PyErr_Clear()
                return False  # a step of 0; NumPy may report another error first
            length = PySlice_AdjustIndices(x.dims[axis], &start, &stop, step)
            if length == 0:
                start, step = 0, 1  # as in NumPy
            place.offset += start * x.dims[x.nd + axis]
            place.shape[nd] = length
            place.strides[nd] = <cnp.npy_intp>(<size_t>step * <size_t>x.dims[x.nd + axis])  # wraps, as in NumPy
            nd += 1
            axis += 1
        elif type(item) is int and axis < x.nd:
            index = small_index(item, x.dims[axis])
            if index < 0:
                return False
            place.offset += index * x.dims[x.nd + axis]
            axis += 1
        elif item is None:
            place.shape[nd] = 1
            place.strides[nd] = 0
            nd += 1
        elif item is Ellipsis and not expanded:
            expanded = True
            skipped = x.nd - axis
            for j in range(i + 1, count):
                if (<tuple>key)[j] is not None:
                    skipped -= 1
            while skipped > 0:
                place.shape[nd] = x.dims[axis]
                place.strides[nd] = x.dims[x.nd + axis]
                nd += 1
                axis += 1
                skipped -= 1
        else:
            return False
    for axis in range(axis, x.nd):
        place.shape[nd] = x.dims[axis]
        place.strides[nd] = x.dims[x.nd + axis]
        nd += 1
    place.nd = nd
    if product(nd, place.shape) == 0:
        place.offset = x.offset  # stays in the window, as there is no element
    return True


cdef Array basic_view(Array self, object key):
    """The view that integers, slices, None and an ellipsis give; None if they name one element, or if NumPy decides.

    NumPy would make an array for it, which doubles the cost, and most views are written to or copied.
    """
    cdef Place place
    if not find_place(self, key, &place) or place.nd == 0:
        return None
    return on_storage(storage_for(self), place.offset, place.nd, place.shape, place.strides, self.descr,
                      self.writeable, BORN_VIEW)


cdef inline bint is_plain_slice(slice bounds) noexcept:
    return is_plain_bound(bounds.start) and is_plain_bound(bounds.stop) and is_plain_bound(bounds.step)


cdef inline bint is_plain_bound(object bound) noexcept:
    return bound is None or type(bound) is int


cdef object hand_get_item(Array self, object key):
    return take_road("ndarray.__getitem__", _plain_get_item, (self, key), {})


def _plain_get_item(Array self not None, key):
    cdef Array view
    key = settled(key)
    view = basic_view(self, key)
    result = shadowed_as(view, self) if view is not None else item_by_numpy(self, key)
    if not self.standard or (self.descr.type_num == cnp.NPY_OBJECT and picks_one(self.nd, key)):
        return result  # an element comes out as it is, even if it is an array
    return as_standard(result)


def _plain_set_item(Array self not None, key, value):
    put_item(self, key, value)


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
    """Whether an element with fields lies on the memory of its array, as NumPy's does."""
    return cnp.PyDataType_HASFIELDS(x.descr) and exports_alias()


cdef object elements_at(Array self, Array key):
    """self[key], for a mask or an array of integers, which has axes: NumPy's result is fresh."""
    where = key_beside(self, key)
    cdef cnp.ndarray header = const_header(self)
    if is_short_mask(header, where):
        return adopt(masked(header, where))
    return adopt(PyObject_GetItem(header, where))


cdef bint is_short_mask(cnp.ndarray header, cnp.ndarray where) noexcept:
    """Whether a mask picks among few numbers, which lie as its elements do: NumPy's iterator costs more than they."""
    cdef int nd = cnp.PyArray_NDIM(header)
    return (
        cnp.PyArray_TYPE(where) == cnp.NPY_BOOL and cnp.PyArray_NDIM(where) == nd
        and cnp.PyArray_SIZE(where) <= SHORT_MASK and is_number(descr_of(header))
        and memcmp(cnp.PyArray_DIMS(where), cnp.PyArray_DIMS(header), nd * sizeof(cnp.npy_intp)) == 0
        and cnp.PyArray_CHKFLAGS(header, cnp.NPY_ARRAY_C_CONTIGUOUS)
        and cnp.PyArray_CHKFLAGS(where, cnp.NPY_ARRAY_C_CONTIGUOUS)
    )


cdef cnp.ndarray masked(cnp.ndarray header, cnp.ndarray where):
    """header[where] of what `is_short_mask` has looked at."""
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
    """self[index], as iteration asks for it: not negative."""
    if self.nd > 1 and index < self.dims[0] and not leaves_lane(self):
        return on_storage(
            storage_for(self),
            self.offset if product(self.nd - 1, self.dims + 1) == 0 else self.offset + index * self.dims[self.nd],
            self.nd - 1, self.dims + 1, self.dims + self.nd + 1, self.descr, self.writeable, BORN_VIEW,
        )
    return get_item(self, index)


cdef cnp.npy_intp element_offset(Array x, object key) except -1:
    """Bytes from the start of the window to the element at key; -2 unless key is one integer in range for each axis."""
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
    """The number at one integer for each axis, as Python's; None: NumPy has to look."""
    cdef char *first = numbers_of(self)
    cdef cnp.npy_intp offset = element_offset(self, key) if first != NULL else -2
    return None if offset < 0 else cnp.PyArray_GETITEM(self.header, first - self.offset + offset)


cdef inline cnp.npy_intp small_index(object item, cnp.npy_intp length) noexcept:
    """The index counted from the front, or -1 if it is out of range."""
    cdef int overflow = 0
    cdef long long index = PyLong_AsLongLongAndOverflow(item, &overflow)
    if index < 0 and not overflow:
        index += length
    return index if not overflow and 0 <= index < length else -1


cdef object shown_value(Array self, object value):
    """The right-hand side, converted before anything is written, so that an error changes nothing. A gap."""
    cdef type kind = type(value)
    if is_array_type(kind):
        return const_header(<Array>value) if not runs_code(self.descr) else reader_header(<Array>value)
    if (self.descr.type_num == cnp.NPY_OBJECT or kind is float or kind is int or kind is complex or kind is str
            or cnp.PyArray_CheckAnyScalar(value) or kind is cnp.ndarray):
        return value
    if cnp.PyArray_Check(value):
        return PyArray_View(value, NULL, numpy_ndarray)  # its elements, without the methods of its class
    return numpy_asarray(value, dtype=self.descr)  # memory that it shares is read like a NumPy array's


cdef bint is_basic(object key) noexcept:
    """Whether an index gives a view: it has no list, array or mask in it."""
    cdef type kind = type(key)
    if kind is tuple:
        for item in <tuple>key:
            if type(item) is tuple or not is_basic(item):
                return False
        return True
    return kind is int or kind is slice or key is None or key is Ellipsis


cdef int check_fits(cnp.ndarray target, object shown, bint is_nested) except -1:
    """Refuse a value that cannot be broadcast into the target, before a shared array is copied for nothing."""
    cdef int i, extra
    cdef cnp.npy_intp none = 0
    cdef cnp.ndarray source
    if not cnp.PyArray_Check(shown):
        return 0
    source = shown
    if source.descr is not target.descr:
        # Converting no elements raises if there is no such cast.
        PyArray_CopyInto(
            numpy_empty((0,), descr_of(target)),
            header_at(cnp.PyArray_BYTES(source), descr_of(source), 1, &none, &none, 0, source),
        )
    extra = cnp.PyArray_NDIM(source) - cnp.PyArray_NDIM(target)
    if is_nested and extra > 0:
        raise ValueError(
            "setting an array element with a sequence: the value is nested deeper than the "
            f"{cnp.PyArray_NDIM(target)} dimensions it is assigned to"
        )
    for i in range(cnp.PyArray_NDIM(source)):
        if cnp.PyArray_DIMS(source)[i] != 1 and (
            i < extra or cnp.PyArray_DIMS(source)[i] != cnp.PyArray_DIMS(target)[i - extra]
        ):
            given = shown.shape
            while len(given) > cnp.PyArray_NDIM(target) and given[0] == 1:
                given = given[1:]
            shapes = f"{given} into shape {(<object>target).shape}".replace(", ", ",")  # as NumPy spells them
            raise ValueError(f"could not broadcast input array from shape {shapes}")
    return 0


cdef int set_element(Array self, object key, object value, cnp.npy_intp offset) except -1:
    """Set the element at offset, which an index of plain integers names, in an array of numbers."""
    cdef cow_mutable_scope scope
    cdef Access access
    cdef Storage storage
    cdef cnp.dtype descr = self.descr
    cdef long double converted[2]  # room and alignment for any number
    cdef bint is_float = type(value) is float
    cdef double number
    if is_float and descr.type_num == cnp.NPY_DOUBLE and PyArray_ISNBO(descr.byteorder):
        number = PyFloat_AS_DOUBLE(value)
        memcpy(converted, &number, sizeof(number))
    else:
        PyArray_Pack(descr, converted, const_header(<Array>value) if is_array(value) else value)
        if not (is_float or type(value) is int) or reports_overflow(descr):
            # a gap
            offset = element_offset(self, key)
            if offset < 0 or self.descr is not descr or not self.writeable:
                raise IndexError(
                    "setting an element: the array was changed while the value was converted; assign again"
                )
    access.intent = OVERWRITES
    access.behalf = OPERATION
    access.ndim = 0
    access.offset = offset
    access.itemsize = PyDataType_ELSIZE(descr)
    access.dims = NULL
    access.most = SIZE_MAX
    access.shadow = self.shadow
    storage = storage_for(self)  # kept: user code in begin_write can give self another
    begin_write(storage, &access, &scope)
    memcpy(<char *>scope.data + offset, converted, PyDataType_ELSIZE(descr))
    end_write(&scope)
    return 0


cdef inline bint reports_overflow(cnp.dtype descr) noexcept:
    """Whether converting a Python number that is too large is reported, to a handler or a warning's hook: a gap."""
    return descr.type_num > cnp.NPY_ULONGLONG and descr.type_num != cnp.NPY_DOUBLE


cdef int hand_set_item(Array self, object key, object value) except -1:
    take_road("ndarray.__setitem__", _plain_set_item, (self, key, value), {})
    return 0


cdef int put_item(Array self, object key, object value) except -1:
    """`self[key] = value` without a mode.

    An index by arithmetic is looked at once, by `find_place`. The steps that follow run no user code before they have
    used the place, or else look again. Any other index is NumPy's (`put_part`).
    """
    cdef Place place
    cdef cnp.npy_intp index
    if (
        is_array(value) and (<Array>value).header is None and (<Array>value).storage_ is not self.storage_
        and not has_doorkeeper(<Array>value)
    ):
        const_header(<Array>value)  # a gap, now instead of after the look at the index
    if not self.writeable:
        raise ValueError("assignment destination is read-only")
    if type(key) is int and self.nd == 1 and self.dims[0] > 1 and is_number(self.descr):
        index = small_index(key, self.dims[0])
        if index >= 0:
            return set_element(self, key, value, self.offset + index * self.dims[1])
    elif (key is not Ellipsis or write_cost(storage_for(self)) == 0) and find_place(self, key, &place):
        if place.nd == 0 and is_number(self.descr) and size_of(self) > 1 and (
            type(key) is int or len(<tuple>key) == self.nd
        ):
            return set_element(self, key, value, place.offset)
        if fill_place(self, key, value, &place):
            return 0
    elif fill_picked(self, key, value):
        return 0
    return put_part(self, key, value)


cdef bint fill_place(Array self, object key, object value, Place *target) except -1:
    """Assign a number, or an array of the same dtype, to the place of key, if nothing has to be copied first.

    False, and nothing has happened, if more is needed.
    """
    cdef Place origin
    cdef Storage storage = storage_for(self)
    cdef cnp.dtype descr = self.descr
    cdef cnp.ndarray source = None
    cdef Array given = None
    cdef bint is_gap
    cdef cow_mutable_scope scope
    cdef Access access
    cdef cnp.npy_intp box[2 * MAXDIMS]
    cdef long double converted[2]  # room and alignment for any number
    if write_cost(storage) != 0:
        return False
    if is_array(value):
        given = <Array>value
        if given.descr is not descr or (is_number(descr) and has_doorkeeper(given)):
            return False
        if given.storage_ is storage:
            place_of(given, &origin)
            if is_same_place(&origin, target) and is_plain(descr):
                return True  # the last step of x[key] += ..., which has written there
        if not is_number(descr):
            return False
        if given.storage_ is not storage:
            is_gap = given.header is None or not fits(given, given.header)
            source = const_header(given)
            place_of(given, &origin)
            if is_gap and (self.descr is not descr or given.descr is not descr or not find_place(self, key, target)):
                return False
    elif (type(value) is float or type(value) is int) and is_number(descr) and descr.type_num != NPY_HALF:
        PyArray_Pack(descr, converted, value)
        source = header_at(<char *>converted, descr, 0, NULL, NULL, 0, None)
        origin.nd = 0
        if reports_overflow(descr) and (self.descr is not descr or not find_place(self, key, target)):
            return False
    else:
        return False
    if self.storage_ is not storage or not self.writeable or not broadcasts(&origin, target):
        return False
    if has_doorkeeper(self) or window_size(storage) >= PAGED:
        access = access_to(self, OVERWRITES if source is not None else WRITES, OPERATION)
        put_box(&access, target, box)
    else:
        access = access_anywhere(WRITES, OPERATION)
    begin_write(storage, &access, &scope)
    try:
        copy_between(<char *>scope.data, target, &origin, source, descr)
    finally:
        end_write(&scope)
    return True


cdef bint fill_picked(Array self, object key, object value) except -1:
    """Assign a number to what a mask, or an array of integers, picks, if nothing has to be copied first.

    False, and nothing has happened, if more is needed, or key is neither.
    """
    cdef Storage storage
    cdef int kind
    cdef cnp.dtype descr = self.descr
    cdef cow_mutable_scope scope
    cdef Access access
    cdef cnp.ndarray target
    cdef long double converted[2]  # room and alignment for any number
    cdef bint convertible = True
    if is_array(key) and not has_doorkeeper(<Array>key):
        kind = (<Array>key).descr.type_num
    elif type(key) is cnp.ndarray:
        kind = cnp.PyArray_TYPE(<cnp.ndarray>key)
    else:
        return False
    if (
        (type(value) is not float and type(value) is not int) or not is_number(descr) or reports_overflow(descr)
        or not (PyTypeNum_ISBOOL(kind) or PyTypeNum_ISINTEGER(kind))
    ):
        return False
    where = key_beside(self, key)
    try:
        PyArray_Pack(descr, converted, value)
    except Exception:
        convertible = False
    if not convertible:
        return False  # NumPy reports a bad index first
    storage = storage_for(self)
    if has_doorkeeper(self) or window_size(storage) >= PAGED or write_cost(storage) != 0:
        return False
    access = access_anywhere(WRITES, OPERATION)
    begin_write(storage, &access, &scope)
    try:
        target = header_at(<char *>scope.data + self.offset, descr, self.nd, self.dims, self.dims + self.nd,
                           NPY_ARRAY_WRITEABLE, None)
        (<object>target)[where] = header_at(<char *>converted, descr, 0, NULL, NULL, 0, None)
    finally:
        end_write(&scope)
    return True


cdef bint is_same_place(const Place *a, const Place *b) noexcept:
    return a.offset == b.offset and a.nd == b.nd and same_layout(a.nd, a.shape, a.strides, b.strides) and (
        memcmp(a.shape, b.shape, a.nd * sizeof(cnp.npy_intp)) == 0
    )


cdef bint broadcasts(const Place *origin, const Place *target) noexcept:
    """Whether the origin has no more axes than the target, each of the same length or 1."""
    cdef int i
    cdef int more = target.nd - origin.nd
    for i in range(origin.nd):
        if more < 0 or (origin.shape[i] != target.shape[more + i] and origin.shape[i] != 1):
            return False
    return True


cdef int copy_between(char *window, Place *target, Place *origin, cnp.ndarray source, cnp.dtype descr) except -1:
    """Copy elements of one dtype to a place in a window: source's, or if it is None those at origin in the window."""
    cdef cnp.npy_intp itemsize = PyDataType_ELSIZE(descr)
    cdef cnp.npy_intp nbytes = product(target.nd, target.shape) * itemsize
    cdef char *data = window + origin.offset if source is None else cnp.PyArray_BYTES(source)
    cdef char *start = window + target.offset
    cdef size_t ahead = <size_t>start - <size_t>data
    cdef bint is_slow = 0 < ahead % 4096 < 16 and ahead >= <size_t>nbytes and is_plain(descr)
    if (
        (nbytes <= SMALL_COPY or is_slow) and nbytes == product(origin.nd, origin.shape) * itemsize
        and is_c_ordered(target.nd, target.shape, itemsize, target.strides)
        and is_c_ordered(origin.nd, origin.shape, itemsize, origin.strides)
    ):
        if is_slow:
            with nogil:
                copy_by_pieces(start, data, nbytes)
        else:
            memmove(start, data, nbytes)
        return 0
    if source is None:
        source = header_at(data, descr, origin.nd, origin.shape, origin.strides, 0, None)
    return PyArray_CopyInto(
        header_at(start, descr, target.nd, target.shape, target.strides, NPY_ARRAY_WRITEABLE, None),
        source,
    )


cdef void copy_by_pieces(char *target, const char *source, size_t nbytes) noexcept nogil:
    """Copy bytes that do not overlap, where the target lies a few bytes further into its page than the source.

    As one, such a copy takes ten times as long on processors of AMD's (glibc's `rep movsb`, up to the second cache's
    size), and large blocks begin with a page: `x[1:-1] = y + z` is one. Below 2 KiB, glibc copies by registers.
    """
    cdef size_t done = 0, piece
    while done < nbytes:
        piece = min(<size_t>2048, nbytes - done)
        memcpy(target + done, source + done, piece)
        done += piece


cdef int put_part(Array self, object key, object value) except -1:
    cdef cnp.ndarray header
    cdef cnp.npy_intp box[2 * MAXDIMS]
    cdef Access access
    cdef Intent intent
    cdef bint is_nested = False, one, kept, looks
    cdef Array whole  # keeps the box of the access
    # First whatever may run user code: the index, then the value. Later steps look at the array themselves.
    key = settled(key)
    if not is_array(value) and (type(key) is str or (type(key) is list and key)):
        return set_item(<Array?>get_item(self, key), Ellipsis, value)
    one = picks_one(self.nd, key)
    kept = one and self.descr.type_num == cnp.NPY_OBJECT  # an element that is the value itself, as with NumPy
    one = one and not kept
    if one and not self.nd:
        key = Ellipsis  # gives an array; () would give a scalar
    try:
        if one:
            shown = numpy_empty((), self.descr)
            shown[()] = shown_value(self, value) if is_array(value) else value
            if descr_of(shown).type_num == cnp.NPY_VOID:
                shown = shown[()]  # NumPy copies objects in fields from a scalar, not from an array
        elif kept:
            shown = value
        else:
            shown = shown_value(self, value)
            is_nested = shown is not value and not is_array(value) and not cnp.PyArray_Check(value)
    except (TypeError, ValueError, OverflowError):
        # NumPy reports a bad index first: let it, on a throwaway array.
        part = const_header(self)[key_beside(self, key)]
        if not one:
            numpy_empty(np.shape(part), self.descr)[...] = value
        raise
    where = key_beside(self, key)  # whatever the value's code has written to it
    if not self.writeable:
        raise ValueError("assignment destination is read-only")
    intent = WRITES if is_array(value) and (<Array>value).storage_ is self.storage_ else OVERWRITES
    looks = is_nested and is_basic(key)
    if not kept and (looks or write_cost(storage_for(self)) != 0):
        # Bad input should not cost a copy, and an array that is replaced as a whole need not be copied.
        if covers(self, where, shown, looks) and spans_storage(self, True) and not asks_elements(shown):
            if not cnp.PyArray_Check(shown):
                shown = packed(self.descr, shown)
            header = overwriting_header(self, True, intent) if is_replaceable(self, True) else None
            if header is not None and replaced(header, where, shown):
                if is_array(value):
                    shown = None  # it may lie in self's old bytes
                if commit(header):
                    return 0
            header = None
    if has_doorkeeper(self) or says_where(self):
        whole = still(self)
        access = access_to(whole, intent if is_basic(key) else WRITES, OPERATION)
        narrow(&access, box, whole, key, where)
        header = writable_header(self, &access)
    else:
        header = writable_header(self, NULL)
    # The value may be a view of self, so take its header after self has got its own bytes. An index in self's bytes has
    # a share.
    if is_array(value) and not one and not runs_code(self.descr):
        shown = header_beside(<Array>value, header)
    header[where] = shown
    return 0


cdef int narrow(Access *access, cnp.npy_intp *box, Array x, object key, object where) except -1:
    """Narrow the box of an access to all of x to the elements that an index picks, if they are a view. A gap."""
    cdef cnp.ndarray header
    cdef Place place
    if find_place(x, key, &place):
        put_box(access, &place, box)
        return 0
    if where is Ellipsis:
        return 0
    if not is_basic(key):
        return narrow_to(access, box, x, new_picked(AN_INDEX, where))
    header = located_header(x)
    cdef char *start = cnp.PyArray_BYTES(header) - access.offset
    part = header[viewing(where)]  # no element is read: there may be none
    if type(part) is not cnp.ndarray or root_of(<PyObject *>part) != root_of(<PyObject *>header):
        return 0
    access.ndim = cnp.PyArray_NDIM(part)
    if cnp.PyArray_SIZE(part):
        access.offset = cnp.PyArray_BYTES(part) - start
    memcpy(box, cnp.PyArray_DIMS(part), access.ndim * sizeof(cnp.npy_intp))
    memcpy(box + access.ndim, cnp.PyArray_STRIDES(part), access.ndim * sizeof(cnp.npy_intp))
    access.dims = <const Py_ssize_t *>box
    return 0


cdef object viewing(object where):
    """A basic index that gives a view also where it names one element."""
    cdef tuple parts = <tuple>where if type(where) is tuple else (where,)
    for part in parts:
        if part is Ellipsis or type(part) is str:
            return where
    return (*parts, Ellipsis)


cdef cnp.ndarray packed(cnp.dtype descr, object value):
    """A value as one element. A gap."""
    cdef cnp.ndarray made
    Py_INCREF(descr)  # stolen
    made = PyArray_Empty(0, NULL, descr, False)
    PyArray_Pack(descr, cnp.PyArray_BYTES(made), value)
    return made


cdef inline bint asks_elements(object shown) noexcept:
    """Whether elements are converted one by one by user code, which in NumPy sees the earlier ones written."""
    return cnp.PyArray_Check(shown) and runs_code(descr_of(shown))


cdef bint covers(Array x, object where, object shown, bint is_nested) except -1:
    """Whether an index gives a view of all of x. Raises if the value does not fit."""
    cdef cnp.ndarray header
    if where is Ellipsis and not cnp.PyArray_Check(shown):
        return True
    header = located_header(x)
    part = header if where is Ellipsis else header[where]
    if type(part) is not cnp.ndarray:
        return False
    if cnp.PyArray_SIZE(part) == 0 and root(part) is not root(header):
        return False  # of what an array picks, NumPy takes (0, 0) to fit (0,)
    try:
        check_fits(part, shown, is_nested)
    except ValueError:
        if root(part) is not root(header):
            refuse(header, where, shown)
        raise
    return cnp.PyArray_SIZE(part) == cnp.PyArray_SIZE(header) and root(part) is root(header)


cdef object refuse(cnp.ndarray header, object where, object shown):
    """Raise what NumPy says of a value that does not fit what an index picks: of an array of one element's memory."""
    cdef object element = numpy_empty((), descr_of(header))
    as_strided(element, (<object>header).shape, (0,) * cnp.PyArray_NDIM(header))[where] = shown


cdef bint replaced(cnp.ndarray header, object where, cnp.ndarray shown) except -1:
    """Write the value to all of an overwriting header. False if there was an error to report."""
    cdef cnp.ndarray part
    if where is Ellipsis:
        part = header
    else:
        found = header[where]
        if type(found) is not cnp.ndarray or cnp.PyArray_SIZE(found) != cnp.PyArray_SIZE(header):
            return False
        part = found
    if descr_of(shown) is descr_of(part):
        PyArray_CopyInto(part, shown)  # bytes, with nothing to report
        return True
    return reports_only_errors(descr_of(shown), descr_of(part)) and attempt(set_items, (part, Ellipsis, shown), NULL)


cdef bint reports_only_errors(cnp.dtype source, cnp.dtype target) noexcept:
    """Whether a cast reports nothing but floating-point errors: no warning of a lost part, or of a date."""
    cdef bint both_text = is_text(source) and is_text(target)
    return both_text or (
        is_number(source) and is_number(target)
        and (not PyTypeNum_ISCOMPLEX(source.type_num) or PyTypeNum_ISCOMPLEX(target.type_num)
             or PyTypeNum_ISBOOL(target.type_num))
    )


cdef inline bint is_text(cnp.dtype descr) noexcept:
    return descr.type_num == cnp.NPY_STRING or descr.type_num == cnp.NPY_UNICODE
