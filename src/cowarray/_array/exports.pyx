# cython: freethreading_compatible=True, auto_pickle=False
"""What goes out: snapshots, which never change, and writable exports, which pin.

Who asks for an array or a buffer and says no more gets a snapshot, or an alias where the array is lent (`outgoing`).
"""

import numpy as np
from contextvars import ContextVar

cimport cython
cimport numpy as cnp
from libc.string cimport memcpy

from cowarray._array.array cimport (
    access_to,
    Array,
    Birth,
    BORN_EAGER_PINNED,
    BORN_EAGER_SMALL,
    bytes_of,
    const_header,
    header_at,
    header_for,
    INLINE_DIMS,
    is_array,
    is_plain,
    itemsize_of,
    located_header,
    new_header,
    new_snapshot,
    private_header,
    reader_header,
    root,
    shape_of,
    size_of,
    Snapshot,
    still,
    still_while_told,
    storage_for,
    strides_of,
    tell_of_read,
    writable_header,
)
from cowarray._array.copies cimport copy_as_laid, exports_alias, have_copied, is_worth_sharing, may_copy, tell_exported
from cowarray._array.layout cimport c_strides, extent, is_c_ordered, MAXDIMS, product
from cowarray._c.atomics cimport add, relaxed
from cowarray._c.numpy cimport (
    letters,
    NPY_ARRAY_WRITEABLE,
    NPY_USERDEF,
    NPY_VSTRING,
    PyArray_BASE,
    PyArray_CLEARFLAGS,
    PyArray_ISNBO,
    PyArray_NewCopy,
    PyDataType_ELSIZE,
)
from cowarray._native.storage cimport (
    Access,
    allow_eager,
    Behalf,
    EXPORT,
    is_aligned,
    knock,
    own_bytes,
    Pin,
    READS,
    share,
    Storage,
    storage_new,
    tell_eager,
    WRITES,
)

cnp.import_array()

cdef object numpy_dtype = np.dtype
cdef object numpy_asarray = np.asarray
cdef object numpy_empty = np.empty
cdef object numpy_shares_memory = np.shares_memory
ASKED_FOR = "memory of its own was asked for"
cdef object numpy_isnan = np.isnan
cdef object numpy_isnat = np.isnat
cdef object numpy_can_cast = np.can_cast
cdef object IF_NEEDED = np._CopyMode.IF_NEEDED  # as NumPy's own Python code says copy=None

# Structured dtype -> whether NumPy reads it back from its own buffers.
cdef dict survives = {}


cdef cnp.ndarray snapshot(Array x):
    """A read-only NumPy array of x's values now. It never changes, and cannot be made writable."""
    tell_of_read(x)
    cdef cnp.npy_intp offset
    cdef cnp.npy_intp dims[2 * MAXDIMS]
    cdef int nd = x.nd
    cdef cnp.dtype descr = x.descr
    cdef Array shown
    cdef Access access
    cdef Snapshot owner = new_snapshot()
    memcpy(dims, x.dims, 2 * nd * sizeof(cnp.npy_intp))  # as x is before snapshot_storage, which see
    owner.storage = snapshot_storage(x, &offset, False)
    if owner.storage is not None:
        return header_at(own_bytes(owner.storage) + offset, descr, nd, dims, dims + nd, 0, owner)
    if is_fake(x):
        access = access_to(x, READS, EXPORT)
        knock(x.storage_, &access)  # a copy would have no bytes either
    shown = copy_as_laid(x)
    owner.storage = storage_for(shown)
    return new_header(shown, own_bytes(owner.storage), 0, owner)


