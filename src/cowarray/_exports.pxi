# What goes out: snapshots, which never change, and writable exports, which pin. Included by _ndarray.pyx.


@cython.freelist(16)
@cython.final
@cython.no_gc
cdef class Snapshot:
    """Owns a share of an array's bytes on behalf of a reader outside of the library."""

    cdef Storage storage
    # Of a buffer: what it shows. The shape is followed by the strides, in bytes.
    cdef char *data
    cdef cnp.dtype descr
    cdef int nd
    cdef cnp.npy_intp dims[2 * INLINE_DIMS]

    def __getbuffer__(self, Py_buffer *view, int flags):
        # A PickleBuffer hands requests on to the owner of its view.
        cdef cnp.ndarray array
        if self.descr is None:
            raise BufferError("a snapshot that NumPy's array shows has no buffer; ask the array")
        array = header_at(self.data, self.descr, self.nd, self.dims, self.dims + self.nd, 0, self)
        forward_buffer(array, view, flags)


cdef cnp.ndarray snapshot(ndarray x):
    """A read-only NumPy array of x's values now. It never changes, and cannot be made writable."""
    cdef cnp.npy_intp offset
    cdef cnp.npy_intp dims[2 * MAXDIMS]
    cdef int nd = x.nd
    cdef cnp.dtype descr = x.descr
    cdef ndarray shown
    cdef Snapshot owner = Snapshot.__new__(Snapshot)
    memcpy(dims, x.dims, 2 * nd * sizeof(cnp.npy_intp))  # as x is before snapshot_storage, which see
    owner.storage = snapshot_storage(x, &offset)
    if owner.storage is not None:
        return header_at(owner.storage.address() + offset, descr, nd, dims, dims + nd, 0, owner)
    shown = copy_as_laid(x)
    owner.storage = storage_for(shown)
    return new_header(shown, owner.storage.address(), 0, owner)


cdef Storage snapshot_storage(ndarray x, cnp.npy_intp *offset):
    """A Storage with x's elements as they lie now, and where in it the first one is.

    Shares bytes by the rule for lazy copies, except that elements may overlap, for nobody writes to a snapshot. Where
    it must copy it copies the bytes that the elements lie in if that is not more than the elements themselves would
    take, so that a broadcast array stays small. None otherwise. It can run user code after it has looked at x.
    """
    cdef cnp.npy_intp low = 0, high = 0
    cdef cnp.npy_intp itemsize = itemsize_of(x)
    cdef cnp.npy_intp nbytes = size_of(x) * itemsize
    cdef cnp.npy_intp first = x.offset
    cdef Storage storage = None
    cdef Storage source
    cdef char *window
    if not is_plain(x.descr):
        return None
    extent(x.nd, shape_of(x), itemsize, strides_of(x), &low, &high)
    offset[0] = -low
    source = storage_for(x)
    if 2 * <size_t>min(high - low, nbytes) >= source.allocated():
        storage = source.share(first + low, high - low)
    if storage is None and high - low <= nbytes:
        storage = storage_new(high - low)
        _keeper = bytes_of(source, &window)
        memcpy(storage.address(), window + first + low, high - low)
        count_eager(high - low)
    return storage


cdef extern from *:
    """
    /* What the buffer protocol calls elements of NumPy's types, by their number; NULL for those that need more. */
    static const char *letters(int kind)
    {
        static const char *const numbers[] = {"?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q",
                                              "f", "d", "g", "Zf", "Zd", "Zg"};
        if (kind == NPY_HALF) {
            return "e";
        }
        return kind >= 0 && kind < (int)(sizeof numbers / sizeof *numbers) ? numbers[kind] : NULL;
    }
    """
    const char *letters(int kind) noexcept


