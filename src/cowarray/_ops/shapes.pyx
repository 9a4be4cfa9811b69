# cython: freethreading_compatible=True
"""Shapes: reshapes, and changes of an array's shape or dtype in place."""

cimport numpy as cnp
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.number cimport PyNumber_Index
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF, Py_XINCREF
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_SIZE
from libc.string cimport memcpy

from cowarray._array.array cimport (
    Array,
    Birth,
    BORN_EAGER_ORDER,
    BORN_LAZY,
    BORN_VIEW,
    descr_of,
    drop_header,
    INLINE_DIMS,
    itemsize_of,
    on_storage,
    shadowed_as,
    shape_of,
    still_while_told,
    storage_for,
    strides_of,
)
from cowarray._array.copies cimport (
    copy_as_laid,
    copy_of_alias,
    copy_with,
    lazy_block,
    may_alias,
    order_code,
    order_strides,
)
from cowarray._array.layout cimport c_ordered_size, c_strides, MAXDIMS, same_layout
from cowarray._c.dlpack cimport offered_times
from cowarray._c.python cimport items_of, plain_int
from cowarray._native.storage cimport Storage
from cowarray._ops.operands cimport as_standard, take_road
from cowarray._ops.passage cimport Passage, viewing_passage
from cowarray._ops.road cimport travel_method

cnp.import_array()

cdef enum:
    MOST_LOOKS = 100  # a program that changes an array a few times meanwhile is served; one that always does is told


cdef object settled_lengths(object shape):
    """Return a shape in plain integers. All user code that it can run, runs here."""
    try:
        return (PyNumber_Index(shape),)
    except TypeError:
        pass
    return tuple([PyNumber_Index(length) for length in shape])


cdef bint must_look(Array self, cnp.ndarray header, Storage storage, int *looks) except -1:
    """True before the first look at self, whose header is None, and while self is another one after a gap.

    RuntimeError after many looks, which `looks` counts from 0: user code changes self each time.
    """
    if header is not None and lies_as(self, header, storage):
        return False
    if looks[0] == MOST_LOOKS:
        raise RuntimeError(
            f"ndarray: cannot change an array in place that other code changes meanwhile, {MOST_LOOKS} times in a row: "
            "a finalizer, a callback of the garbage collector, or another thread"
        )
    looks[0] += 1
    return True


cdef bint lies_as(Array self, cnp.ndarray header, Storage storage) noexcept:
    """True if self is still the view of storage that header is."""
    cdef int i
    if self.storage_ is not storage or self.descr is not descr_of(header) or self.nd != cnp.PyArray_NDIM(header):
        return False
    for i in range(self.nd):
        if self.dims[i] != cnp.PyArray_DIMS(header)[i] or self.dims[self.nd + i] != cnp.PyArray_STRIDES(header)[i]:
            return False
    return True


cdef int rebind(Array self, Array other) except -1:
    """Give self the Storage and layout of other: for operations that change an array's shape or dtype in place."""
    cdef cnp.npy_intp *dims = self.inline_dims
    # Objects that end can run user code, which must find self whole: these live until this function returns.
    cdef cnp.ndarray _header = self.header
    cdef Storage _before = self.storage_
    cdef cnp.dtype _descr = self.descr
    cdef PyObject *before = self.shadow
    cdef Storage storage = storage_for(other)  # first, as it can fail, and self must not have a shape without its bytes
    if other.nd > INLINE_DIMS:
        dims = <cnp.npy_intp *>PyMem_Malloc(2 * other.nd * sizeof(cnp.npy_intp))
        if dims == NULL:
            raise MemoryError("cannot allocate memory for the shape of an array")
    drop_header(self)
    if self.dims != self.inline_dims:
        PyMem_Free(self.dims)
    self.dims = dims
    memcpy(dims, other.dims, 2 * other.nd * sizeof(cnp.npy_intp))
    self.nd = other.nd
    self.storage_ = storage
    self.offset = other.offset
    self.descr = other.descr
    Py_XINCREF(other.shadow)
    self.shadow = other.shadow
    Py_XDECREF(before)
    return 0


