# cython: freethreading_compatible=True
"""Bounds on the elements that a write by indices, masks and the like touches, to give at the door.

A write to a large array that shares bytes costs only the pages that it touches, if it says which before it begins. The
bound is a box, and how many of its elements at most. Finding it must cost less than the write: it takes the least and
the greatest index, or the number of true elements of a mask. Objects other than arrays of plain numbers, and those
whose reading would run user code, are not inspected; then there is no bound, and the whole window is copied.
"""

import numpy as np

cimport cython
cimport numpy as cnp
from libc.stdint cimport SIZE_MAX
from libc.string cimport memcmp, memcpy

from cowarray._array.array cimport (
    Array,
    const_header,
    descr_of,
    has_doorkeeper,
    is_array,
    is_fake,
    itemsize_of,
    shape_of,
    storage_for,
)
from cowarray._array.layout cimport is_c_ordered, product
from cowarray._c.numpy cimport (
    NPY_HALF,
    PyTypeNum_ISBOOL,
    PyTypeNum_ISINTEGER,
)
from cowarray._c.python cimport PySlice_AdjustIndices, PySlice_Unpack
from cowarray._native.storage cimport is_aligned, is_by_page, PAGED, Storage, window_size, write_cost

cnp.import_array()

cdef object numpy_asarray = np.asarray
cdef object minimum = np.minimum
cdef object maximum = np.maximum
cdef object logical_or = np.logical_or
cdef object count_nonzero = np.count_nonzero
cdef object UNKNOWN = object()
cdef type numpy_bool = np.bool_
cdef type numpy_integer = np.integer

cdef enum:
    PAGE = 4096

# Larger numbers of elements are not counted.
cdef double MANY = 2.0**62


@cython.final
@cython.no_gc
cdef class Picked:
    """The index, mask or the like that picks the written elements, and the way in which it picks."""


cdef Picked new_picked(Way way, object value, object axis=None):
    cdef Picked picked = Picked.__new__(Picked)
    picked.way = way
    picked.value = value
    picked.axis = axis
    return picked


cdef void place_of(Array x, Place *place) noexcept:
    place.offset = x.offset
    place.nd = x.nd
    memcpy(place.shape, x.dims, x.nd * sizeof(cnp.npy_intp))
    memcpy(place.strides, x.dims + x.nd, x.nd * sizeof(cnp.npy_intp))


cdef void put_box(Access *access, const Place *place, cnp.npy_intp *box) noexcept:
    """Make the box of an access that of a place; box has room for it."""
    access.offset = place.offset
    access.ndim = place.nd
    memcpy(box, place.shape, place.nd * sizeof(cnp.npy_intp))
    memcpy(box + place.nd, place.strides, place.nd * sizeof(cnp.npy_intp))
    access.dims = <const Py_ssize_t *>box


cdef bint says_where(Array x) except -1:
    cdef Storage storage = storage_for(x)
    return (
        window_size(storage) >= PAGED and not has_doorkeeper(x) and (write_cost(storage) != 0 or is_by_page(storage))
    )