cdef bint fill_buffer(ndarray x, Py_buffer *view) except -1:
    """Offer a snapshot as a buffer without a NumPy array in between; False where NumPy should describe it.

    A memoryview of 10 numbers takes 0.5 of the time it takes by NumPy's array.
    """
    cdef cnp.npy_intp offset
    cdef Snapshot owner
    cdef const char *format = letters(x.descr.type_num)
    # NumPy has another format for elements that are not aligned.
    if (
        format == NULL or not 0 < x.nd <= INLINE_DIMS or size_of(x) == 0 or not PyArray_ISNBO(x.descr.byteorder)
        or not is_c_ordered(x.nd, shape_of(x), itemsize_of(x), strides_of(x))
        or <size_t>(storage_for(x).address() + x.offset) % x.descr.alignment
    ):
        return False
    owner = Snapshot.__new__(Snapshot)
    owner.descr = x.descr
    owner.nd = x.nd
    memcpy(owner.dims, x.dims, x.nd * sizeof(cnp.npy_intp))
    c_strides(x.nd, x.dims, itemsize_of(x), owner.dims + x.nd)  # of axes of length 1, too, as NumPy
    owner.storage = snapshot_storage(x, &offset)  # from here on x can be another array
    if owner.storage is None:
        return False
    owner.data = owner.storage.address() + offset
    view.buf = owner.data
    view.itemsize = PyDataType_ELSIZE(owner.descr)
    view.len = product(owner.nd, owner.dims) * view.itemsize
    view.readonly = True
    view.ndim = owner.nd
    view.format = <char *>format
    view.shape = <Py_ssize_t *>owner.dims
    view.strides = <Py_ssize_t *>owner.dims + owner.nd
    view.suboffsets = NULL
    view.internal = NULL
    view.obj = owner
    return True


cdef cnp.ndarray export(ndarray x):
    """A NumPy array that aliases x: x has bytes of its own, and is pinned for as long as the array lives.

    Read-only where x is, for consumers that heed that.
    """
    cdef cnp.ndarray array = writable_header(x)
    if not x.writeable:
        PyArray_CLEARFLAGS(array, NPY_ARRAY_WRITEABLE)
    return array


cdef object numpy_from_snapshot(ndarray x, object dtype, object copy):
    """__array__: a snapshot, or a NumPy array of the caller's own."""
    cdef cnp.dtype wanted = None if dtype is None else numpy_dtype(dtype)
    if copy is not None and type(copy) is not bool:
        copy = as_flag(copy)
    if wanted is not None and wanted != x.descr:
        if copy is False:
            raise ValueError(
                f"Unable to avoid copy while creating an array as requested: from dtype {x.descr!r} to {wanted!r}"
            )
        return (<object>reader_header(x)).astype(wanted)
    if copy:
        return PyArray_NewCopy(const_header(x), cnp.NPY_KEEPORDER)
    return snapshot(x)


cdef object storage_of(object value):
    """The Storage whose elements value reaches: an array of ours, or a writable export of one."""
    if type(value) is ndarray:
        return storage_for(<ndarray>value)
    if cnp.PyArray_Check(value):
        owner = root(value)
        if type(owner) is Pin:
            return (<Pin>owner).storage
    return None


cdef object memory_of(object value):
    """The bytes of value, as NumPy sees them."""
    return const_header(<ndarray>value) if type(value) is ndarray else numpy_asarray(value)


def aliases(x, y, /):
    """Whether a write to x would be seen by y: same Storage, and elements that overlap.

    Parameters
    ----------
    x, y : ndarray or numpy.ndarray
        A NumPy array aliases ours if it is a writable export.

    Returns
    -------
    bool
        Exact. `numpy.shares_memory` answers the same, and so does `numpy.may_share_memory` of two of our arrays.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.array([1, 2, 3])
    >>> cowarray.aliases(x, x[1:]), cowarray.aliases(x, x.copy())
    (True, False)
    """
    cdef object storage = storage_of(x)
    if storage is None or storage is not storage_of(y):
        if type(x) is not ndarray and type(y) is not ndarray:
            return bool(numpy_shares_memory(x, y))
        return False
    return bool(numpy_shares_memory(memory_of(x), memory_of(y)))


