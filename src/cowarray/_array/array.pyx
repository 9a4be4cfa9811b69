# cython: freethreading_compatible=True
"""The array object: a Storage, an offset, a shape, strides, a dtype, and the headers through which NumPy reads it.

headers.md, beside this file, lists the headers and their uses. Arrays and headers share one file because an array and
the header that it keeps change together: the header is a link in the chain of its Storage's readers.
"""

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF, Py_XINCREF

from cowarray._c.gil cimport KEEPS_HEADERS
from cowarray._c.numpy cimport (
    is_spare,
    NPY_ARRAY_ALIGNED,
    NPY_ARRAY_C_CONTIGUOUS,
    NPY_ARRAY_F_CONTIGUOUS,
    NPY_ARRAY_WRITEABLE,
    numpy_ndarray,
    PyArray_BASE,
    PyArray_CLEARFLAGS,
    PyArray_NewFromDescr,
    PyArray_SetBaseObject,
    PyArray_UpdateFlags,
    PyArrayObject_fields,
    PyDataType_ELSIZE,
)
from cowarray._c.python cimport construct, constructor_of, end_by, forward_buffer, newfunc, publish, seal
from cowarray._native.storage cimport (
    Access,
    allocated_size,
    Behalf,
    count_shares,
    held,
    Hold,
    Intent,
    is_absent,
    is_at,
    is_foreign,
    is_pinned,
    is_unread,
    knock,
    LOCATES,
    new_hold,
    OPERATION,
    own_bytes,
    Pin,
    pin_storage,
    read_region,
    READS,
    refresh,
    set_moved,
    share,
    Storage,
    storage_adopt,
    window_size,
    write_cost,
    writes_by_page,
    WRITES,
)

cnp.import_array()

# The public class: `Array` with methods. Set once, by the module that defines it.
cdef PyTypeObject *array_type = NULL
cdef newfunc constructor = NULL
cdef tuple NO_ARGUMENTS = ()

cdef enum:
    MOST_SPARE = 16

# Objects of former headers, by their number of axes, without memory or dtype: see `keep_spare`.
cdef PyObject *spare_headers[INLINE_DIMS][MOST_SPARE]
cdef int spares[INLINE_DIMS]


cdef void set_array_type(type kind):
    """Make kind, a subclass that adds no fields, the class of all arrays."""
    global array_type
    array_type = <PyTypeObject *>kind
    array_type.tp_dealloc = (<PyTypeObject *>Array).tp_dealloc  # it owns nothing else


@cython.freelist(256)
@cython.no_gc
cdef class Array:
    """An array's fields; `cowarray.ndarray` adds the methods."""


cdef void end_array(PyObject *x) noexcept:
    # Borrowed: see `unchain`.
    if (<Array>x).header is not None:
        unchain(x)
    if (<Array>x).shadow != NULL:
        Py_DECREF(<object>(<Array>x).shadow)
    if (<Array>x).dims != NULL and (<Array>x).dims != (<Array>x).inline_dims:
        PyMem_Free((<Array>x).dims)


# Each array's origin, in the words of `explain`. For an eager copy, the reason follows the colon.
cdef dict BIRTHS = {
    BORN_FRESH: "computed, or made from Python objects",
    BORN_SCALAR: "computed inside deferred, where NumPy gives a scalar",
    BORN_VIEW: "a view: it aliases every array with the same storage",
    BORN_LAZY: "a lazy copy",
    BORN_EAGER_SMALL: "copied at once: lazily it would have kept an allocation more than twice its size",
    BORN_EAGER_OVERLAP: "copied at once: elements of the source overlapped",
    BORN_EAGER_ORDER: "copied at once: NumPy's result has another memory layout than the source",
    BORN_EAGER_PINNED: "copied at once: the source was being written to, or had a writable export",
    BORN_EAGER_DTYPE: "copied at once: elements of this dtype are not plain bytes",
    BORN_IMPORT: "imported: somebody else's memory, which cowarray never writes to",
    BORN_IMPORT_ALIAS: "imported inside aliasing or simulate: an alias of somebody else's memory",
    BORN_IMPORT_COPY: "imported by a copy: the memory might have changed unseen, or you asked for a copy",
    BORN_FILE: "on pages of a file: writes go to pages of its own, and not to the file",
}

