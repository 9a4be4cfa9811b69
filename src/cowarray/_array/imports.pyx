# cython: freethreading_compatible=True
"""Imports: which foreign memory may be shared, and which must be copied once."""

from mmap import mmap as mmap_type

cimport numpy as cnp
from cpython.object cimport PyObject
from libc.string cimport memcpy

from cowarray._array.alias_buffers cimport pin_behind
from cowarray._array.array cimport (
    adopt,
    Array,
    Birth,
    BORN_EAGER_ORDER,
    BORN_FILE,
    BORN_IMPORT,
    BORN_IMPORT_ALIAS,
    BORN_IMPORT_COPY,
    BORN_VIEW,
    descr_of,
    extent_of,
    get_base,
    is_array,
    is_plain,
    itemsize_of,
    new_header,
    on_storage,
    root,
    size_of,
    Snapshot,
    with_face,
)
from cowarray._array.copies cimport copy_as_laid, copy_of_alias, exports_alias, have_copied, lazy_copy, may_copy
from cowarray._array.layout cimport c_strides, extent_fits, f_strides, kept_strides, MAXDIMS, product, same_layout
from cowarray._array.snapshots cimport snapshot
from cowarray._c.numpy cimport (
    NPY_ARRAY_OWNDATA,
    NPY_ARRAY_WRITEABLE,
    PyArray_BASE,
    PyArray_CopyInto,
    PyArray_NewCopy,
    PyDataType_ELSIZE,
)
from cowarray._native.storage cimport (
    is_foreign,
    own_bytes,
    PAGED,
    Pin,
    SMALL_COPY,
    Storage,
    storage_adopt,
    storage_new,
    storage_of_file,
)

cnp.import_array()


cdef Array import_array(cnp.ndarray array, object copy):
    """Import a NumPy array. copy: True, False, or None, which copies unless sharing is sound or trusted.

    If imports alias in the current context, None asks for an alias.
    """
    cdef Array alias = alias_as_numpy(array) if copy is None and exports_alias() else None
    return import_value(array, copy) if alias is None else alias


cdef Array import_value(cnp.ndarray array, object copy):
    """Like `import_array`, but never an alias, whatever the context."""
    cdef object owner = owner_of(array)
    cdef bint plain = is_plain(descr_of(array))
    if type(owner) is Snapshot and plain and copy is not True:
        return clone_of_snapshot(owner, array, copy)
    if copy is False and not plain:
        raise ValueError(
            f"copy=False cannot share an array of dtype {descr_of(array)!r}, because its elements are "
            "not plain bytes; drop copy=False"
        )
    if copy is False or (copy is None and plain and is_trusted(array) and not is_sparse(array)):
        return share_foreign(array)
    return copy_foreign(array)


cdef Array import_received(cnp.ndarray array):
    """Import an unpickled buffer: share one that its transport marks read-only, on trust.

    Copy a misaligned one: NumPy would compute slowly with it as long as it lives, and its sums, grouped differently,
    would differ slightly.
    """
    cdef bint fit = not cnp.PyArray_ISWRITEABLE(array) and cnp.PyArray_ISALIGNED(array)
    return import_array(array, False if fit and type(owner_of(array)) is not Snapshot else None)


cdef object owner_of(cnp.ndarray array):
    """Return the owner of the memory, behind memoryviews of NumPy's arrays and of snapshots."""
    cdef object owner = root(array)
    while type(owner) is memoryview:
        viewed = owner.obj
        if not cnp.PyArray_Check(viewed) and type(viewed) is not Snapshot:
            break
        owner = root(viewed) if cnp.PyArray_Check(viewed) else viewed
    return owner


cdef bint is_sparse(cnp.ndarray array) noexcept:
    """True if the first write would copy more than twice the elements' size, because of the bytes between them."""
    cdef cnp.npy_intp low = 0, high = 0
    extent_of(array, &low, &high)
    return (high - low) // 2 > cnp.PyArray_NBYTES(array)


