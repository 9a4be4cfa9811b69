# How arrays come to be: over a Storage, as a view, around NumPy's fresh memory, as a copy. Included by _ndarray.pyx.


cdef ndarray blank(int nd):
    """An array object with room for nd dimensions and nothing else."""
    cdef ndarray x = ndarray.__new__(ndarray)
    if nd <= INLINE_DIMS:
        x.dims = x.inline_dims
    else:
        x.dims = <cnp.npy_intp *>PyMem_Malloc(2 * nd * sizeof(cnp.npy_intp))
        if x.dims == NULL:
            raise MemoryError("cannot allocate the shape of an array")
    x.nd = nd
    return x


cdef inline cnp.dtype descr_of(cnp.ndarray array):
    return <cnp.dtype><PyObject *>cnp.PyArray_DESCR(array)


cdef inline void extent_of(cnp.ndarray array, cnp.npy_intp *low, cnp.npy_intp *high) noexcept:
    """Bytes [low, high) that a NumPy array's elements lie in, counted from the first."""
    if cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_C_CONTIGUOUS):
        low[0] = 0
        high[0] = cnp.PyArray_NBYTES(array)
    else:
        extent(cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_ITEMSIZE(array),
               cnp.PyArray_STRIDES(array), low, high)


cdef inline cnp.npy_intp *shape_of(ndarray x) noexcept:
    return x.dims


cdef inline cnp.npy_intp *strides_of(ndarray x) noexcept:
    return x.dims + x.nd


cdef inline cnp.npy_intp size_of(ndarray x) noexcept:
    return product(x.nd, x.dims)


cdef inline cnp.npy_intp itemsize_of(ndarray x) noexcept:
    return PyDataType_ELSIZE(x.descr)


cdef ndarray on_storage(Storage storage, cnp.npy_intp offset, int nd, const cnp.npy_intp *shape,
                        const cnp.npy_intp *strides, cnp.dtype descr, bint writeable, Made made):
    cdef int i
    cdef ndarray x = blank(nd)
    for i in range(nd):
        x.dims[i] = shape[i]
        x.dims[nd + i] = strides[i]
    x.storage_ = storage
    x.offset = offset
    x.descr = descr
    x.writeable = writeable
    x.made = made
    return x


cdef inline bint is_plain(cnp.dtype descr) noexcept:
    """Whether elements are bytes that memcpy copies: no objects, no StringDType."""
    return not PyDataType_REFCHK(descr) and descr.type_num >= 0 and descr.type_num != NPY_VSTRING


# ---- headers: NumPy's eyes on our bytes ------------------------------------------------------------------------------


cdef void set_header(ndarray x, cnp.ndarray header) noexcept:
    """Keep a header. The Storage then knows whom to tell when its bytes move, so that no header keeps old ones."""
    cdef Storage storage = x.storage_
    if not KEEPS_HEADERS:
        return
    if x.header is None:
        x.previous_reader = NULL
        x.next_reader = storage.readers
        if storage.readers != NULL:
            (<ndarray>storage.readers).previous_reader = <void *>x
        storage.readers = <void *>x
    x.header = header


cdef void drop_header(ndarray x) noexcept:
    """Keep no header. A gap."""
    unchain(<void *>x)


cdef void unchain(void *x) noexcept:
    """`drop_header` of an array that may be dying, with callbacks under way: a reference to it would revive it.

    So it is borrowed, as the casts are.
    """
    cdef cnp.ndarray header = (<ndarray>x).header  # ends with this function, when arrays and chain are whole
    if header is not None and (<ndarray>x).storage_ is not None:
        if (<ndarray>x).previous_reader != NULL:
            (<ndarray>(<ndarray>x).previous_reader).next_reader = (<ndarray>x).next_reader
        else:
            (<ndarray>x).storage_.readers = (<ndarray>x).next_reader
        if (<ndarray>x).next_reader != NULL:
            (<ndarray>(<ndarray>x).next_reader).previous_reader = (<ndarray>x).previous_reader
        (<ndarray>x).next_reader = (<ndarray>x).previous_reader = NULL
    (<ndarray>x).header = None


cdef void storage_moved(Storage storage) noexcept:
    while storage.readers != NULL:
        unchain(storage.readers)


set_moved(storage_moved)


cdef cnp.ndarray new_header(ndarray x, char *window, int flags, object base):
    """A NumPy array over the elements of x in bytes that start at window and that base keeps alive."""
    return header_at(window + x.offset, x.descr, x.nd, shape_of(x), strides_of(x), flags, base)


cdef cnp.ndarray header_at(char *data, cnp.dtype descr, int nd, cnp.npy_intp *shape, cnp.npy_intp *strides, int flags,
                           object base):
    """A NumPy array on bytes that base keeps alive; the first element is at data."""
    cdef cnp.ndarray header
    Py_INCREF(descr)  # stolen
    header = PyArray_NewFromDescr(numpy_ndarray, descr, nd, shape, strides, data, flags, NULL)
    Py_INCREF(base)  # stolen
    PyArray_SetBaseObject(header, base)
    return header