# The class of the object that as_strided puts between a view and its source.
cdef type strides_holder = type(np.lib.stride_tricks.as_strided(np.empty(1)).base)


cdef Array blank(int nd):
    """Make an array object with room for nd dimensions and nothing else."""
    cdef Array x = <Array>construct(constructor, array_type, NO_ARGUMENTS)
    if nd <= INLINE_DIMS:
        x.dims = x.inline_dims
    else:
        x.dims = <cnp.npy_intp *>PyMem_Malloc(2 * nd * sizeof(cnp.npy_intp))
        if x.dims == NULL:
            raise MemoryError("cannot allocate memory for the shape of an array")
    x.nd = nd
    return x


cdef Array on_storage(Storage storage, cnp.npy_intp offset, int nd, const cnp.npy_intp *shape,
                      const cnp.npy_intp *strides, cnp.dtype descr, bint writeable, Birth birth):
    cdef int i
    cdef Array x = blank(nd)
    for i in range(nd):
        x.dims[i] = shape[i]
        x.dims[nd + i] = strides[i]
    x.storage_ = storage
    x.offset = offset
    x.descr = descr
    x.writeable = writeable
    x.birth = birth
    return x


cdef void set_shadow(Array x, PyObject *shadow) noexcept:
    """Set x's shadow, which may be NULL. A gap, if x had one."""
    cdef PyObject *before = x.shadow
    Py_XINCREF(shadow)
    x.shadow = shadow
    Py_XDECREF(before)


cdef Array held_still(Array x):
    cdef Array same = on_storage(storage_for(x), x.offset, x.nd, shape_of(x), strides_of(x), x.descr, x.writeable,
                                 <Birth>x.birth)
    return shadowed_as(same, x)


cdef Array make_standard(Array x):
    """Set the standard bit of a new array that nobody else uses."""
    storage_for(x)  # so that x is not one of its readers
    drop_header(x)
    x.standard = True
    return x


cdef Array with_face(Array x, bint standard, Birth birth):
    """Return x itself if its standard bit matches, otherwise a new array on the same Storage."""
    cdef Array other
    if x.standard == standard:
        return x
    other = on_storage(storage_for(x), x.offset, x.nd, shape_of(x), strides_of(x), x.descr, x.writeable, birth)
    other.standard = standard
    return shadowed_as(other, x)


cdef void set_header(Array x, cnp.ndarray header) noexcept:
    """Keep a header, and link x into its Storage's readers, so that the header is dropped when the bytes move."""
    cdef Storage storage = x.storage_
    if not KEEPS_HEADERS or storage.doorkeeper != NULL or x.standard or is_unread(storage):
        return
    if x.header is None:
        x.previous_reader = NULL
        x.next_reader = storage.readers
        if storage.readers != NULL:
            (<Array>storage.readers).previous_reader = <void *>x
        storage.readers = <void *>x
    x.header = header


cdef void drop_header(Array x) noexcept:
    """Drop the kept header. A gap."""
    unchain(<void *>x)


cdef void unchain(void *x) noexcept:
    """Like `drop_header`, for an array that may be dying: x is borrowed, since a new reference would revive it."""
    cdef cnp.ndarray header = (<Array>x).header  # ends with this function, when arrays and chain are whole
    if header is not None and (<Array>x).storage_ is not None:
        if (<Array>x).previous_reader != NULL:
            (<Array>(<Array>x).previous_reader).next_reader = (<Array>x).next_reader
        else:
            (<Array>x).storage_.readers = (<Array>x).next_reader
        if (<Array>x).next_reader != NULL:
            (<Array>(<Array>x).next_reader).previous_reader = (<Array>x).previous_reader
        (<Array>x).next_reader = (<Array>x).previous_reader = NULL
    (<Array>x).header = None
    if header is not None and is_spare(header):
        keep_spare(header)


cdef void storage_moved(Storage storage) noexcept:
    while storage.readers != NULL:
        unchain(storage.readers)