cdef Array clone_of_snapshot(Snapshot owner, cnp.ndarray array, object copy):
    cdef Birth reason = BORN_EAGER_ORDER
    cdef Array x = on_storage(owner.storage, cnp.PyArray_BYTES(array) - own_bytes(owner.storage),
                              cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array),
                              descr_of(array), True, BORN_VIEW)
    if copy is False:
        x = lazy_copy(x, &reason)
        return share_foreign(array) if x is None else x
    return copy_as_laid(x)


cdef Array share_foreign(cnp.ndarray array, object owner=None):
    """Make an array on foreign memory, which is never written to and never stolen.

    owner: the object that keeps the memory alive, in place of the NumPy array.
    """
    cdef cnp.npy_intp low = 0, high = 0
    cdef Storage storage
    if not cnp.PyArray_IS_C_CONTIGUOUS(array) and not extent_fits(
        cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_ITEMSIZE(array), cnp.PyArray_STRIDES(array)
    ):
        raise ValueError(f"asarray: the strides {(<object>array).strides} lead out of the address space")
    extent_of(array, &low, &high)
    storage = storage_adopt(array if owner is None else owner, cnp.PyArray_BYTES(array) + low, high - low, True)
    return on_storage(storage, -low, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array),
                      descr_of(array), distinct_array(array), BORN_IMPORT)


def array_of_file(int descriptor, size_t offset, tuple shape, cnp.dtype descr, bint fortran):
    """Make an array of plain bytes on pages of a file, from offset on. Writes go to private pages, not to the file."""
    cdef cnp.npy_intp lengths[MAXDIMS]
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef cnp.npy_intp itemsize = PyDataType_ELSIZE(descr)
    cdef int nd = len(shape), i
    for i in range(nd):
        lengths[i] = shape[i]
    if fortran:
        f_strides(nd, lengths, itemsize, strides)
    else:
        c_strides(nd, lengths, itemsize, strides)
    return on_storage(storage_of_file(descriptor, offset, product(nd, lengths) * itemsize), 0, nd, lengths, strides,
                      descr, True, BORN_FILE)


def array_of_map(int descriptor, size_t offset, cnp.ndarray array, object value):
    """Make an array laid out like a NumPy array, on pages of a file with its bytes, the lowest of them at offset.

    Writes go to private pages, not to the file. `array` lives as long as any page of the file may be read. value: the
    argument from which `large_foreign` took the array.
    """
    cdef cnp.npy_intp low = 0, high = 0
    cdef Array x
    extent_of(array, &low, &high)
    x = on_storage(storage_of_file(descriptor, offset, high - low, array), -low, cnp.PyArray_NDIM(array),
                   cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array), descr_of(array), True, BORN_FILE)
    return with_face(x, is_array(value) and (<Array>value).standard, BORN_FILE)


def large_foreign(object value):
    """Return a NumPy array of 4 MiB or more on memory that others own and `asarray` shares; None for any other value.

    No two of its elements overlap.
    """
    cdef cnp.ndarray array
    if is_array(value):
        if (<Array>value).storage_ is None or not is_foreign((<Array>value).storage_):
            return None
        array = snapshot(<Array>value)
    else:
        array = value
    owner = owner_of(array)
    if type(owner) is Snapshot and not is_foreign((<Snapshot>owner).storage):
        return None
    shared = is_plain(descr_of(array)) and is_trusted(array) and not is_sparse(array) and distinct_array(array)
    return array if shared and cnp.PyArray_NBYTES(array) >= PAGED else None


cdef Array alias_as_numpy(cnp.ndarray array):
    """Alias a NumPy array in a context where imports do; None if it is to be shared or copied as usual."""
    cdef Pin pin = pin_behind(array)
    cdef Storage storage
    if pin is not None and own_bytes(pin.storage) == <char *>pin.scope.data:
        storage = pin.storage  # an alias that this library exported comes back
        view = on_storage(storage, cnp.PyArray_BYTES(array) - <char *>pin.scope.data, cnp.PyArray_NDIM(array),
                          cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array), descr_of(array),
                          cnp.PyArray_ISWRITEABLE(array), BORN_VIEW)
        return copy_of_alias(view, "asarray")
    if cnp.PyArray_ISWRITEABLE(array):
        return alias_foreign(array) if distinct_array(array) else None
    return alias_foreign(array) if is_read_of_writable(array) else None