cdef cnp.ndarray const_header(ndarray x):
    """NumPy's read-only view of x as it is when this returns; its memory stays. A gap, before that.

    The array may keep it for its next reader: it is for NumPy's C, not for user code.
    """
    cdef Storage storage
    cdef cnp.ndarray header = x.header
    cdef char *window
    while header is None or not (
        x.storage_ is None or cnp.PyArray_BYTES(header) == x.storage_.address() + x.offset
    ):
        header = None
        drop_header(x)
        storage = storage_for(x)
        keeper = bytes_of(storage, &window)
        if x.storage_ is storage and x.header is None and window == storage.address():
            header = new_header(x, window, 0, keeper)
            set_header(x, header)
            return header
        header = x.header
    return header


cdef object bytes_of(Storage storage, char **window):
    """What keeps the bytes that a Storage has now, and where they start. A gap."""
    cdef Hold own
    if not KEEPS_HEADERS:
        own = storage.new_hold()
        window[0] = <char *>own.scope.data
        return own
    return storage.held(window)


cdef cnp.ndarray guarded_header(ndarray x):
    """A const header for code that is not NumPy's C: should it get out, it cannot be made writable. A gap."""
    cdef cnp.ndarray header = const_header(x)
    while cnp.PyArray_Check(root(header)):
        refresh(storage_for(x))  # NumPy's own array, which had the bytes; from here on readers have a Hold
        header = const_header(x)
    return header


cdef cnp.ndarray private_header(ndarray x):
    """A const header with a scope of its own, which x does not keep: its shape and dtype may be set."""
    cdef Hold hold = storage_for(x).new_hold()
    return new_header(x, <char *>hold.scope.data, 0, hold)


cdef cnp.ndarray reader_header(ndarray x):
    """A header for as long as user code may run, which may keep it and set its shape: x keeps another.

    It has a share, so that nobody steals and writes its bytes; such code may write to x, which then gets other bytes.
    Where there can be no share (while x is pinned, and of objects), it has a scope of its own.
    """
    cdef Storage storage = storage_for(x)
    cdef Storage share = storage.share(0, storage.size(), True)
    cdef Snapshot owner
    if share is None:
        return private_header(x)
    owner = Snapshot.__new__(Snapshot)
    owner.storage = share
    return new_header(x, share.address(), 0, owner)


cdef cnp.ndarray writable_header(ndarray x):
    """NumPy's writable view of x, which has bytes of its own, and is pinned while the view lives. A gap, before."""
    cdef Storage storage
    cdef Pin pin
    while True:
        storage = storage_for(x)
        pin = pin_storage(storage)
        if x.storage_ is storage:
            return new_header(x, <char *>pin.scope.data, NPY_ARRAY_WRITEABLE, pin)


cdef cnp.ndarray header_beside(ndarray x, cnp.ndarray writer):
    """What to read x from while writer, a writable header, is written to: the same bytes, if x is a view of them.

    A Storage that has just got bytes of its own has no context yet, and to make one could fail.
    """
    cdef object owner = root(writer)
    if x.storage_ is not None and type(owner) is Pin and x.storage_ is (<Pin>owner).storage:
        return new_header(x, <char *>(<Pin>owner).scope.data, 0, owner)
    return const_header(x)


cdef PyObject *root_of(PyObject *array) noexcept:
    """`root`, borrowed."""
    cdef PyObject *base
    while True:
        base = PyArray_BASE(<cnp.ndarray>array)
        if base == NULL:
            return array
        if not cnp.PyArray_Check(<object>base):
            if type(<object>base) is not strides_holder or (<object>base).base is None:
                return base
            base = <PyObject *>(<object>base).base
        array = base


cdef inline object root(cnp.ndarray array):
    """What owns the memory of a NumPy array: the last array of the chain, or what that one stands on."""
    return <object>root_of(<PyObject *>array)


cdef inline object get_base(cnp.ndarray array):
    cdef PyObject *base = PyArray_BASE(array)
    return None if base == NULL else <object>base


# ---- views and fresh memory ------------------------------------------------------------------------------------------


cdef ndarray view_of(ndarray source, char *window, cnp.ndarray array, bint writeable):
    """The view of source that NumPy described with array, a view of memory that starts at window. No gap since then."""
    cdef cnp.npy_intp offset = cnp.PyArray_BYTES(array) - window if cnp.PyArray_SIZE(array) else source.offset
    return view_on(storage_for(source), offset, window, array, writeable)


