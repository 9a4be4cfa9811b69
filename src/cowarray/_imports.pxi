# What comes in: whose memory may be shared, and what must be copied once. Included by _ndarray.pyx.


cdef ndarray import_array(cnp.ndarray array, object copy):
    """A NumPy array as ours. copy: True, False, or None for "only where sharing is not sound or trusted"."""
    cdef object owner = root(array)
    while type(owner) is memoryview:
        viewed = owner.obj
        if not cnp.PyArray_Check(viewed) and type(viewed) is not Snapshot:
            break
        owner = root(viewed) if cnp.PyArray_Check(viewed) else viewed
    cdef bint plain = is_plain(descr_of(array))
    if type(owner) is Snapshot and plain and copy is not True:
        return clone_of_snapshot(owner, array, copy)
    if copy is False and not plain:
        raise ValueError(
            f"asarray: an array of dtype {descr_of(array)!r} cannot be shared, because its elements are more "
            "than bytes; leave copy=False away"
        )
    if copy is False or (copy is None and plain and is_trusted(array) and not is_sparse(array)):
        return share_foreign(array)
    return copy_foreign(array)


cdef bint is_sparse(cnp.ndarray array) noexcept:
    """Whether the first write would copy more than twice what the elements are: the bytes between them, too."""
    cdef cnp.npy_intp low = 0, high = 0
    extent_of(array, &low, &high)
    return (high - low) // 2 > cnp.PyArray_NBYTES(array)


cdef ndarray clone_of_snapshot(Snapshot owner, cnp.ndarray array, object copy):
    cdef Made reason = MADE_EAGER_ORDER
    cdef ndarray x = on_storage(owner.storage, cnp.PyArray_BYTES(array) - owner.storage.address(),
                                cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array),
                                descr_of(array), True, MADE_VIEW)
    if copy is False:
        x = lazy_copy(x, &reason)
        return share_foreign(array) if x is None else x
    return copy_as_laid(x)


cdef ndarray share_foreign(cnp.ndarray array):
    """An array on memory that is somebody else's: it is never written to and never stolen."""
    cdef cnp.npy_intp low = 0, high = 0
    cdef Storage storage
    if not cnp.PyArray_IS_C_CONTIGUOUS(array) and not extent_fits(
        cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_ITEMSIZE(array), cnp.PyArray_STRIDES(array)
    ):
        raise ValueError(f"asarray: strides {(<object>array).strides} reach around the address space")
    extent_of(array, &low, &high)
    storage = storage_adopt(array, cnp.PyArray_BYTES(array) + low, high - low, True)
    return on_storage(storage, -low, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array),
                      descr_of(array), distinct_array(array), MADE_IMPORT)


cdef inline bint distinct_array(cnp.ndarray array) noexcept:
    return distinct(cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_ITEMSIZE(array),
                    cnp.PyArray_STRIDES(array))


cdef ndarray copy_foreign(cnp.ndarray array):
    """A private copy, in NumPy's order 'K'."""
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef cnp.npy_intp itemsize = cnp.PyArray_ITEMSIZE(array)
    cdef int nd = cnp.PyArray_NDIM(array)
    cdef ndarray x
    if not is_plain(descr_of(array)):
        x = adopt(PyArray_NewCopy(array, cnp.NPY_KEEPORDER))
        count_eager(product(nd, cnp.PyArray_DIMS(array)) * itemsize)
    else:
        kept_strides(nd, cnp.PyArray_DIMS(array), itemsize, cnp.PyArray_STRIDES(array), strides)
        x = on_storage(storage_new(product(nd, cnp.PyArray_DIMS(array)) * itemsize), 0, nd, cnp.PyArray_DIMS(array),
                       strides, descr_of(array), True, MADE_IMPORT_COPY)
        PyArray_CopyInto(new_header(x, x.storage_.address(), NPY_ARRAY_WRITEABLE, x.storage_), array)
        count_eager(x.storage_.size())
    x.made = MADE_IMPORT_COPY
    return x