cdef Array quick_reshape(Array self, PyObject *const *shape, Py_ssize_t nd):
    """Return a lazy reshape of a C-ordered array to lengths that fit; None if NumPy has to do it.

    shape: the method's arguments, borrowed: nd lengths, or a tuple of them.
    """
    cdef cnp.npy_intp lengths[INLINE_DIMS]
    cdef cnp.npy_intp size
    cdef long long known = 1
    cdef long long length
    cdef int open_axis = -1
    cdef int i
    if nd == 1 and PyTuple_CheckExact(<object>shape[0]):
        nd = PyTuple_GET_SIZE(<object>shape[0])
        shape = items_of(<object>shape[0])
    if nd > INLINE_DIMS:
        return None
    self = still_while_told(self)
    size = c_ordered_size(self.nd, shape_of(self), itemsize_of(self), strides_of(self))
    if size <= 0:
        return None
    for i in range(nd):
        if not plain_int(shape[i], &length):
            return None
        if length <= 0:
            if length != -1 or open_axis >= 0:
                return None
            open_axis = i
        elif not offered_times(known, length, &known):
            return None
        lengths[i] = length
    if open_axis >= 0:
        # -1 alone is the usual case, and needs no division.
        lengths[open_axis] = size if known == 1 else <cnp.npy_intp>(size // known)
        known *= lengths[open_axis]
    return None if known != size else lazily_shaped(self, nd, lengths, size, "ndarray.reshape")


cdef Array quick_ravel(Array self):
    """Return a lazy copy of a C-ordered array along one axis; None if NumPy has to do it."""
    cdef cnp.npy_intp size
    self = still_while_told(self)
    size = c_ordered_size(self.nd, shape_of(self), itemsize_of(self), strides_of(self))
    return None if size <= 0 else lazily_shaped(self, 1, &size, size, "ndarray.ravel")


cdef Array lazily_shaped(Array self, int nd, const cnp.npy_intp *lengths, cnp.npy_intp size, str operation):
    """Return a lazy copy of a C-ordered array of that size, in lengths that fit; None if it would not be lazy."""
    cdef cnp.npy_intp strides[INLINE_DIMS]
    cdef cnp.npy_intp itemsize = itemsize_of(self)
    cdef Birth reason = BORN_EAGER_ORDER
    cdef Storage storage
    c_strides(nd, lengths, itemsize, strides)
    if may_alias():
        return copy_of_alias(shadowed_as(on_storage(storage_for(self), self.offset, nd, lengths, strides, self.descr,
                                                    self.writeable, BORN_VIEW), self), operation)
    storage = lazy_block(self, size * itemsize, &reason)
    if storage is None:
        return None
    return on_storage(storage, 0, nd, lengths, strides, self.descr, True, BORN_LAZY)


cdef object hand_flatten(Array x, object order):
    return take_road("ndarray.flatten", _plain_flatten, (x, order), {})


def _plain_flatten(Array x not None, order):
    """`flatten`: like `ravel`, a copy in meaning, but one that NumPy never aliases."""
    cdef Passage passage
    cdef Array seen
    if not may_alias():
        return travel_method(x, "ravel", (order,), {})
    passage = viewing_passage()
    seen = <Array?>passage.result(passage.read(x).ravel(order))
    if seen.storage_ is None or seen.storage_ is not x.storage_:
        return seen  # NumPy has copied
    result = copy_as_laid(seen)
    return as_standard(result) if x.standard else result


cdef object hand_reshape(Array x, tuple shape, object order, object copy):
    return take_road("ndarray.reshape", _plain_reshape, (x, *shape), {"order": order, "copy": copy})


def _plain_reshape(Array x not None, *shape, order="C", copy=None):
    quick = quick_reshape(x, items_of(shape), len(shape)) if copy is None and order == "C" else None
    result = reshaped(x, shape, order, copy) if quick is None else quick
    return as_standard(result) if x.standard else result


cdef Array reshaped(Array x, tuple shape, object order, object copy):
    """Return the result of `x.reshape` if NumPy has to find the shape."""
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef Array result
    cdef Passage passage
    if copy is False:
        passage = viewing_passage()
        return <Array?>passage.result(passage.read(x).reshape(*shape, order=order, copy=False))
    if copy and may_alias():
        passage = viewing_passage()
        result = <Array?>passage.result(passage.read(x).reshape(*shape, order=order))
    else:
        result = <Array?>travel_method(x, "reshape", shape, {"order": order})
    if copy:
        # NumPy's copy is laid out in the order asked for, whatever layout a view would have had.
        order_strides(result, order_code(order), strides)
        if may_alias() or not same_layout(result.nd, shape_of(result), strides_of(result), strides):
            return copy_with(result, strides)
    return result