cdef ndarray view_on(Storage storage, cnp.npy_intp offset, char *window, cnp.ndarray array, bint writeable):
    cdef ndarray x = on_storage(storage, offset, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array),
                                cnp.PyArray_STRIDES(array), descr_of(array), writeable, MADE_VIEW)
    if KEEPS_HEADERS and window == storage.window and root(array) is storage.hold:
        if not cnp.PyArray_ISWRITEABLE(array):
            set_header(x, array)
    return x


cdef ndarray adopt(cnp.ndarray array, Storage storage=None):
    """Take over NumPy's fresh memory. Several results on one owner pass the Storage of the first."""
    cdef cnp.ndarray owner = array
    cdef bint writeable = cnp.PyArray_ISWRITEABLE(array)
    cdef cnp.npy_intp low = 0, high = 0, offset = 0
    cdef ndarray x
    if KEEPS_HEADERS and PyArray_BASE(array) == NULL and cnp.PyArray_CheckExact(array) and storage is None:
        # Most results are read and dropped. The Storage can wait: see give_storage.
        extent_of(array, &low, &high)
        PyArray_CLEARFLAGS(array, NPY_ARRAY_WRITEABLE)
        x = on_storage(None, -low, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array),
                       descr_of(array), writeable, MADE_FRESH)
        x.header = array
        return x
    while PyArray_BASE(owner) != NULL:
        owner = get_base(owner)
    if storage is not None and array is owner:
        writeable = True  # adopting it before has cleared the flag
    if storage is None:
        extent_of(owner, &low, &high)
        PyArray_CLEARFLAGS(owner, NPY_ARRAY_WRITEABLE)
        storage = storage_adopt(owner, cnp.PyArray_BYTES(owner) + low, high - low, False)
        storage.has_references = not is_plain(descr_of(owner))
    PyArray_CLEARFLAGS(array, NPY_ARRAY_WRITEABLE)
    if cnp.PyArray_SIZE(array):  # without elements it can lie anywhere
        offset = cnp.PyArray_BYTES(array) - storage.address()
    x = on_storage(storage, offset, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array),
                   descr_of(array), writeable, MADE_FRESH)
    if cnp.PyArray_CheckExact(array):
        set_header(x, array)
    return x


cdef inline Storage storage_for(ndarray x):
    """x's Storage."""
    return x.storage_ if x.storage_ is not None else give_storage(x)


cdef Storage storage_then(ndarray x, Storage storage, cnp.ndarray header):
    """The Storage that x had when header was made; there may have been gaps since. storage was x's then.

    None if x had none yet and has become another array: such bytes have no other name.
    """
    if storage is not None:
        return storage
    if x.storage_ is None:
        return give_storage(x) if x.header is header else None
    return x.storage_ if x.storage_.hold is header else None


cdef Storage give_storage(ndarray x):
    """Make the Storage of an array that has only been computed so far, around the NumPy array that is its header."""
    cdef cnp.ndarray owner = x.header
    cdef cnp.npy_intp low = 0, high = 0
    extent_of(owner, &low, &high)
    cdef Storage storage = storage_adopt(owner, cnp.PyArray_BYTES(owner) + low, high - low, False)
    storage.has_references = not is_plain(x.descr)
    x.header = None
    x.storage_ = storage
    set_header(x, owner)
    return storage


# ---- copies ----------------------------------------------------------------------------------------------------------


cdef ndarray copy_with(ndarray source, const cnp.npy_intp *strides, bint writeable=True):
    """A copy in meaning, whose elements lie as `strides` (NumPy's for the result) say.

    Lazy where the source's elements already lie so and the other rules of `lazy_or_reason` hold.
    """
    cdef Made reason = MADE_EAGER_ORDER
    cdef cnp.npy_intp offset
    cdef Storage storage
    if same_layout(source.nd, shape_of(source), strides_of(source), strides):
        storage = lazy_storage(source, &offset, &reason)
        if storage is not None:
            return on_storage(storage, offset, source.nd, shape_of(source), strides, source.descr, True, MADE_LAZY)
    elif not distinct(source.nd, shape_of(source), itemsize_of(source), strides_of(source)):
        reason = MADE_EAGER_OVERLAP
    return eager_copy(source, strides, reason)


cdef ndarray lazy_copy(ndarray source, Made *reason):
    """A copy that shares bytes, in the source's own layout; None, and why, where a rule forbids it."""
    cdef cnp.npy_intp offset
    cdef Storage storage = lazy_storage(source, &offset, reason)
    if storage is None:
        return None
    return on_storage(storage, offset, source.nd, shape_of(source), strides_of(source), source.descr, True, MADE_LAZY)


