# Item access: NumPy's forms of an index, on headers. Included by _ndarray.pyx.


cdef object shown_key(object key):
    """The index as NumPy may see it: our arrays in it as headers."""
    cdef type kind = type(key)
    if kind is int or kind is slice or key is None or key is Ellipsis or kind is str:
        return key
    enter_recursive_call(" in an index")
    try:
        return shown_items(key)
    finally:
        Py_LeaveRecursiveCall()


cdef object shown_items(object key):
    cdef type kind = type(key)
    if kind is ndarray:
        return reader_header(<ndarray>key)
    if kind is tuple:
        for item in <tuple>key:
            if type(item) is ndarray or type(item) is list:
                return tuple([shown_key(item) for item in <tuple>key])
    elif kind is list:
        for item in <list>key:
            if type(item) is ndarray or type(item) is list:
                return [shown_key(item) for item in <list>key]
    return key


cdef bint picks_one(ndarray x, object key) except -1:
    """Whether an index names one element."""
    cdef tuple keys = key if type(key) is tuple else (key,)
    if len(keys) != x.nd:
        return False
    for item in keys:
        if isinstance(item, (ndarray, numpy_ndarray_type)):
            if item.ndim or item.dtype.kind not in "iu":
                return False
        elif isinstance(item, (bool, list)) or not hasattr(item, "__index__"):
            return False
    return True


cdef bint is_quiet(object key) noexcept:
    """Whether an index runs no user code."""
    cdef type kind = type(key)
    if kind is int or key is None or key is Ellipsis or kind is str or kind is ndarray or kind is numpy_ndarray_type:
        return True
    if kind is slice:
        return is_quiet_bound(key.start) and is_quiet_bound(key.stop) and is_quiet_bound(key.step)
    if kind is tuple:
        for item in <tuple>key:
            if type(item) is tuple or not is_quiet(item):
                return False
        return True
    return kind in SCALAR_TYPES


cdef inline bint is_quiet_bound(object bound) noexcept:
    return bound is None or type(bound) is int or type(bound) in SCALAR_TYPES


cdef object detached_void(object scalar):
    """A structured scalar is a view of where it was read: let it be of a copy that nothing writes."""
    cdef cnp.ndarray own = PyArray_NewCopy(PyArray_FromScalar(scalar, NULL), cnp.NPY_CORDER)
    PyArray_CLEARFLAGS(own, NPY_ARRAY_WRITEABLE)
    return own[()]


cdef ndarray basic_view(ndarray self, object key):
    """The view that integers and slices of integers give; None where they name one element, or NumPy has to say.

    NumPy would make an array for it, which costs as much again as ours, and most views are written or copied.
    """
    cdef cnp.npy_intp shape[MAXDIMS]
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef cnp.npy_intp offset = self.offset
    cdef cnp.npy_intp index
    cdef Py_ssize_t start, stop, step, length
    cdef Py_ssize_t given = len(<tuple>key) if type(key) is tuple else 1
    cdef int axis, nd = 0
    if given > self.nd:
        return None
    for axis in range(self.nd):
        if axis >= given:
            shape[nd] = self.dims[axis]
            strides[nd] = self.dims[self.nd + axis]
            nd += 1
            continue
        item = (<tuple>key)[axis] if type(key) is tuple else key
        if type(item) is int:
            index = small_index(item, self.dims[axis])
            if index < 0:
                return None
            offset += index * self.dims[self.nd + axis]
        elif type(item) is slice and is_plain_slice(item):
            try:
                PySlice_Unpack(item, &start, &stop, &step)
            except ValueError:
                return None  # a step of 0, and NumPy may find something worse
            length = PySlice_AdjustIndices(self.dims[axis], &start, &stop, step)
            if length == 0:
                start, step = 0, 1  # as NumPy has it
            offset += start * self.dims[self.nd + axis]
            shape[nd] = length
            strides[nd] = <cnp.npy_intp>(<size_t>step * <size_t>self.dims[self.nd + axis])  # wraps, as NumPy's
            nd += 1
        else:
            return None
    if nd == 0:
        return None
    if product(nd, shape) == 0:
        offset = self.offset  # of no element, so none to go beyond the window for
    return on_storage(storage_for(self), offset, nd, shape, strides, self.descr, self.writeable, MADE_VIEW)