def shares_bytes(x, y, /):
    """Whether x and y lie in the same memory now, aliasing or not.

    Parameters
    ----------
    x, y : ndarray or numpy.ndarray

    Returns
    -------
    bool
        True for an array and its lazy copy until one of them is written to.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.array([1, 2, 3])
    >>> y = x.copy()
    >>> cowarray.shares_bytes(x, y)
    True
    >>> y[0] = 5
    >>> cowarray.shares_bytes(x, y)
    False
    """
    return bool(numpy_shares_memory(memory_of(x), memory_of(y)))


# ---- pickles ---------------------------------------------------------------------------------------------------------


cdef object reduce_array(ndarray x, int protocol):
    """For protocol 5 the bytes travel as a snapshot's buffer, out of band if the pickler likes."""
    cdef cnp.ndarray shown, flat
    if not is_plain(x.descr):
        return _unpickle_objects, (PyArray_NewCopy(const_header(x), cnp.NPY_KEEPORDER),)
    shown = snapshot(x)
    description = describe(descr_of(shown))
    if description is None:
        return _unpickle_objects, (PyArray_NewCopy(shown, cnp.NPY_KEEPORDER),)
    order = "F" if cnp.PyArray_IS_F_CONTIGUOUS(shown) and not cnp.PyArray_IS_C_CONTIGUOUS(shown) else "C"
    flat = (<object>shown).reshape(-1, order=order)
    if not cnp.PyArray_ISCONTIGUOUS(flat):
        flat = PyArray_NewCopy(flat, cnp.NPY_CORDER)
    # Read-only, so that it travels as bytes, which the other side can share.
    PyArray_CLEARFLAGS(flat, NPY_ARRAY_WRITEABLE)
    if not cnp.PyArray_ITEMSIZE(flat) or not cnp.PyArray_SIZE(flat):
        payload = ""
    elif protocol >= 5:
        payload = PickleBuffer((<object>flat).view("u1"))
    elif protocol >= 3:
        payload = (<object>flat).tobytes()
    else:
        # Of bytes, these protocols would make a call of another function.
        payload = (<object>flat).tobytes().decode("latin1")
    return _unpickle, (payload, description, (<object>shown).shape, order)


@cython.binding(False)  # no attributes: a pickle that may name this function could set them
def _unpickle(payload, description, shape, order):
    """An array from the parts of a pickle; bytes are shared until written to, other buffers copied."""
    cdef object size = 1
    if type(order) is not str or order not in ("C", "F"):
        raise ValueError(f"unpickle: order must be 'C' or 'F' (got {order!r})")
    if type(shape) is not tuple or len(shape) > MAXDIMS:
        raise ValueError(f"unpickle: shape must be a tuple of at most {MAXDIMS} integers (got {shape!r})")
    for length in shape:
        if type(length) is not int or not 0 <= length <= PY_SSIZE_T_MAX:
            raise ValueError("unpickle: lengths of axes must be integers from 0 to what memory can hold")
        size *= length
    if size > PY_SSIZE_T_MAX:
        raise ValueError(f"unpickle: shape {shape!r} is larger than memory can be")
    dtype = described(description)
    if dtype.subdtype is not None or not is_plain(dtype):
        raise ValueError(f"unpickle: no array of plain bytes is of dtype {dtype!r}")
    if type(payload) is str:
        payload = payload.encode("latin1")
    needed = size * dtype.itemsize
    with memoryview(payload) as view:
        if view.nbytes != needed:
            raise ValueError(
                f"unpickle: {view.nbytes} bytes for shape {shape!r} of dtype {dtype!r}, which needs {needed}"
            )
    if not needed:
        return adopt(numpy_ndarray_type(shape, dtype, order=order))
    # Should the payload answer otherwise the second time, NumPy will find that it does not fit.
    flat = numpy_frombuffer(payload, dtype="u1")
    return import_array(flat.view(dtype).reshape(shape, order=order), None)


def _unpickle_objects(array):
    """An array from NumPy's own pickle: of elements that are more than bytes, or of a dtype of the user's."""
    if type(array) is not numpy_ndarray_type:
        raise ValueError(f"unpickle: expected a numpy.ndarray (got {type(array).__name__})")
    return copy_foreign(array)