cdef void keep_spare(cnp.ndarray header) noexcept:
    """Keep the object of a header that nobody else refers to, for a later header. A gap.

    A view that is read once makes and drops a header, which takes NumPy as long as the view itself.
    """
    cdef PyArrayObject_fields *fields = <PyArrayObject_fields *>header
    cdef PyObject *base = fields.base
    cdef PyObject *descr = <PyObject *>fields.descr
    cdef int nd = fields.nd
    if not 0 < nd <= INLINE_DIMS or spares[nd - 1] == MOST_SPARE or descr == NULL:
        return
    spare_headers[nd - 1][spares[nd - 1]] = <PyObject *>header
    spares[nd - 1] += 1
    Py_INCREF(header)
    fields.base = NULL
    fields.descr = NULL
    Py_XDECREF(base)
    Py_DECREF(<object>descr)


cdef cnp.ndarray new_header(Array x, char *window, int flags, object base):
    """Make a NumPy array over the elements of x, in bytes that start at window and are kept alive by base."""
    return header_at(window + x.offset, x.descr, x.nd, shape_of(x), strides_of(x), flags, base)


cdef cnp.ndarray header_at(char *data, cnp.dtype descr, int nd, cnp.npy_intp *shape, cnp.npy_intp *strides, int flags,
                           object base):
    """Make a NumPy array whose first element is at data. base, or the caller if it is None, keeps its bytes alive."""
    cdef cnp.ndarray header
    Py_INCREF(descr)  # stolen
    if 0 < nd <= INLINE_DIMS and spares[nd - 1] and PyDataType_ELSIZE(descr):
        header = spare_header(nd)
        set_fields(header, data, descr, shape, strides, flags)
    else:
        header = PyArray_NewFromDescr(numpy_ndarray, descr, nd, shape, strides, data, flags, NULL)
    if base is not None:
        Py_INCREF(base)  # stolen
        PyArray_SetBaseObject(header, base)
    return header


cdef inline cnp.ndarray spare_header(int nd):
    """Take a spare header object with nd axes."""
    spares[nd - 1] -= 1
    header = <cnp.ndarray>spare_headers[nd - 1][spares[nd - 1]]
    Py_DECREF(header)
    return header


cdef inline void set_fields(cnp.ndarray header, char *data, cnp.dtype descr, const cnp.npy_intp *shape,
                            const cnp.npy_intp *strides, int flags) noexcept:
    """Set the fields that NumPy's constructor sets. Steals descr."""
    cdef PyArrayObject_fields *fields = <PyArrayObject_fields *>header
    cdef int i
    fields.data = data
    fields.descr = <void *>descr
    fields.flags = flags
    for i in range(fields.nd):
        fields.dimensions[i] = shape[i]
        fields.strides[i] = strides[i]
    PyArray_UpdateFlags(header, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED)


cdef cnp.ndarray open_header(Array x, Intent intent, Behalf behalf):
    """Make a const header, if x keeps none that fits: the slow path of `const_header`."""
    cdef Storage storage
    cdef cnp.ndarray header
    cdef char *window
    cdef Access access
    while True:
        drop_header(x)
        storage = storage_for(x)
        access = access_to(x, intent, behalf)
        if intent == LOCATES and storage.doorkeeper != NULL and is_absent(storage):
            knock(storage, &access)
            window = place_of_absent(storage)
            if x.storage_ is storage and window != NULL:
                return new_header(x, window, 0, None)
            access = access_to(x, intent, behalf)
        keeper = bytes_of(storage, &access, &window)
        if x.storage_ is storage and x.header is None and is_at(storage, window):
            header = new_header(x, window, 0, keeper)
            set_header(x, header)
            return header
        header = x.header
        if header is not None and fits(x, header):
            return header


cdef char *place_of_absent(Storage storage) noexcept:
    """Return the stand-in address of absent bytes, in a region that is never read or written; one for all Storages.

    NULL if the bytes are no longer absent, or if the region is too small.
    """
    cdef void *start
    cdef size_t nbytes
    read_region(&start, &nbytes)
    return <char *>start if is_absent(storage) and window_size(storage) <= nbytes else NULL


cdef object bytes_of(Storage storage, const Access *access, char **window):
    """Return an owner that keeps a Storage's present bytes alive, and set their address. A gap."""
    cdef Hold own
    if not KEEPS_HEADERS or storage.is_fake:
        own = new_hold(storage, access)
        window[0] = <char *>own.scope.data
        return storage if storage.is_fake else own  # nobody reads a fake: a scope would count as a reader
    return held(storage, access, window)