cdef bint is_read_of_writable(cnp.ndarray array) noexcept:
    """True if a read-only array is a view of a writable one, whose writes it sees."""
    cdef PyObject *at = PyArray_BASE(array)
    while at != NULL and cnp.PyArray_Check(<object>at):
        if cnp.PyArray_ISWRITEABLE(<cnp.ndarray>at):
            return True
        at = PyArray_BASE(<cnp.ndarray>at)
    return False


cdef Array alias_foreign(cnp.ndarray array):
    """Make an array that aliases foreign memory, as NumPy's would: each side sees the other's writes."""
    cdef cnp.npy_intp low = 0, high = 0
    cdef Storage storage
    extent_of(array, &low, &high)
    storage = storage_adopt(array, cnp.PyArray_BYTES(array) + low, high - low, False)
    storage.never_shared = True
    storage.hold = None  # this Storage is not the array's only user: readers get a Hold
    storage.window = NULL
    storage.unscoped = NULL
    return on_storage(storage, -low, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array),
                      descr_of(array), cnp.PyArray_ISWRITEABLE(array), BORN_IMPORT_ALIAS)


cdef Array copy_foreign(cnp.ndarray array):
    """Make a private copy, in NumPy's order 'K'."""
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef cnp.npy_intp itemsize, nbytes
    cdef int nd
    cdef Array x
    cdef char *fresh
    may_copy(cnp.PyArray_NBYTES(array), BORN_IMPORT_COPY)
    itemsize = cnp.PyArray_ITEMSIZE(array)
    nbytes = cnp.PyArray_NBYTES(array)
    nd = cnp.PyArray_NDIM(array)
    if not is_plain(descr_of(array)):
        x = adopt(PyArray_NewCopy(array, cnp.NPY_KEEPORDER))
    else:
        kept_strides(nd, cnp.PyArray_DIMS(array), itemsize, cnp.PyArray_STRIDES(array), strides)
        x = on_storage(storage_new(nbytes, &fresh), 0, nd, cnp.PyArray_DIMS(array), strides, descr_of(array), True,
                       BORN_IMPORT_COPY)
        # One block, too small to be worth releasing the GIL: this saves a third of the time for 10 elements.
        if nbytes <= SMALL_COPY and same_layout(nd, cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array), strides):
            memcpy(fresh, cnp.PyArray_BYTES(array), nbytes)
        else:
            PyArray_CopyInto(new_header(x, fresh, NPY_ARRAY_WRITEABLE, x.storage_), array)
    x.birth = BORN_IMPORT_COPY
    have_copied(nbytes, BORN_IMPORT_COPY)
    return x


cdef Array copied_by_numpy(cnp.ndarray array):
    """Make an array on a copy of foreign memory that NumPy has just made, in another order, and nobody else uses."""
    cdef Array x
    may_copy(cnp.PyArray_NBYTES(array), BORN_IMPORT_COPY)
    x = adopt(array)
    x.birth = BORN_IMPORT_COPY
    have_copied(size_of(x) * itemsize_of(x), BORN_IMPORT_COPY)
    return x


cdef bint is_trusted(cnp.ndarray array) except -1:
    """True if memory is read-only down to its owner.

    Sharing such memory is sound for bytes and snapshots. For others it is a documented risk: someone may hold an older
    writable view, set the flag back, or change the file.
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
    if type(owner) is bytes or type(owner) is Snapshot:
        return True
    if type(owner) is memoryview:
        if not owner.readonly:
            return False
        return is_trusted(owner.obj) if cnp.PyArray_Check(owner.obj) else is_trusted_owner(owner.obj)
    if isinstance(owner, mmap_type):
        return memoryview(owner).readonly
    return (type(owner).__module__ or "").partition(".")[0] in ("pyarrow", "ray")