cdef inline bint is_plain_slice(slice bounds) noexcept:
    return is_plain_bound(bounds.start) and is_plain_bound(bounds.stop) and is_plain_bound(bounds.step)


cdef inline bint is_plain_bound(object bound) noexcept:
    return bound is None or type(bound) is int


cdef object get_item(ndarray self, object key):
    cdef ndarray view = basic_view(self, key) if self.nd > 1 or type(key) is not int else None
    if view is not None:
        return view
    cdef cnp.ndarray header = const_header(self) if is_quiet(key) else reader_header(self)
    cdef cnp.ndarray array
    # An index can run user code, and that can resize self: what the header shows is taken down before.
    cdef Storage storage = self.storage_
    cdef cnp.npy_intp offset = self.offset
    cdef char *window = cnp.PyArray_BYTES(header) - offset
    cdef bint is_void = self.descr.type_num == cnp.NPY_VOID
    cdef bint is_element = self.descr.type_num == cnp.NPY_OBJECT and picks_one(self, key)
    cdef object result = header[shown_key(key)]
    if type(result) is not numpy_ndarray_type:
        return detached_void(result) if is_void and isinstance(result, numpy_void) else result
    array = result
    if root_of(<PyObject *>array) == root_of(<PyObject *>header):
        storage = storage_then(self, storage, header)
        if storage is None:
            return copy_foreign(array)
        if cnp.PyArray_SIZE(array):
            offset = cnp.PyArray_BYTES(array) - window
        return view_on(storage, offset, window, array, self.writeable)
    if is_element:
        return result  # an element that is itself a NumPy array
    return adopt(array)


cdef cnp.npy_intp element_offset(ndarray x, object key) except -1:
    """Bytes from the start of the window to the element at key; -2 if key is not integers in range, one an axis."""
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


cdef inline cnp.npy_intp small_index(object item, cnp.npy_intp length) noexcept:
    """The index counted from the front, or -1 when it is out of range."""
    cdef int overflow = 0
    cdef long long index = PyLong_AsLongLongAndOverflow(item, &overflow)
    if index < 0 and not overflow:
        index += length
    return index if not overflow and 0 <= index < length else -1


cdef object shown_value(ndarray self, object value):
    """The right-hand side, converted before anything is written: what fails here has changed nothing."""
    cdef type kind = type(value)
    if kind is ndarray:
        return const_header(<ndarray>value) if not runs_code(self.descr) else reader_header(<ndarray>value)
    if (self.descr.type_num == cnp.NPY_OBJECT or kind is float or kind is int or kind is complex or kind is str
            or cnp.PyArray_CheckAnyScalar(value) or cnp.PyArray_Check(value)):
        return value
    return numpy_array(value, dtype=self.descr)


cdef inline bint is_number(cnp.dtype descr) noexcept:
    return descr.type_num < cnp.NPY_OBJECT or descr.type_num == NPY_HALF


cdef bint is_basic(object key) noexcept:
    """Whether an index gives a view: no list, no array, no mask in it."""
    cdef type kind = type(key)
    if kind is tuple:
        for item in <tuple>key:
            if type(item) is tuple or not is_basic(item):
                return False
        return True
    return kind is int or kind is slice or key is None or key is Ellipsis


cdef int check_fits(cnp.ndarray target, object shown, bint is_nested) except -1:
    """Refuse what cannot be broadcast into the target, before a shared array is copied for nothing."""
    cdef int i, extra
    cdef cnp.ndarray source
    if not cnp.PyArray_Check(shown):
        return 0
    source = shown
    if source.descr is not target.descr:
        # Raises where there is no such cast.
        (<object>numpy_empty((0,), descr_of(target)))[...] = (<object>source).reshape(-1)[:0]
    extra = cnp.PyArray_NDIM(source) - cnp.PyArray_NDIM(target)
    if is_nested and extra > 0:
        raise ValueError(
            "setting an array element with a sequence: the value is nested deeper than the "
            f"{cnp.PyArray_NDIM(target)} dimensions that are assigned to"
        )
    for i in range(cnp.PyArray_NDIM(source)):
        if cnp.PyArray_DIMS(source)[i] != 1 and (
            i < extra or cnp.PyArray_DIMS(source)[i] != cnp.PyArray_DIMS(target)[i - extra]
        ):
            raise ValueError(
                f"could not broadcast input array from shape {shown.shape} into shape {(<object>target).shape}"
            )
    return 0