cdef cnp.ndarray guarded_header(Array x):
    """Return a const header for code outside NumPy's C: even if kept, it can never be made writable. A gap."""
    cdef cnp.ndarray header = const_header(x)
    while cnp.PyArray_Check(root(header)):
        refresh(storage_for(x))  # NumPy's own array served as the Hold; later readers get a real one
        header = const_header(x)
    return header


cdef cnp.ndarray private_header(Array x):
    """Make a const header with its own scope, not kept by x: its shape and dtype may be set."""
    x = still(x)
    cdef Storage storage = storage_for(x)
    cdef Access access = access_to(x, READS, OPERATION)
    cdef Hold hold = new_hold(storage, &access)
    return new_header(x, <char *>hold.scope.data, 0, hold)


@cython.freelist(16)
@cython.final
@cython.no_gc
cdef class Snapshot:
    """An owner of a share of an array's bytes, for a reader outside the library."""

    def __getbuffer__(self, Py_buffer *view, int flags):
        # A PickleBuffer passes requests on to the owner of its view.
        cdef cnp.ndarray array
        if self.descr is None:
            raise BufferError("this snapshot backs a NumPy array and has no buffer of its own; ask the array for one")
        array = header_at(self.data, self.descr, self.nd, self.dims, self.dims + self.nd, 0, self)
        forward_buffer(array, view, flags)


cdef Snapshot new_snapshot():
    return Snapshot.__new__(Snapshot)


cdef cnp.ndarray reader_header(Array x):
    """Make a header for user code, which may keep it and set its shape; x does not keep it.

    It has a share, so its bytes are never stolen or written to: if that code writes to x, x gets other bytes. If x
    cannot be shared (it is pinned, or contains objects), the header has its own scope.
    """
    x = still(x)
    cdef Storage storage = storage_for(x)
    cdef Access access = access_to(x, READS, OPERATION)
    cdef Storage shared = share(storage, &access, 0, window_size(storage), True)
    cdef Snapshot owner
    if shared is None:
        return private_header(x)
    owner = new_snapshot()
    owner.storage = shared
    return new_header(x, own_bytes(shared), 0, owner)


cdef Pin pin_array(Array x, const Access *said):
    """Get write access to x's bytes, which x alone has from now on. A gap, at first.

    said: the access, unless it is an operation that writes to all of x.
    """
    cdef Storage storage
    cdef Access access
    cdef Pin pin
    if said != NULL:
        access = said[0]
    while True:
        storage = storage_for(x)
        if said == NULL:
            access = access_to(x, WRITES, OPERATION)
        pin = pin_storage(storage, &access)
        if x.storage_ is storage:
            return pin
        access.ndim = -1  # the box was of another Storage


cdef cnp.ndarray writable_header(Array x, const Access *said):
    """Return NumPy's writable view of x, which gets its own bytes and is pinned while the view lives. A gap, at first.

    said: as for `pin_array`.
    """
    cdef Pin pin = pin_array(x, said)
    return new_header(x, <char *>pin.scope.data, NPY_ARRAY_WRITEABLE, pin)


cdef cnp.ndarray header_beside(Array x, cnp.ndarray writer):
    """Return a header to read x while writer, a writable header, is written to: on writer's bytes, if x views them.

    A Storage that has just got its own bytes has no context yet, and making one could fail.
    """
    cdef object owner = root(writer)
    cdef Access access
    if x.storage_ is not None and type(owner) is Pin and x.storage_ is (<Pin>owner).storage:
        if has_doorkeeper(x):
            x = still(x)
            access = access_to(x, READS, OPERATION)
            knock(x.storage_, &access)
        return new_header(x, <char *>(<Pin>owner).scope.data, 0, owner)
    return const_header(x)


cdef PyObject *root_of(PyObject *array) noexcept:
    """Like `root`, borrowed."""
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


cdef Array view_of(Array source, char *window, cnp.ndarray array, bint writeable):
    """Make the view of source that array, a NumPy view of source's window, describes. No gap since array was made."""
    cdef cnp.npy_intp offset = cnp.PyArray_BYTES(array) - window if cnp.PyArray_SIZE(array) else source.offset
    return shadowed_as(view_on(storage_for(source), offset, window, array, writeable), source)