cdef bint is_trusted(cnp.ndarray array) except -1:
    """Whether memory is read-only down to an owner that says so itself.

    Sound for bytes and for our snapshots. A risk that the documentation names for the others: somebody may hold a
    writable view that is older, may set the flag back, or may change the file.
    """
    cdef object at = array
    while cnp.PyArray_Check(at):
        if cnp.PyArray_ISWRITEABLE(<cnp.ndarray>at):
            return False
        if get_base(<cnp.ndarray>at) is None:
            return cnp.PyArray_CHKFLAGS(<cnp.ndarray>at, NPY_ARRAY_OWNDATA)
        at = get_base(<cnp.ndarray>at)
    return is_trusted_owner(at)


cdef bint is_trusted_owner(object owner) except -1:
    cdef object view
    if type(owner) is bytes or type(owner) is Snapshot:
        return True
    if type(owner) is memoryview:
        if not owner.readonly:
            return False
        return is_trusted(owner.obj) if cnp.PyArray_Check(owner.obj) else is_trusted_owner(owner.obj)
    if isinstance(owner, mmap_type):
        with memoryview(owner) as view:
            return view.readonly
    return (type(owner).__module__ or "").partition(".")[0] in ("pyarrow", "ray")


cdef frozenset COPIED_TYPES = frozenset(
    (*np.sctypeDict.values(), list, tuple, str, bytes, int, float, complex, bool, type(None))
)


# And these hand out their buffer.
cdef frozenset BUFFER_TYPES = frozenset((memoryview, bytearray, array_array_type, mmap_type))


cdef object with_elements(object values, int depth):
    """values, where it is a list with our arrays without axes, with NumPy's for these.

    Of an array that is not its own, NumPy asks float(), and rounds a longdouble, or takes no text and no fields.
    """
    cdef list seen = None
    cdef Py_ssize_t i
    cdef type kind = type(values)
    if not (kind is list or kind is tuple) or depth > MAXDIMS:
        return values
    for i, item in enumerate(values):
        kind = type(item)
        if kind is ndarray and (<ndarray>item).nd == 0:
            shown = reader_header(<ndarray>item)
        elif kind is list or kind is tuple:
            shown = with_elements(item, depth + 1)
        else:
            continue
        if shown is not item:
            if seen is None:
                seen = listed(values)
            seen[i] = shown
    return values if seen is None else seen


cdef ndarray convert(object obj, object dtype, object order, object copy):
    """Anything but our own arrays, as one of them."""
    cdef cnp.ndarray array
    cdef cnp.ndarray given
    cdef bint own = False
    if cnp.PyArray_Check(obj):
        given = obj
        if not cnp.PyArray_CheckExact(obj):
            given = PyArray_View(obj, NULL, numpy_ndarray)
        if dtype is None and order is None:
            array = given
        else:
            array = numpy_asarray(given, dtype=dtype, order=order)
            own = root(array) is not root(given)
    else:
        # NumPy keeps nothing of a list or a scalar; of anything else it may have got memory that lives on elsewhere.
        own = type(obj) in COPIED_TYPES
        if not own:
            check_buffer(obj)
        array = numpy_asarray(with_elements(obj, 0), dtype=dtype, order=order)
        if copy is False and not own:
            # Memory that is only looked at is the same when looked at twice. (Not every __array__ knows copy=False.)
            given = numpy_asarray(obj, dtype=dtype, order=order)
            own = cnp.PyArray_BYTES(given) != cnp.PyArray_BYTES(array)
        elif type(obj) in BUFFER_TYPES and PyArray_BASE(array) == NULL:
            own = True  # these hand out nothing but their buffer, and this is not it
        if type(array) is not numpy_ndarray_type:
            array = PyArray_View(array, NULL, numpy_ndarray)
    if not own:
        return import_array(array, copy)
    if copy is False:
        raise ValueError(
            f"asarray: a {type(obj).__name__} cannot be shared as dtype {descr_of(array)!r} and order {order!r}; "
            "leave copy=False away"
        )
    if get_base(array) is not None or not cnp.PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA):
        return copy_foreign(array)
    return adopt(array)


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """Convert to an array.

    Parameters
    ----------
    a : array_like
        One of our arrays, a NumPy array, anything with the buffer or ``__array__`` protocol, nested lists, a scalar.
    dtype : dtype, optional
        Default: a's own.
    order : {'K', 'A', 'C', 'F'}, optional
        Memory layout. Default: a's own.
    copy : bool, optional
        ``None``: our own array is returned as it is; memory that is read-only down to its owner (bytes, a memory map
        opened for reading, a NumPy array whose owner is read-only, Arrow buffers, Ray's store) is shared until the
        result is written to; everything else is copied once. ``True``: a private copy. ``False``: never a copy; the
        caller promises that nobody writes to a while arrays made from it have no bytes of their own.
    device : {'cpu'}, optional
    like : array, optional
        Of another library, which then makes the result, as in NumPy.

    Returns
    -------
    ndarray
        Writable; a write never reaches a, unless a is the result.

    Raises
    ------
    ValueError
        copy=False where dtype, order or the kind of a need a copy; an unknown device or order.
    """
    if asks_elsewhere(like):
        return of_elsewhere(numpy_asarray(a, dtype, order, device=device, copy=copy, like=like))
    check_device(device)
    if copy is not None and type(copy) is not bool:
        copy = as_flag(copy)
    if dtype is not None:
        dtype = settled_dtype(dtype)
    if type(a) is not ndarray:
        return convert(a, dtype, order, copy)
    return as_own(<ndarray>a, dtype, order, copy)


