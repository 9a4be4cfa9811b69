# cython: freethreading_compatible=True
"""Assigning items: by arithmetic on the place where index and value allow it, else by NumPy on headers."""

import operator
import numpy as np

cimport numpy as cnp
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.ref cimport Py_INCREF
from libc.stdint cimport SIZE_MAX
from libc.string cimport memcpy, memmove

from cowarray._array.array cimport (
    access_anywhere,
    access_to,
    Array,
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
    reader_header,
    root,
    size_of,
    still,
    storage_for,
    writable_header,
)
from cowarray._array.layout cimport is_c_ordered, MAXDIMS, product
from cowarray._c.core cimport cow_mutable_scope
from cowarray._c.numpy cimport (
    NPY_ARRAY_WRITEABLE,
    NPY_HALF,
    numpy_ndarray,
    PyArray_CopyInto,
    PyArray_Empty,
    PyArray_ISNBO,
    PyArray_Pack,
    PyArray_View,
    PyDataType_ELSIZE,
    PyTypeNum_ISBOOL,
    PyTypeNum_ISCOMPLEX,
    PyTypeNum_ISINTEGER,
)
from cowarray._native.storage cimport (
    Access,
    begin_write,
    end_write,
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
from cowarray._ops.keys cimport find_place, is_basic, is_same_place, key_beside, narrow, picks_one, settled, small_index
from cowarray._ops.operands cimport runs_code, take_road
from cowarray._ops.overwriting cimport attempt, commit, is_replaceable, overwriting_header, spans_storage
from cowarray._ops.picking cimport Place, place_of, put_box, says_where
from cowarray._ops.reading cimport element_offset, get_item, is_number

cnp.import_array()

cdef object numpy_asarray = np.asarray
cdef type numpy_float64 = np.float64
cdef object numpy_empty = np.empty
cdef object as_strided = np.lib.stride_tricks.as_strided
cdef object set_items = operator.setitem


def _plain_set_item(Array self not None, key, value):
    put_item(self, key, value)


cdef object shown_value(Array self, object value):
    """Convert the right-hand side before anything is written, so that an error changes nothing. A gap."""
    cdef type kind = type(value)
    if is_array_type(kind):
        return const_header(<Array>value) if not runs_code(self.descr) else reader_header(<Array>value)
    if (self.descr.type_num == cnp.NPY_OBJECT or kind is float or kind is int or kind is complex or kind is str
            or cnp.PyArray_CheckAnyScalar(value) or kind is cnp.ndarray):
        return value
    if cnp.PyArray_Check(value):
        return PyArray_View(value, NULL, numpy_ndarray)  # its elements, without the methods of its class
    return numpy_asarray(value, dtype=self.descr)  # memory that it shares is read like a NumPy array's


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
    if (
        (is_float or type(value) is numpy_float64) and descr.type_num == cnp.NPY_DOUBLE
        and PyArray_ISNBO(descr.byteorder)
    ):
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
    """True if converting a Python number that is too large is reported, to a handler or a warning hook: a gap."""
    return descr.type_num > cnp.NPY_ULONGLONG and descr.type_num != cnp.NPY_DOUBLE


cdef int hand_set_item(Array self, object key, object value) except -1:
    take_road("ndarray.__setitem__", _plain_set_item, (self, key, value), {})
    return 0


cdef int put_item(Array self, object key, object value) except -1:
    """Assign `self[key] = value` without a mode.

    `find_place` looks once at an index that arithmetic can handle. The steps that follow run no user code before they
    have used the place, or else look again. Other indices are left to NumPy (`fill_picked`, `put_part`).
    """
    cdef Place place
    cdef cnp.npy_intp index
    if (
        is_array(value) and (<Array>value).header is None and (<Array>value).storage_ is not self.storage_
        and not has_doorkeeper(<Array>value)
    ):
        const_header(<Array>value)  # a gap: now, not after the index was looked at
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
    """Assign a number to the elements that a mask or an array of integers picks, if nothing has to be copied first.

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
    cdef bint filled = False
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
        # After a gap: one look, at an array that may be another by now.
        if self.storage_ is storage and self.descr is descr and self.writeable:
            target = header_at(<char *>scope.data + self.offset, descr, self.nd, self.dims, self.dims + self.nd,
                               NPY_ARRAY_WRITEABLE, None)
            (<object>target)[where] = header_at(<char *>converted, descr, 0, NULL, NULL, 0, None)
            filled = True
    finally:
        end_write(&scope)
    return filled


cdef bint broadcasts(const Place *origin, const Place *target) noexcept:
    """True if the origin has no more axes than the target, each of the same length or 1."""
    cdef int i
    cdef int more = target.nd - origin.nd
    for i in range(origin.nd):
        if more < 0 or (origin.shape[i] != target.shape[more + i] and origin.shape[i] != 1):
            return False
    return True


cdef int copy_between(char *window, Place *target, Place *origin, cnp.ndarray source, cnp.dtype descr) except -1:
    """Copy elements of one dtype to a place in a window: from source, or if it is None, from origin in the window."""
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

    Done as one, such a copy takes ten times as long on AMD's processors (glibc's `rep movsb`, up to the size of the L2
    cache). Large blocks begin with a page, so `x[1:-1] = y + z` is one. Below 2 KiB, glibc copies by registers.
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
    # First the steps that may run user code: the index, then the value. Later steps look at the array themselves.
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
    where = key_beside(self, key)  # after the value's code, which may have written to the index
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


cdef cnp.ndarray packed(cnp.dtype descr, object value):
    """Convert a value to one element. A gap."""
    cdef cnp.ndarray made
    Py_INCREF(descr)  # stolen
    made = PyArray_Empty(0, NULL, descr, False)
    PyArray_Pack(descr, cnp.PyArray_BYTES(made), value)
    return made


cdef inline bint asks_elements(object shown) noexcept:
    """True if elements are converted one by one by user code, which in NumPy sees the earlier ones written."""
    return cnp.PyArray_Check(shown) and runs_code(descr_of(shown))


cdef bint covers(Array x, object where, object shown, bint is_nested) except -1:
    """True if an index gives a view of all of x. Raises if the value does not fit."""
    cdef cnp.ndarray header
    if where is Ellipsis and not cnp.PyArray_Check(shown):
        return True
    header = located_header(x)
    part = header if where is Ellipsis else header[where]
    if type(part) is not cnp.ndarray:
        return False
    if cnp.PyArray_SIZE(part) == 0 and root(part) is not root(header):
        return False  # for elements that an array picks, NumPy takes (0, 0) to fit (0,)
    try:
        check_fits(part, shown, is_nested)
    except ValueError:
        if root(part) is not root(header):
            refuse(header, where, shown)
        raise
    return cnp.PyArray_SIZE(part) == cnp.PyArray_SIZE(header) and root(part) is root(header)


cdef object refuse(cnp.ndarray header, object where, object shown):
    """Raise NumPy's own error for a value that does not fit the index, on an array of one element's memory."""
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
    """True if a cast reports nothing but floating-point errors: no warning of a lost part, or of a date."""
    cdef bint both_text = is_text(source) and is_text(target)
    return both_text or (
        is_number(source) and is_number(target)
        and (not PyTypeNum_ISCOMPLEX(source.type_num) or PyTypeNum_ISCOMPLEX(target.type_num)
             or PyTypeNum_ISBOOL(target.type_num))
    )


cdef inline bint is_text(cnp.dtype descr) noexcept:
    return descr.type_num == cnp.NPY_STRING or descr.type_num == cnp.NPY_UNICODE
