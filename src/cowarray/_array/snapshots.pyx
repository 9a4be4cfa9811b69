# cython: freethreading_compatible=True
"""Snapshots: read-only NumPy arrays and buffers that have a share and never change.

Also headers for readers that keep nothing, and NumPy copies for callers outside the library.
"""

import numpy as np

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
    INLINE_DIMS,
    is_fake,
    is_plain,
    itemsize_of,
    new_header,
    new_snapshot,
    private_header,
    shape_of,
    size_of,
    Snapshot,
    still_while_told,
    storage_for,
    strides_of,
)
from cowarray._array.copies cimport copy_as_laid, exports_alias, have_copied, is_worth_sharing, may_copy
from cowarray._array.layout cimport extent, MAXDIMS
from cowarray._c.atomics cimport relaxed
from cowarray._c.numpy cimport letters, PyArray_ISNBO, PyArray_NewCopy
from cowarray._native.storage cimport (
    Access,
    allow_eager,
    EXPORT,
    is_aligned,
    knock,
    own_bytes,
    READS,
    share,
    Storage,
    storage_new,
    tell_eager,
)

cnp.import_array()

cdef object numpy_asarray = np.asarray
cdef object numpy_empty = np.empty
ASKED_FOR = "memory of its own was asked for"

# Structured dtype -> whether NumPy reads it back from its own buffers.
cdef dict survives = {}


cdef cnp.ndarray snapshot(Array x):
    """Return a read-only NumPy array of x's present values. It never changes, and cannot be made writable."""
    cdef cnp.npy_intp offset
    cdef cnp.npy_intp dims[2 * MAXDIMS]
    cdef int nd = x.nd
    cdef cnp.dtype descr = x.descr
    cdef Array shown
    cdef Access access
    cdef Snapshot owner = new_snapshot()
    memcpy(dims, x.dims, 2 * nd * sizeof(cnp.npy_intp))  # x may change in snapshot_storage
    owner.storage = snapshot_storage(x, &offset, -1)
    if owner.storage is not None:
        return header_at(own_bytes(owner.storage) + offset, descr, nd, dims, dims + nd, 0, owner)
    if is_fake(x):
        access = access_to(x, READS, EXPORT)
        knock(x.storage_, &access)  # raises FakeError: a copy would have no bytes either
    shown = copy_as_laid(x)
    owner.storage = storage_for(shown)
    return new_header(shown, own_bytes(owner.storage), 0, owner)


cdef Storage snapshot_storage(Array x, cnp.npy_intp *offset, cnp.npy_intp block):
    """Make a Storage with x's elements in their present layout, and set the first one's offset in it.

    It shares bytes by the rules for lazy copies, except that elements may overlap, since nobody writes to a snapshot.
    Otherwise it copies the bytes that the elements lie in, if a dense copy would not be smaller, so a broadcast array
    stays small. None if neither is possible. block: the elements' bytes if they are plain and C-ordered; otherwise -1.
    A gap, after x has been read.
    """
    cdef cnp.npy_intp low = 0, high = 0
    cdef cnp.npy_intp itemsize = itemsize_of(x)
    cdef cnp.npy_intp nbytes = block if block >= 0 else size_of(x) * itemsize
    cdef cnp.npy_intp first = x.offset
    cdef Storage storage = None
    cdef Storage source
    cdef char *window
    cdef char *fresh
    cdef Birth reason = BORN_EAGER_SMALL
    cdef Access access
    x = still_while_told(x)
    access = access_to(x, READS, EXPORT)
    if block >= 0:
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
    """Make a NumPy copy of a header, for a caller outside the library."""
    cdef cnp.ndarray own
    allow_eager(cnp.PyArray_NBYTES(shown), ASKED_FOR)
    own = PyArray_NewCopy(shown, order)
    tell_eager(cnp.PyArray_NBYTES(shown), ASKED_FOR)
    return own


cdef inline cnp.npy_intp describe_block(Array x, Snapshot owner) noexcept:
    """Describe x to owner with the strides of C order, and return its elements' bytes; -1 if x is not in C order."""
    cdef cnp.npy_intp nbytes = itemsize_of(x)
    cdef int i
    owner.descr = x.descr
    owner.nd = x.nd
    for i in range(x.nd - 1, -1, -1):
        # Axes of length 1 get NumPy's strides as well.
        if x.dims[i] != 1 and x.dims[x.nd + i] != nbytes:
            return -1
        owner.dims[i] = x.dims[i]
        owner.dims[x.nd + i] = nbytes
        nbytes *= x.dims[i]
    return nbytes


cdef bint fill_buffer(Array x, Py_buffer *view) except -1:
    """Fill in a snapshot's buffer without an intermediate NumPy array; False if NumPy has to describe the export.

    This halves the time of a memoryview of 10 numbers.
    """
    cdef cnp.npy_intp offset
    cdef cnp.npy_intp nbytes
    cdef Snapshot owner
    cdef const char *format = letters(x.descr.type_num)
    if (
        format == NULL or relaxed(&x.loans) != 0 or exports_alias() or not 0 < x.nd <= INLINE_DIMS
        or not PyArray_ISNBO(x.descr.byteorder)
    ):
        return False
    owner = new_snapshot()
    nbytes = describe_block(x, owner)
    # NumPy has another format for unaligned elements.
    if nbytes <= 0 or not is_aligned(storage_for(x), x.offset, x.descr.alignment):
        return False
    owner.storage = snapshot_storage(x, &offset, nbytes)  # x may be another array afterwards
    if owner.storage is None:
        return False
    owner.data = own_bytes(owner.storage) + offset
    fill_view(view, owner.data, owner.descr, owner.nd, owner.dims, format, True)
    view.obj = owner
    return True


cdef bint loses_as_buffer(cnp.dtype descr) except -1:
    """True if NumPy would read another dtype from the buffer, or refuse to make one.

    So for void without fields, titles, many alignments, and extended precision in the other byte order.
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


cdef object readable(Array self):
    """Return a header to make Python objects from; a snapshot for structured dtypes, whose fields may become views."""
    return snapshot(self) if self.descr.type_num == cnp.NPY_VOID else const_header(self)


cdef object printable(Array self):
    """Return a header to print from; a snapshot if a user function, which may keep it, prints arrays or fields."""
    if self.descr.type_num == cnp.NPY_VOID or np.get_printoptions()["override_repr"] is not None:
        return snapshot(self)
    return private_header(self)