cdef Storage snapshot_storage(Array x, cnp.npy_intp *offset, bint is_block):
    """A Storage with x's elements as they lie now, and where in it the first one is.

    Shares bytes by the rule for lazy copies, except that elements may overlap: nobody writes to a snapshot. Where it
    must copy, it copies the bytes that the elements lie in if that is not more than the elements themselves would
    take, so that a broadcast array stays small. None otherwise. is_block: plain elements in C order. A gap, after it
    has looked at x.
    """
    cdef cnp.npy_intp low = 0, high = 0
    cdef cnp.npy_intp itemsize = itemsize_of(x)
    cdef cnp.npy_intp nbytes = size_of(x) * itemsize
    cdef cnp.npy_intp first = x.offset
    cdef Storage storage = None
    cdef Storage source
    cdef char *window
    cdef char *fresh
    cdef Birth reason = BORN_EAGER_SMALL
    cdef Access access
    x = still_while_told(x)
    access = access_to(x, READS, EXPORT)
    if is_block:
        high = nbytes
    elif not is_plain(x.descr):
        return None
    else:
        extent(x.nd, shape_of(x), itemsize, strides_of(x), &low, &high)
    offset[0] = -low
    source = storage_for(x)
    if is_worth_sharing(source, min(high - low, nbytes)):
        storage = share(source, &access, first + low, high - low)
        reason = BORN_EAGER_PINNED
    if storage is None and high - low <= nbytes:
        may_copy(high - low, reason)
        storage = storage_new(high - low, &fresh)
        _keeper = bytes_of(source, &access, &window)
        memcpy(fresh, window + first + low, high - low)
        have_copied(high - low, reason)
    return storage


cdef cnp.ndarray copied_out(cnp.ndarray shown, cnp.NPY_ORDER order):
    """NumPy's own copy of what it was shown, for somebody outside."""
    cdef cnp.ndarray own
    allow_eager(cnp.PyArray_NBYTES(shown), ASKED_FOR)
    own = PyArray_NewCopy(shown, order)
    tell_eager(cnp.PyArray_NBYTES(shown), ASKED_FOR)
    return own


cdef bint fill_buffer(Array x, Py_buffer *view) except -1:
    """Offer a snapshot as a buffer without a NumPy array in between; False where NumPy should describe what goes out.

    A memoryview of 10 numbers takes 0.5 of the time it takes by NumPy's array.
    """
    cdef cnp.npy_intp offset
    cdef Snapshot owner
    cdef const char *format = letters(x.descr.type_num)
    # NumPy has another format for elements that are not aligned.
    tell_of_read(x)
    if (
        format == NULL or relaxed(&x.loans) != 0 or exports_alias() or not 0 < x.nd <= INLINE_DIMS or size_of(x) == 0
        or not PyArray_ISNBO(x.descr.byteorder)
        or not is_c_ordered(x.nd, shape_of(x), itemsize_of(x), strides_of(x))
        or not is_aligned(storage_for(x), x.offset, x.descr.alignment)
    ):
        return False
    owner = new_snapshot()
    owner.descr = x.descr
    owner.nd = x.nd
    memcpy(owner.dims, x.dims, x.nd * sizeof(cnp.npy_intp))
    c_strides(x.nd, x.dims, itemsize_of(x), owner.dims + x.nd)  # also of axes of length 1, like NumPy's
    owner.storage = snapshot_storage(x, &offset, True)  # from here on x can be another array
    if owner.storage is None:
        return False
    owner.data = own_bytes(owner.storage) + offset
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


cdef bint loses_as_buffer(cnp.dtype descr) except -1:
    """Whether NumPy would read another dtype from the buffer, or refuses to give one.

    So it is for void without fields, titles, many alignments, and extended precision in the other byte order.
    """
    if descr.type_num == cnp.NPY_LONGDOUBLE or descr.type_num == cnp.NPY_CLONGDOUBLE:
        return not PyArray_ISNBO(descr.byteorder)
    if descr.type_num != cnp.NPY_VOID:
        return False
    if (<object>descr).names is None:
        return True
    known = survives.get(descr)
    if known is None:
        try:
            known = numpy_asarray(memoryview(numpy_empty(0, descr))).dtype == descr
        except Exception:
            known = False
        if len(survives) >= 256:
            survives.clear()
        survives[descr] = known
    return not known


cdef dict interface_of(Array x):
    """`__array_interface__` without the data. Where there is no buffer to take instead, NumPy is to ask `__array__`."""
    cdef dict described
    cdef int kind = x.descr.type_num
    if (
        kind == cnp.NPY_DATETIME or kind == cnp.NPY_TIMEDELTA or kind == NPY_VSTRING or kind >= NPY_USERDEF
        or loses_as_buffer(x.descr)
    ):
        raise AttributeError(
            f"__array_interface__: an array of dtype {x.descr!r} has no buffer; use x.to_numpy(), or view x as another "
            "dtype"
        )
    outgoing(x)  # what refuses the buffer says why; NumPy forgets it, and would take an array for a scalar
    described = (<object>located_header(x)).__array_interface__
    del described["data"]
    return described