cdef bint asks_elsewhere(object like) noexcept:
    """Whether `like` is neither ours nor NumPy's: NumPy then asks it to make the array, or refuses it."""
    return like is not None and type(like) is not ndarray and type(like) is not numpy_ndarray_type


cdef object of_elsewhere(object result):
    """What another library has made; NumPy's array of it may be known to others."""
    return import_array(result, None) if type(result) is numpy_ndarray_type else result


cdef object as_flag(object copy):
    """A copy argument of another type, by NumPy's rule: its truth, but that of text, which is always an error."""
    if isinstance(copy, str):
        raise ValueError(f"strings are not allowed for 'copy' keyword. Use True/False/None instead. (got {copy!r})")
    return None if copy is IF_NEEDED else bool(copy)


cdef bint is_one_of(object value, tuple known) noexcept:
    for item in known:
        if item is value:
            return True
    return False


cdef object settled_dtype(object dtype):
    """What a dtype argument says. NumPy's and Python's own classes say nothing that could change."""
    if isinstance(dtype, numpy_dtype) or is_one_of(dtype, PYTHON_TYPES):
        return dtype
    return dtype if isinstance(dtype, type) and issubclass(dtype, (numpy_dtype, numpy_generic)) else numpy_dtype(dtype)


cdef tuple PYTHON_TYPES = (float, int, bool, complex, str, bytes, object)


cdef cnp.dtype unconverted(ndarray x, object dtype):
    """The dtype that is asked for, where x's bytes are its elements as they are; None where NumPy has to convert."""
    if isinstance(dtype, type) and issubclass(dtype, numpy_dtype):
        return x.descr if type(x.descr) is dtype else None  # a class of dtypes: which of them is for NumPy to say
    wanted = numpy_dtype(dtype)
    # Equal dtypes can differ in metadata and in name; StringDType also in where the text is.
    return wanted if wanted is x.descr or (wanted == x.descr and x.descr.type_num != NPY_VSTRING) else None


cdef ndarray of_dtype(ndarray x, cnp.dtype descr):
    """x, or its view as a dtype that equals its own."""
    return x if descr is x.descr else method(x, "view", (descr,), {})


cdef ndarray as_own(ndarray x, object dtype, object order, object copy):
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef char code = order_code(order)
    cdef cnp.dtype same
    if dtype is not None:
        same = unconverted(x, dtype)
        if same is None:
            if copy is False:
                raise ValueError(
                    f"asarray: from dtype {x.descr!r} to {dtype!r} needs a copy (Unable to avoid copy); "
                    "leave copy=False away"
                )
            return method(x, "astype", (dtype,), {"order": (<bytes>code).decode(), "copy": True})
        x = of_dtype(x, same)
    if copy is True:
        return copy_in_order(x, code)
    if code == c"C" or code == c"F":
        order_strides(x, code, strides)
        if not same_layout(x.nd, shape_of(x), strides_of(x), strides):
            if copy is False:
                raise ValueError(f"asarray: order {order!r} needs a copy; leave copy=False away")
            return copy_in_order(x, code)
    return x