cdef Storage lazy_storage(ndarray source, cnp.npy_intp *offset, Made *reason):
    """A new Storage on the bytes that source's elements lie in, and where in it the first one is."""
    cdef cnp.npy_intp low = 0, high = 0
    cdef cnp.npy_intp itemsize = itemsize_of(source)
    cdef Storage storage
    if not is_plain(source.descr) or storage_for(source).has_references:
        reason[0] = MADE_EAGER_DTYPE
        return None
    storage = storage_for(source)
    if not is_worth_sharing(storage, size_of(source) * itemsize):
        reason[0] = MADE_EAGER_SMALL
        return None
    if not distinct(source.nd, shape_of(source), itemsize, strides_of(source)):
        reason[0] = MADE_EAGER_OVERLAP
        return None
    extent(source.nd, shape_of(source), itemsize, strides_of(source), &low, &high)
    storage = storage.share(source.offset + low, high - low)
    if storage is None:
        reason[0] = MADE_EAGER_PINNED
    offset[0] = -low
    return storage


cdef ndarray eager_copy(ndarray source, const cnp.npy_intp *strides, Made reason):
    """A copy made now, in bytes of the core's allocator; by NumPy where elements are more than bytes."""
    cdef cnp.npy_intp source_strides[MAXDIMS]
    cdef cnp.npy_intp nbytes = size_of(source) * itemsize_of(source)
    cdef cnp.npy_intp offset = source.offset
    cdef int nd = source.nd
    cdef bint plain = is_plain(source.descr)
    # One block of bytes, too small to let go of the GIL for: a copy of 10 elements takes 0.5 of the time.
    cdef bint is_block = (
        plain and nbytes <= SMALL_COPY and same_layout(nd, shape_of(source), strides_of(source), strides)
    )
    cdef cnp.dtype descr = source.descr
    cdef Storage storage = storage_for(source)
    cdef cnp.ndarray target = None
    cdef ndarray x = None
    cdef char *window
    memcpy(source_strides, strides_of(source), nd * sizeof(cnp.npy_intp))
    if plain:
        x = on_storage(storage_new(nbytes), 0, nd, shape_of(source), strides, descr, True, reason)
    else:
        target = new_like(source, strides)
    keeper = bytes_of(storage, &window)  # a gap: from here on the source can be another array
    if is_block:
        memcpy(x.storage_.address(), window + offset, nbytes)
    else:
        if plain:
            target = new_header(x, x.storage_.address(), NPY_ARRAY_WRITEABLE, x.storage_)
        PyArray_CopyInto(target, header_at(window + offset, descr, nd, cnp.PyArray_DIMS(target), source_strides, 0,
                                           keeper))
    if not plain:
        x = adopt(target)
        x.made = reason
    count_eager(nbytes)
    return x


cdef cnp.ndarray new_like(ndarray source, const cnp.npy_intp *strides):
    """NumPy's empty array of source's shape and dtype; in the order of strides where they are C's or Fortran's."""
    cdef bint fortran = (
        is_f_ordered(source.nd, shape_of(source), itemsize_of(source), strides)
        and not is_c_ordered(source.nd, shape_of(source), itemsize_of(source), strides)
    )
    Py_INCREF(source.descr)  # stolen
    return PyArray_Empty(source.nd, shape_of(source), source.descr, fortran)


cdef ndarray copy_in_order(ndarray source, char order):
    """The copy that NumPy's `copy(order)` gives."""
    cdef cnp.npy_intp strides[MAXDIMS]
    order_strides(source, order, strides)
    return copy_with(source, strides)


cdef void order_strides(ndarray source, char order, cnp.npy_intp *strides) noexcept:
    cdef cnp.npy_intp itemsize = itemsize_of(source)
    cdef bint fortran = order == c"F"
    if order == c"K":
        kept_strides(source.nd, shape_of(source), itemsize, strides_of(source), strides)
        return
    if order == c"A":
        fortran = (
            is_f_ordered(source.nd, shape_of(source), itemsize, strides_of(source))
            and not is_c_ordered(source.nd, shape_of(source), itemsize, strides_of(source))
        )
    if fortran:
        f_strides(source.nd, shape_of(source), itemsize, strides)
    else:
        c_strides(source.nd, shape_of(source), itemsize, strides)


cdef ndarray copy_as_laid(ndarray source):
    """A copy of an alias that NumPy made: lazily in the very same layout, or at once in order 'K'."""
    cdef Made reason = MADE_EAGER_ORDER
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef ndarray x = lazy_copy(source, &reason)
    if x is not None:
        return x
    kept_strides(source.nd, shape_of(source), itemsize_of(source), strides_of(source), strides)
    return eager_copy(source, strides, reason)


cdef char order_code(object order) except -1:
    """'C', 'F', 'A' or 'K', as NumPy reads it."""
    if order is None:
        return c"K"
    if isinstance(order, str) and len(order) == 1 and order.upper() in "CFAK":
        return <char>(<unsigned char>ord(order.upper()))
    refusal = f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})"
    raise ValueError(refusal) if isinstance(order, str) else TypeError(refusal)