cdef cnp.ndarray export(Array x, Behalf behalf):
    """A NumPy array that aliases x: x has bytes of its own, and is pinned for as long as the array lives.

    Read-only where x is, for consumers that heed that.
    """
    cdef cnp.ndarray array
    cdef bint writeable = x.writeable
    cdef Access access
    if exports_alias():
        tell_exported(x)
    x = still(x)
    access = access_to(x, WRITES, behalf)
    array = writable_header(x, &access)
    if not writeable:
        PyArray_CLEARFLAGS(array, NPY_ARRAY_WRITEABLE)
    return array


cdef cnp.ndarray outgoing(Array x):
    """What whoever asks for x's elements without a word about writing gets: a snapshot.

    An alias, of an array that is lent, and where copies in meaning are aliases.
    """
    return export(x, EXPORT) if (relaxed(&x.loans) != 0 and x.writeable) or exports_alias() else snapshot(x)


@cython.final
@cython.no_gc
cdef class Loan:
    """Has an array's exports be writable aliases, in any thread, until it ends; the array is pinned as long.

    A loan is of the array object: views and copies have their own. `lend` makes one for each of its arrays; a mode in
    which all exports are aliases makes one for each array that is born in it.
    """

    cdef Array of
    cdef cnp.ndarray pinned

    def __cinit__(self, Array x not None):
        if not x.writeable:
            raise ValueError(
                "lend: an array must be writable, because what borrows it writes to it, and this one is read-only; "
                "lend a copy"
            )
        self.pinned = export(x, EXPORT)
        self.of = x
        add(&x.loans, 1)

    def __dealloc__(self):
        if self.of is not None:
            add(&self.of.loans, -1)

    def end(self):
        """End the loan. Aliases that are still there stay aliases, and each pins for itself."""
        cdef Array of = self.of
        if of is not None:
            self.of = None
            add(&of.loans, -1)
            self.pinned = None


cdef object array_for_numpy(Array x, object dtype, object copy):
    """__array__: what goes out, or a NumPy array of the caller's own."""
    cdef cnp.dtype wanted = None if dtype is None else numpy_dtype(dtype)
    if copy is not None and type(copy) is not bool:
        copy = as_flag(copy)
    if wanted is not None and wanted != x.descr:
        if copy is False:
            raise ValueError(
                "Unable to avoid copy while creating an array as requested: "
                f"converting dtype {x.descr!r} to {wanted!r} needs a copy; drop copy=False"
            )
        return (<object>reader_header(x)).astype(wanted)
    if copy:
        return copied_out(header_for(x, EXPORT), cnp.NPY_KEEPORDER)
    return outgoing(x)


cdef object as_flag(object copy):
    """A copy argument of another type, by NumPy's rule: its truth, but that of text, which is always an error."""
    if isinstance(copy, str):
        raise ValueError(f"strings are not allowed for 'copy' keyword. Use True/False/None instead. (got {copy!r})")
    return None if copy is IF_NEEDED else bool(copy)


cdef object storage_of(object value):
    """The Storage whose elements value reaches: value is a cowarray array, or a writable export of one."""
    if is_array(value):
        return storage_for(<Array>value)
    if cnp.PyArray_Check(value):
        owner = root(value)
        while type(owner) is memoryview and cnp.PyArray_Check(owner.obj):
            owner = root(owner.obj)  # a buffer of the export
        if type(owner) is Pin:
            return (<Pin>owner).storage
    return None


cdef object memory_of(object value):
    """Where the bytes of value lie, as NumPy sees it; absent ones lie nowhere."""
    return located_header(<Array>value) if is_array(value) else numpy_asarray(value)


cdef bint lies_nowhere(object value, object memory):
    """Whether `memory_of` found no bytes, or NumPy's own, which stay where they are."""
    return is_array(value) and PyArray_BASE(<cnp.ndarray>memory) == NULL


cdef bint overlap(object x, object y, bint in_one_storage) except -1:
    """Whether elements of x and y lie in the same memory. Nowhere, one Storage can be compared with itself alone."""
    cdef object of_x = memory_of(x), of_y = memory_of(y)
    if not in_one_storage or lies_nowhere(x, of_x) != lies_nowhere(y, of_y):
        if lies_nowhere(x, of_x):
            of_x = const_header(<Array>x)
        if lies_nowhere(y, of_y):
            of_y = const_header(<Array>y)
    return bool(numpy_shares_memory(of_x, of_y))