cdef cnp.ndarray part_header(cnp.ndarray writer, cnp.ndarray shown, cnp.ndarray part):
    """The part of writer that `part` is of `shown`, both headers of one array. No index is evaluated a second time."""
    cdef cnp.ndarray header
    cdef cnp.dtype descr = descr_of(part)
    Py_INCREF(descr)  # stolen
    header = PyArray_NewFromDescr(
        numpy_ndarray, descr, cnp.PyArray_NDIM(part), cnp.PyArray_DIMS(part), cnp.PyArray_STRIDES(part),
        cnp.PyArray_BYTES(writer) + (cnp.PyArray_BYTES(part) - cnp.PyArray_BYTES(shown)), NPY_ARRAY_WRITEABLE, NULL
    )
    base = root(writer)
    Py_INCREF(base)  # stolen
    PyArray_SetBaseObject(header, base)
    return header


cdef int set_element(ndarray self, object key, object value) except -1:
    """A number, at an index of plain integers in range."""
    cdef cow_mutable_scope scope
    cdef cnp.npy_intp offset
    cdef cnp.dtype descr = self.descr
    cdef long double converted[2]  # room and alignment for any number
    PyArray_Pack(descr, converted, const_header(<ndarray>value) if type(value) is ndarray else value)
    # The conversion can have run user code, and that can have resized self.
    cdef Storage storage = storage_for(self)
    offset = element_offset(self, key)
    if offset < 0 or self.descr is not descr:
        raise IndexError("the array was changed while the value to assign was converted")
    begin_write(storage, &scope)
    memcpy(<char *>scope.data + offset, converted, PyDataType_ELSIZE(descr))
    end_write(&scope)
    return 0


cdef int set_item(ndarray self, object key, object value) except -1:
    cdef cnp.ndarray header, found
    cdef bint is_nested, one
    cdef object part
    if not self.writeable:
        raise ValueError("assignment destination is read-only")
    if is_number(self.descr) and size_of(self) > 1 and element_offset(self, key) >= 0:
        return set_element(self, key, value)
    if type(value) is not ndarray and (type(key) is str or (type(key) is list and key and type(key[0]) is str)):
        return set_item(get_item(self, key), Ellipsis, value)
    one = self.descr.type_num != cnp.NPY_OBJECT and picks_one(self, key)
    if one and not self.nd:
        key = Ellipsis  # gives an array where () gives a scalar
    try:
        if one:
            shown = numpy_empty((), self.descr)
            shown[()] = const_header(<ndarray>value) if type(value) is ndarray else value
            if self.descr.type_num == cnp.NPY_VOID:
                shown = shown[()]  # NumPy copies objects in fields from a scalar, not from an array
            is_nested = False
        else:
            shown = shown_value(self, value)
            is_nested = shown is not value and type(value) is not ndarray
    except (TypeError, ValueError):
        # Let NumPy say it in its order, a bad index first, on something that nobody misses.
        part = const_header(self)[shown_key(key)]
        if not one:
            numpy_empty(np.shape(part), self.descr)[...] = value
        raise
    where = shown_key(key)
    if storage_for(self).write_cost() != 0 or (is_nested and is_basic(key)):
        # Bad input should not cost a copy, and what is replaced as a whole need not be copied.
        found = const_header(self) if is_quiet(key) else reader_header(self)
        part = found[where]
        if type(part) is numpy_ndarray_type:
            check_fits(part, shown, is_nested and is_basic(key))
            if cnp.PyArray_SIZE(part) == size_of(self) and root(part) is root(found) and may_overwrite(self):
                header = overwriting_header(self)
                part_header(header, found, part)[...] = shown
                commit(header)
                return 0
        found = part = None  # what was looked at is no reason to copy
    header = writable_header(self)
    # Shown after self has got bytes of its own: the value may be a view of it. (The index has a share of its bytes.)
    if type(value) is ndarray and not one and not runs_code(self.descr):
        shown = header_beside(<ndarray>value, self, header)
    header[where] = shown
    return 0