cdef Array view_on(Storage storage, cnp.npy_intp offset, char *window, cnp.ndarray array, bint writeable):
    cdef Array x = on_storage(storage, offset, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array),
                              cnp.PyArray_STRIDES(array), descr_of(array), writeable, BORN_VIEW)
    if KEEPS_HEADERS and window == storage.window and root(array) is storage.hold:
        if not cnp.PyArray_ISWRITEABLE(array):
            set_header(x, array)
    return x


cdef Array adopt(cnp.ndarray array, Storage storage=None):
    """Make an array on a fresh NumPy result's memory. If several have one owner, pass the Storage of the first."""
    cdef cnp.ndarray owner = array
    cdef bint writeable = cnp.PyArray_ISWRITEABLE(array)
    cdef cnp.npy_intp low = 0, high = 0, offset = 0
    cdef Array x
    if KEEPS_HEADERS and PyArray_BASE(array) == NULL and cnp.PyArray_CheckExact(array) and storage is None:
        # Most results are only read and dropped, so the Storage is made on demand: see give_storage.
        extent_of(array, &low, &high)
        PyArray_CLEARFLAGS(array, NPY_ARRAY_WRITEABLE)
        x = on_storage(None, -low, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array),
                       descr_of(array), writeable, BORN_FRESH)
        x.header = array
        return x
    while PyArray_BASE(owner) != NULL:
        owner = get_base(owner)
    if storage is not None and array is owner:
        writeable = True  # its flag was cleared at the first adoption
    extent_of(owner, &low, &high)
    if storage is None:
        PyArray_CLEARFLAGS(owner, NPY_ARRAY_WRITEABLE)
        storage = storage_adopt(owner, cnp.PyArray_BYTES(owner) + low, high - low, False)
        storage.never_shared = not is_plain(descr_of(owner))
    PyArray_CLEARFLAGS(array, NPY_ARRAY_WRITEABLE)
    if cnp.PyArray_SIZE(array):  # an array without elements can lie anywhere
        offset = cnp.PyArray_BYTES(array) - (cnp.PyArray_BYTES(owner) + low)
    x = on_storage(storage, offset, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array),
                   descr_of(array), writeable, BORN_FRESH)
    if cnp.PyArray_CheckExact(array):
        set_header(x, array)
    return x


cdef Storage storage_then(Array x, Storage storage, cnp.ndarray header):
    """Return the Storage that x had when header was made, before any gaps. storage: x.storage_ at that time.

    None if x had none then and has changed since: nothing else refers to those bytes.
    """
    if storage is not None:
        return storage
    if x.storage_ is None:
        return give_storage(x) if x.header is header else None
    return x.storage_ if x.storage_.hold is header else None


cdef Storage give_storage(Array x):
    """Make the Storage of a computed result, around the NumPy array that is its header."""
    cdef cnp.ndarray owner = x.header
    cdef cnp.npy_intp low = 0, high = 0
    extent_of(owner, &low, &high)
    cdef Storage storage = storage_adopt(owner, cnp.PyArray_BYTES(owner) + low, high - low, False)
    storage.never_shared = not is_plain(x.descr)
    x.header = None
    x.storage_ = storage
    set_header(x, owner)
    return storage


cdef str reason_of(Birth birth):
    return BIRTHS[birth].partition(": ")[2]


def birth_of(Array x not None, /):
    """Say how the array came to be; for `cowarray.explain`."""
    if is_fake(x):
        return f"fake, without bytes; {BIRTHS[x.birth]}"
    if is_unmade(x):
        return "deferred: its bytes are made when somebody needs them"
    return BIRTHS[x.birth]


def storage_facts(Array x not None, /):
    """Return the core's figures of the array's Storage; for `cowarray.explain`."""
    cdef Storage storage = storage_for(x)
    return {
        "window": window_size(storage),
        "allocated": allocated_size(storage),
        "shares": count_shares(storage),
        "write_cost": write_cost(storage),
        "by_page": writes_by_page(storage),
        "own": storage.own_nbytes,
        "pinned": is_pinned(storage),
        "foreign": is_foreign(storage),
    }


set_moved(storage_moved)
constructor = constructor_of(Array)
end_by(Array, end_array)
seal(Array)
seal(Snapshot)
publish(Snapshot, "cowarray.Snapshot")