def aliases(x, y, /):
    """Whether a write to x would be seen by y: same Storage, and elements that overlap.

    Parameters
    ----------
    x, y : ndarray or numpy.ndarray
        A NumPy array aliases one of this library if it is a writable export.

    Returns
    -------
    bool
        Exact. `numpy.shares_memory` answers the same, and so does `numpy.may_share_memory` of two arrays of this
        library.

    See Also
    --------
    shares_bytes : Whether two arrays lie in the same memory now.
    numpy.shares_memory : Whether NumPy's arrays overlap.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.array([1, 2, 3])
    >>> cowarray.aliases(x, x[1:]), cowarray.aliases(x, x.copy())
    (True, False)
    """
    cdef object storage = storage_of(x)
    if storage is None or storage is not storage_of(y):
        if not is_array(x) and not is_array(y):
            return bool(numpy_shares_memory(x, y))
        return False
    return overlap(x, y, True)


def shares_bytes(x, y, /):
    """Whether x and y lie in the same memory now, aliasing or not.

    Parameters
    ----------
    x, y : ndarray or numpy.ndarray

    Returns
    -------
    bool
        True for an array and its lazy copy until one of them is written to.

    See Also
    --------
    aliases : Whether a write to one is seen by the other.
    explain : Who shares an array's bytes.

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
    return overlap(x, y, False)


cdef object held_values(Array x, cnp.dtype wanted, bint own, object na_value):
    """`to_numpy` with arguments: a snapshot, or a NumPy array of the caller's own where one is asked for or needed."""
    cdef object shown = snapshot(x)
    if na_value is not ...:
        missing = missing_of(shown)
        if missing is not None and missing.any():
            shown = shown.copy(order="K")
            own = False
            if not holds(shown.dtype, na_value):
                if wanted is None or not holds(wanted, na_value):
                    raise ValueError(
                        f"to_numpy: na_value={na_value!r} cannot stand for missing elements of dtype "
                        f"{shown.dtype if wanted is None else wanted!r}; pass a dtype that holds it"
                    )
                shown = shown.astype(wanted)
            shown[missing] = na_value
    if wanted is not None and wanted != shown.dtype:
        return shown.astype(wanted)
    return copied_out(shown, cnp.NPY_KEEPORDER) if own else shown


cdef object missing_of(object array):
    """Which elements stand for a missing one; None where the dtype has no such."""
    kind = array.dtype.kind
    if kind == "O":
        return numpy_asarray([is_missing(value) for value in array.flat], bool).reshape(array.shape)
    return numpy_isnan(array) if kind in "fc" else numpy_isnat(array) if kind in "mM" else None


cdef bint is_missing(object value) except -1:
    return value is None or (isinstance(value, float) and value != value)


cdef bint holds(object dtype, object value) except -1:
    return dtype.kind == "O" or numpy_can_cast(numpy_asarray(value).dtype, dtype, "same_kind")


cdef object readable(Array self):
    """What Python objects are made from: of fields with a shape they are views, and hold a share for it."""
    return snapshot(self) if self.descr.type_num == cnp.NPY_VOID else const_header(self)


# As a class of what name NumPy prints; None, where it is to print as its own. Set by `cowarray.set_printoptions`.
repr_class = ContextVar("cowarray_repr_class", default=None)


cdef object named(Array self):
    """What NumPy makes the `repr` from."""
    kind = repr_class.get()
    return printable(self) if kind is None else printable(self).view(kind)


cdef bint is_fake(Array x) noexcept:
    """Whether x has no bytes, and never will."""
    return x.storage_ is not None and x.storage_.is_fake


cdef bint is_absent(Array x) noexcept:
    """Whether x has no bytes now: then its `repr` is an `outline`."""
    return x.storage_ is not None and (x.storage_.is_fake or x.storage_.is_deferred)


cdef str outline(Array x):
    """What an array without bytes is printed as."""
    shape = tuple([x.dims[i] for i in range(x.nd)])
    descr = <object>x.descr
    dtype = str(descr) if descr.names is None else repr(descr)
    return f"array(..., shape={shape}, dtype={dtype}, {'fake' if is_fake(x) else 'deferred'})"


cdef object printable(Array self):
    """What NumPy prints from. A function of the user that prints arrays or fields may keep what it gets."""
    if self.descr.type_num == cnp.NPY_VOID or np.get_printoptions()["override_repr"] is not None:
        return snapshot(self)
    return private_header(self)