cdef int narrow_to(Access *access, cnp.npy_intp *box, Array x, Picked picked) except -1:
    cdef Place place
    cdef Access told = access[0]
    if access.itemsize == 0:
        return 0
    place_of(x, &place)
    put_box(access, &place, box)  # x may change after this
    if picked.way == AN_INDEX:
        narrow_to_index(access, box, &place, picked.value)
    elif picked.way == A_FLAT_INDEX:
        narrow_to_flat(access, box, &place, picked.value, True)
    elif picked.way == FLAT_PLACES:
        if is_written_in_place(x):
            narrow_to_flat(access, box, &place, picked.value, False)
    elif picked.way == TRUE_ELEMENTS or (picked.way == FLAT_MASK and is_written_in_place(x)):
        mask = plain_array(picked.value)
        if mask is not None:
            narrow_to_mask(access, box, &place, mask, cnp.PyArray_NDIM(mask) == place.nd)
    elif picked.way == ALONG_AN_AXIS:
        access.most = count_along(&place, plain_array(picked.value), picked.axis)
    elif picked.way == THE_DIAGONAL and place.nd > 1:
        narrow_to_diagonal(access, box, &place, picked.value)
    if has_doorkeeper(x) and not is_fake(x):  # doorkeepers are told of elements, not of rows
        if access.most != SIZE_MAX:
            told.most = access.most * <size_t>(access.itemsize // told.itemsize)
        access[0] = told
    return 0


cdef bint same_elements(Array x, Array other) noexcept:
    return (
        x.storage_ is other.storage_ and x.offset == other.offset and x.descr is other.descr and x.nd == other.nd
        and memcmp(x.dims, other.dims, 2 * x.nd * sizeof(cnp.npy_intp)) == 0
    )


cdef bint is_written_in_place(Array x) noexcept:
    """True if a function on x.flat writes to x itself, rather than to a copy that is written back as a whole."""
    return is_c_ordered(x.nd, x.dims, itemsize_of(x), x.dims + x.nd) and is_aligned(
        x.storage_, x.offset, x.descr.alignment
    )


cdef cnp.ndarray plain_array(object value):
    """Return an index or mask as a NumPy array of plain numbers, if reading it runs no user code; else None."""
    if is_array(value):
        if has_doorkeeper(<Array>value) or not is_plain_number((<Array>value).descr.type_num):
            return None
        value = const_header(<Array>value)
    if type(value) is list:
        for item in <list>value:
            if type(item) is not int and type(item) is not bool:
                return None
        value = numpy_asarray(value)
    elif type(value) is int or isinstance(value, numpy_integer):
        value = numpy_asarray(value)
    if type(value) is not cnp.ndarray or not is_plain_number(descr_of(value).type_num):
        return None
    return (<object>value).view()  # other threads may change the shape of the original meanwhile


cdef inline bint is_plain_number(int type_num) noexcept:
    return type_num < cnp.NPY_OBJECT or type_num == NPY_HALF


# ---- by an index -----------------------------------------------------------------------------------------------------


cdef struct Pick:
    Place place  # a box of the array's elements that contains all picked ones; its axes are the array's
    bint by_array[MAXDIMS]  # by axis: not all of the place's elements along it are picked
    int nd  # of the shape that the arrays of the index broadcast to
    cnp.npy_intp shape[MAXDIMS]


cdef int narrow_to_index(Access *access, cnp.npy_intp *box, const Place *whole, object where) except -1:
    """Narrow to the elements of x[where], a settled index or a list."""
    cdef Pick pick
    cdef cnp.ndarray mask
    cdef int axis = 0, i
    cdef double most
    where = tuple([shown(item) for item in where]) if type(where) is tuple else shown(where)
    if type(where) is cnp.ndarray and cnp.PyArray_TYPE(where) == cnp.NPY_BOOL and cnp.PyArray_NDIM(where) > 0:
        mask = where
        if cnp.PyArray_NDIM(mask) <= whole.nd:
            narrow_to_mask(access, box, whole, mask, True)
        return 0
    pick.place = whole[0]
    pick.nd = 0
    for i in range(whole.nd):
        pick.by_array[i] = False
    items = where if type(where) is tuple else (where,)
    for item in items:
        if item is Ellipsis:
            axis = whole.nd - axes_after(items, item)
        elif item is not None and not isinstance(item, (bool, numpy_bool)):
            axis = pick_item(&pick, item, axis)
        if axis < 0 or axis > whole.nd:
            return 0  # NumPy will report the error
    most = 1
    for i in range(pick.nd):
        most *= pick.shape[i]
    for i in range(whole.nd):
        if not pick.by_array[i]:
            most *= pick.place.shape[i]
    if most < MANY:
        access.most = <size_t>most
    join_rows(access, &pick)
    put_box(access, &pick.place, box)
    return 0


cdef object shown(object item):
    """Return an item of an index, with arrays and lists as `plain_array` gives them; UNKNOWN for any other object.

    An array whose bytes are away is returned as it is.
    """
    if is_array(item) and has_doorkeeper(<Array>item) and PyTypeNum_ISINTEGER((<Array>item).descr.type_num):
        return item
    if not is_array(item) and type(item) is not list and type(item) is not cnp.ndarray:
        return item
    array = plain_array(item)
    return UNKNOWN if array is None else array


cdef int axes_after(object items, object ellipsis) except -2:
    """Count the axes that the items after the ellipsis take."""
    cdef int axes = 0
    cdef bint after = False
    for item in items:
        if item is ellipsis:
            after = True
        elif after and item is not None and not isinstance(item, (bool, numpy_bool)):
            is_mask = type(item) is cnp.ndarray and cnp.PyArray_TYPE(item) == cnp.NPY_BOOL
            axes += cnp.PyArray_NDIM(item) if is_mask else 1
    return axes


cdef int pick_item(Pick *pick, object item, int axis) except -2:
    """Return the axis after those that an item picks from; -1: the item is unknown, or wrong."""
    cdef Py_ssize_t start, stop, step, length
    cdef cnp.npy_intp index
    if type(item) is cnp.ndarray:
        if cnp.PyArray_TYPE(item) == cnp.NPY_BOOL:
            return pick_by_mask(pick, item, axis)
        if axis >= pick.place.nd or not PyTypeNum_ISINTEGER(descr_of(item).type_num):
            return -1
        return axis + 1 if pick_by_indices(pick, item, axis) else -1
    if axis >= pick.place.nd:
        return -1
    if is_array(item):  # its values are unknown
        if not together_with(pick, (<Array>item).nd, shape_of(<Array>item)):
            return -1
        pick.by_array[axis] = True
        return axis + 1
    if type(item) is slice:
        if item.step is not None and item.step == 0:
            return -1
        PySlice_Unpack(item, &start, &stop, &step)
        length = PySlice_AdjustIndices(pick.place.shape[axis], &start, &stop, step)
        keep(pick, axis, start if length else 0, length, step if length else 1)
        return axis + 1
    if type(item) is not int and not isinstance(item, numpy_integer):
        return -1
    if not -pick.place.shape[axis] <= item < pick.place.shape[axis]:
        return -1
    index = item
    keep(pick, axis, index if index >= 0 else index + pick.place.shape[axis], 1, 1)
    return axis + 1


cdef inline void keep(Pick *pick, int axis, cnp.npy_intp start, cnp.npy_intp length, cnp.npy_intp step) noexcept:
    pick.place.offset += start * pick.place.strides[axis]
    pick.place.shape[axis] = length
    pick.place.strides[axis] = <cnp.npy_intp>(<size_t>step * <size_t>pick.place.strides[axis])  # wraps, as in NumPy


cdef bint together_with(Pick *pick, int nd, const cnp.npy_intp *shape) noexcept:
    """Broadcast the shape of one more array with the others'. False if they do not fit."""
    cdef int i
    cdef cnp.npy_intp *own
    while pick.nd < nd:
        for i in range(pick.nd, 0, -1):
            pick.shape[i] = pick.shape[i - 1]
        pick.shape[0] = 1
        pick.nd += 1
    for i in range(nd):
        own = &pick.shape[pick.nd - nd + i]
        if own[0] == 1:
            own[0] = shape[i]
        elif shape[i] != 1 and shape[i] != own[0]:
            return False
    return True


cdef bint pick_by_indices(Pick *pick, cnp.ndarray indices, int axis) except -1:
    """Narrow to the range from the least to the greatest index. False if one is out of bounds, or arrays do not fit."""
    cdef cnp.npy_intp length = pick.place.shape[axis]
    if not together_with(pick, cnp.PyArray_NDIM(indices), cnp.PyArray_DIMS(indices)):
        return False
    pick.by_array[axis] = True
    if cnp.PyArray_SIZE(indices) == 0:
        return True
    low, high = int(minimum.reduce(indices, axis=None)), int(maximum.reduce(indices, axis=None))
    if low < -length or high >= length:
        return False
    if high < 0:
        low, high = low + length, high + length
    if low >= 0:
        keep(pick, axis, low, high - low + 1, 1)
    return True


cdef int pick_by_mask(Pick *pick, cnp.ndarray mask, int axis) except -2:
    cdef int nd = cnp.PyArray_NDIM(mask), i
    cdef cnp.npy_intp count
    if nd == 0:
        return axis
    if axis + nd > pick.place.nd:
        return -1
    count = count_nonzero(mask)
    if not together_with(pick, 1, &count):
        return -1
    for i in range(axis, axis + nd):
        pick.by_array[i] = True
    if nd == 1 and count and cnp.PyArray_DIMS(mask)[0] == pick.place.shape[axis]:
        first, last = ends_of(mask)
        keep(pick, axis, first, last - first + 1, 1)
    return axis + nd


cdef tuple ends_of(cnp.ndarray mask):
    """Return the places of the first and the last true element of a mask with one axis."""
    return int((<object>mask).argmax()), cnp.PyArray_SIZE(mask) - 1 - int((<object>mask)[::-1].argmax())


cdef void join_rows(Access *access, Pick *pick) noexcept:
    """Count adjacent elements that are picked together as one, since they share pages."""
    cdef int axis = 0, i
    while axis < pick.place.nd:
        if pick.by_array[axis] or pick.place.strides[axis] != access.itemsize or pick.place.shape[axis] < 2:
            axis += 1
            continue
        access.itemsize *= pick.place.shape[axis]
        if access.most != SIZE_MAX:
            access.most //= <size_t>pick.place.shape[axis]
        for i in range(axis + 1, pick.place.nd):
            pick.place.shape[i - 1] = pick.place.shape[i]
            pick.place.strides[i - 1] = pick.place.strides[i]
            pick.by_array[i - 1] = pick.by_array[i]
        pick.place.nd -= 1
        axis = 0


# ---- by a mask -------------------------------------------------------------------------------------------------------


cdef int narrow_to_mask(Access *access, cnp.npy_intp *box, const Place *whole, cnp.ndarray mask,
                        bint leads) except -1:
    """Narrow to the true elements of a mask. leads: its axes are the first ones; else it is broadcast, or flat."""
    cdef int nd = cnp.PyArray_NDIM(mask), i
    cdef cnp.npy_intp size = product(whole.nd, whole.shape), of_mask = cnp.PyArray_SIZE(mask), row
    if size == 0 or of_mask == 0:
        return 0
    while nd > 0 and cnp.PyArray_DIMS(mask)[nd - 1] == 1:
        nd -= 1  # for the rest of each row
    for i in range(nd if leads else 0):
        leads = leads and cnp.PyArray_DIMS(mask)[i] == whole.shape[i]
    row = access.itemsize * (size // of_mask if leads else 1)
    if leads and PyTypeNum_ISBOOL(descr_of(mask).type_num) and (
        is_c_ordered(whole.nd, whole.shape, access.itemsize, whole.strides)
    ):
        return narrow_to_rows(access, box, whole.offset, row, (<object>mask).reshape(-1))
    access.most = <size_t>count_nonzero(mask) * <size_t>(size // of_mask + (size % of_mask != 0))
    return 0


cdef int narrow_to_rows(Access *access, cnp.npy_intp *box, cnp.npy_intp offset, cnp.npy_intp row,
                        cnp.ndarray mask) except -1:
    """Narrow to the adjacent rows of so many bytes, from offset on, for which the mask is true."""
    cdef Place place
    cdef cnp.npy_intp together = max(1, PAGE // row), size = cnp.PyArray_SIZE(mask)
    cdef cnp.npy_intp first, last, blocks
    touched = mask
    if together > 1:  # in blocks of a page at most
        blocks = size // together
        touched = logical_or.reduce((<object>mask)[:blocks * together].reshape(blocks, together), axis=1)
        if size % together:
            touched = np.append(touched, (<object>mask)[blocks * together:].any())
    blocks = count_nonzero(touched)
    place.nd = 1
    place.offset = offset
    place.shape[0] = 0
    if blocks:
        found = ends_of(touched)
        first, last = found[0], found[1]
        place.offset += first * together * row
        place.shape[0] = min((last + 1) * together, size) - first * together
    place.strides[0] = row
    access.itemsize = row
    put_box(access, &place, box)
    if together > 1:
        # A block may start within a page, so one that follows no other touches one more.
        blocks += count_nonzero((<object>touched)[1:] > (<object>touched)[:-1]) + 1
    access.most = min(<size_t>count_nonzero(mask), <size_t>blocks)
    return 0


# ---- in other ways ---------------------------------------------------------------------------------------------------


cdef int narrow_to_flat(Access *access, cnp.npy_intp *box, const Place *whole, object value, bint is_index) except -1:
    """Narrow to the elements of x.flat[value]; if not is_index, to those of these places that are in bounds."""
    cdef Place flat
    cdef cnp.ndarray places
    cdef cnp.npy_intp room[2 * MAXDIMS]
    cdef bint ordered = is_c_ordered(whole.nd, whole.shape, access.itemsize, whole.strides)
    cdef Access among = access[0]
    flat.nd = 1
    flat.offset = whole.offset
    flat.shape[0] = product(whole.nd, whole.shape)
    flat.strides[0] = among.itemsize if ordered else 0  # 0: there are no rows to join
    if type(value) is tuple and len(<tuple>value) == 1:
        value = (<tuple>value)[0]
    places = plain_array(value)
    if places is not None:
        if not PyTypeNum_ISINTEGER(descr_of(places).type_num):
            if not is_index or cnp.PyArray_TYPE(places) != cnp.NPY_BOOL or cnp.PyArray_NDIM(places) != 1:
                return 0
        elif not is_index and cnp.PyArray_SIZE(places):
            access.most = among.most = cnp.PyArray_SIZE(places)
            if minimum.reduce(places, axis=None) < 0:
                return 0  # an index out of bounds wraps, or is clipped
        value = places
    elif not is_index or (type(value) is not slice and value is not Ellipsis):
        return 0
    narrow_to_index(&among, room, &flat, value)
    if ordered and among.dims == <const Py_ssize_t *>room:
        memcpy(box, room, sizeof(room))
        access[0] = among
        access.dims = <const Py_ssize_t *>box
    else:
        access.most = among.most
    return 0


cdef size_t count_along(const Place *whole, cnp.ndarray indices, object axis) except? 0:
    """Return the most elements that numpy.put_along_axis can write; SIZE_MAX if that is not known."""
    cdef double most = 1
    cdef int i, along
    if indices is None:
        return SIZE_MAX
    if axis is None:
        return cnp.PyArray_SIZE(indices)
    if type(axis) is not int or cnp.PyArray_NDIM(indices) != whole.nd or not -whole.nd <= axis < whole.nd:
        return SIZE_MAX
    along = axis if axis >= 0 else axis + whole.nd
    for i in range(whole.nd):
        most *= cnp.PyArray_DIMS(indices)[i] if i == along else max(cnp.PyArray_DIMS(indices)[i], whole.shape[i])
    return <size_t>most if most < MANY else SIZE_MAX


cdef int narrow_to_diagonal(Access *access, cnp.npy_intp *box, const Place *whole, object wraps) except -1:
    """Narrow to the elements that numpy.fill_diagonal writes, of two axes or more."""
    cdef Place diagonal
    cdef int i
    if wraps is not False:
        access.most = whole.shape[0] if whole.nd == 2 else SIZE_MAX  # at most one in each row
        return 0
    diagonal.nd = 1
    diagonal.offset = whole.offset
    diagonal.shape[0] = whole.shape[0]
    diagonal.strides[0] = 0
    for i in range(whole.nd):
        diagonal.shape[0] = min(diagonal.shape[0], whole.shape[i])
        diagonal.strides[0] += whole.strides[i]
    put_box(access, &diagonal, box)
    return 0
