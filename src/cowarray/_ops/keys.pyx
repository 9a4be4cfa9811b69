# cython: freethreading_compatible=True
"""An index before it is used: what it stands for in plain objects, as NumPy may see it, and the place that it picks."""

import numpy as np

cimport numpy as cnp
from cpython.exc cimport PyErr_Clear
from cpython.number cimport PyNumber_Index
from cpython.object cimport PyObject
from libc.string cimport memcmp, memcpy

from cowarray._array.array cimport (
    Array,
    const_header,
    descr_of,
    has_doorkeeper,
    is_array,
    is_array_type,
    located_header,
    reader_header,
    root_of,
)
from cowarray._array.layout cimport MAXDIMS, product, same_layout
from cowarray._c.numpy cimport numpy_ndarray, PyArray_View, PyTypeNum_ISBOOL, PyTypeNum_ISINTEGER
from cowarray._c.python cimport (
    PyIndex_Check,
    PyObject_CheckBuffer,
    PySequence_Check,
    PySlice_AdjustIndices,
    PySlice_Unpack,
    PyTuple_Check,
    PyUnicode_Check,
    PyUnicode_FromObject,
)
from cowarray._native.storage cimport Access
from cowarray._ops.operands cimport is_numpys_scalar, runs_code
from cowarray._ops.picking cimport AN_INDEX, narrow_to, new_picked, put_box

cnp.import_array()

cdef object numpy_asarray = np.asarray
cdef type numpy_integer = np.integer


cdef object shown_key(object key):
    """Return a settled index as NumPy may see it: cowarray's arrays in it are replaced by headers."""
    if is_array(key):
        return reader_header(<Array>key)
    if type(key) is tuple:
        for item in <tuple>key:
            if is_array(item):
                return tuple([reader_header(<Array>item) if is_array(item) else item for item in <tuple>key])
    return key


cdef object key_beside(Array self, object key):
    """`shown_key` for NumPy's C code, which runs no user code before it has read an index of numbers.

    An index in the bytes of self gets its own share: they may be written to meanwhile.
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
    """True if a settled index names one element of an array with nd axes."""
    if type(key) is not tuple:
        return nd == 1 and is_whole_number(key)
    if len(<tuple>key) != nd:
        return False
    for item in <tuple>key:
        if not is_whole_number(item):
            return False
    return True


cdef bint is_whole_number(object item) noexcept:
    """True if an item of a settled index is one integer, or an integer array without axes."""
    if is_array(item):
        return (<Array>item).nd == 0 and PyTypeNum_ISINTEGER((<Array>item).descr.type_num)
    if type(item) is cnp.ndarray:
        return cnp.PyArray_NDIM(item) == 0 and PyTypeNum_ISINTEGER(descr_of(item).type_num)
    return type(item) is int or isinstance(item, numpy_integer)


cdef bint is_settled(object key) noexcept:
    """True if using an index runs no user code: every object in it is of a known type."""
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
    """Return an index as plain integers, slices, arrays and names. All user code that an index can run, runs here.

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
    """True if NumPy would ask for the items one by one: a sequence other than a list, integer, array or buffer."""
    return (
        type(key) is not list and PySequence_Check(key) and not PyIndex_Check(key) and not PyObject_CheckBuffer(key)
        and not hasattr(type(key), "__array__") and not hasattr(type(key), "__array_interface__")
    )


cdef list field_names(object key):
    """Return a sequence of text as a list of field names; None for anything else."""
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
    """`settled_item` in plain numbers: a flat iterator has its own rules for booleans and floats."""
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
        return bound  # if it is not a bound, NumPy refuses it
    return PyNumber_Index(bound)


cdef bint find_place(Array x, object key, Place *place) except -1:
    """Find the place that integers, slices of integers, None and an ellipsis pick, by NumPy's arithmetic.

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


cdef inline bint is_plain_slice(slice bounds) noexcept:
    return is_plain_bound(bounds.start) and is_plain_bound(bounds.stop) and is_plain_bound(bounds.step)


cdef inline bint is_plain_bound(object bound) noexcept:
    return bound is None or type(bound) is int


cdef bint is_basic(object key) noexcept:
    """True if an index gives a view: it has no list, array or mask in it. An integer of NumPy's is an integer."""
    cdef type kind = type(key)
    if kind is tuple:
        for item in <tuple>key:
            if type(item) is tuple or not is_basic(item):
                return False
        return True
    return kind is int or kind is slice or key is None or key is Ellipsis or isinstance(key, numpy_integer)


cdef bint is_same_place(const Place *a, const Place *b) noexcept:
    return a.offset == b.offset and a.nd == b.nd and same_layout(a.nd, a.shape, a.strides, b.strides) and (
        memcmp(a.shape, b.shape, a.nd * sizeof(cnp.npy_intp)) == 0
    )


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
    """Return a basic index that gives a view even where it names one element."""
    cdef tuple parts = <tuple>where if type(where) is tuple else (where,)
    for part in parts:
        if part is Ellipsis or type(part) is str:
            return where
    return (*parts, Ellipsis)