cdef object shallow(object values, object dtype, int ndmin, dict most, object copy):
    """What `array` makes an array of, where dimensions are limited. NumPy looks into lists, and raises the errors."""
    if type(values) is ndarray:
        numpy_array(reader_header(<ndarray>values), copy=None, ndmin=ndmin, **most)
        return values
    # Our arrays in lists may become objects: they are not shown as NumPy's.
    made = numpy_array(values, dtype, copy=None, ndmin=ndmin, **most)
    if copy is False or cnp.PyArray_Check(values):
        return values
    return fresh(made) if type(values) in COPIED_TYPES else made


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=None, like=None, device=None):
    """Make an array; by default a copy of object.

    Parameters
    ----------
    object : array_like
    dtype : dtype, optional
    copy : bool or None, default True
        As for `asarray`. A copy of one of our own arrays is lazy; one of somebody else's memory is made at once.
    order : {'K', 'A', 'C', 'F'}, default 'K'
    subok : bool
        Ignored: the result is a `cowarray.ndarray`.
    ndmin : int
        At least so many dimensions; axes of length 1 are put in front.
    ndmax : int, optional
        At most so many dimensions: what is nested deeper in lists becomes objects.
    like : array, optional
        Of another library, which then makes the result, as in NumPy.
    device : {'cpu'}, optional

    Returns
    -------
    ndarray
        A new Storage, unless copy is not True and object can be used as it is.
    """
    cdef ndarray x
    cdef dict most = {} if ndmax is None else {"ndmax": ndmax}  # which older versions of NumPy do not know
    if asks_elsewhere(like):
        return of_elsewhere(
            numpy_array(object, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, like=like, **most)
        )
    if most:
        copy = copy if copy is None else as_flag(copy)
        object = shallow(object, dtype, ndmin, most, copy)
    x = asarray(object, dtype=dtype, order=order, copy=copy, device=device)
    if ndmin > MAXDIMS:
        raise ValueError(f"ndmin bigger than allowable number of dimensions NPY_MAXDIMS (={MAXDIMS})")
    return x if x.nd >= ndmin else with_axes(x, ndmin)


cdef ndarray with_axes(ndarray x, int nd):
    """The view of x with axes of length 1 in front, so that there are nd."""
    cdef cnp.npy_intp shape[MAXDIMS]
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef int i
    for i in range(nd):
        shape[i] = x.dims[i - (nd - x.nd)] if i >= nd - x.nd else 1
    c_strides(nd, shape, itemsize_of(x), strides)
    for i in range(x.nd):
        strides[nd - x.nd + i] = x.dims[x.nd + i]
    return on_storage(storage_for(x), x.offset, nd, shape, strides, x.descr, x.writeable, MADE_VIEW)


def from_dlpack(x, /, *, device=None, copy=None):
    """Take an array from another library through DLPack.

    Parameters
    ----------
    x : object
        With ``__dlpack__`` and ``__dlpack_device__``, in memory of the CPU.
    device : {'cpu'}, optional
    copy : bool, optional
        The memory is the producer's, who may write to it: ``None`` and ``True`` copy. ``False`` shares it; the caller
        promises that nobody writes to it while arrays made from it have no bytes of their own.

    Returns
    -------
    ndarray
        A lazy copy, if x is one of our arrays.
    """
    check_device(device)
    if type(x) is ndarray:
        if copy is False:
            return x
        return copy_in_order(x, c"K")
    return import_array(numpy_from_dlpack(offered(x)), False if copy is False else True)


cdef int check_device(object device) except -1:
    if device is not None and device != "cpu":
        raise ValueError(f"the only device is 'cpu' (got {device!r})")
    return 0
