# An array: a Storage, a byte offset, a shape, strides and a dtype; and the headers through which NumPy reads it.

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject, PyTypeObject
from libc.stdint cimport SIZE_MAX

from cowarray._array.layout cimport extent, product
from cowarray._c.numpy cimport NPY_VSTRING, PyArray_BASE, PyDataType_ELSIZE, PyDataType_REFCHK
from cowarray._c.python cimport Py_TYPE
from cowarray._native.storage cimport (
    Access,
    Behalf,
    Intent,
    is_at,
    is_unread,
    LOCATES,
    modes_in_use,
    OPERATION,
    Pin,
    READS,
    Storage,
)


cdef enum:
    INLINE_DIMS = 4


# An array's origin. `BIRTHS` has the words of `explain` for each.
cdef enum Birth:
    BORN_FRESH
    BORN_SCALAR
    BORN_VIEW
    BORN_LAZY
    BORN_EAGER_SMALL
    BORN_EAGER_OVERLAP
    BORN_EAGER_ORDER
    BORN_EAGER_PINNED
    BORN_EAGER_DTYPE
    BORN_IMPORT
    BORN_IMPORT_ALIAS
    BORN_IMPORT_COPY
    BORN_FILE


@cython.no_gc
cdef class Array:
    # None for a computed result that needs none yet: its header is then NumPy's result itself. See storage_for.
    cdef Storage storage_
    cdef cnp.npy_intp offset
    # Owned. In `cowarray.simulate`, where a copy is watched as an alias, it stands for the Storage that the copy would
    # have. NULL: for the Storage itself. Views inherit it; such a Storage has a doorkeeper.
    cdef PyObject *shadow
    # The shape, then the strides in bytes; points to `inline_dims` if they fit.
    cdef cnp.npy_intp *dims
    cdef cnp.dtype descr
    # NumPy's read-only view of the bytes, made on demand; valid while its address is the Storage's.
    cdef cnp.ndarray header
    # At the place of the flags in NumPy's arrays. NumPy's generators take any `out` for a NumPy array, unchecked: this
    # small number reads as the flags of a read-only array, which they refuse.
    cdef int nd
    cdef bint writeable
    cdef unsigned char birth  # a Birth
    # Whether results without axes stay arrays, as in the array API standard. Such an array keeps no header, so lanes
    # leave it to the road, where results inherit the bit.
    cdef unsigned char standard
    # How many loans of this array object are open (atomic); exports are aliases meanwhile. See exports.Loan.
    cdef int loans
    cdef cnp.npy_intp inline_dims[2 * INLINE_DIMS]
    # The chain of a Storage's arrays that keep a header, with its head in Storage.readers. Borrowed.
    cdef void *next_reader
    cdef void *previous_reader
    cdef object __weakref__


@cython.final
@cython.no_gc
cdef class Snapshot:
    cdef Storage storage
    # The fields of a buffer. dims is the shape, then the strides in bytes.
    cdef char *data
    cdef cnp.dtype descr
    cdef int nd
    cdef cnp.npy_intp dims[2 * INLINE_DIMS]


cdef PyTypeObject *array_type
cdef void set_array_type(type kind)


cdef inline bint is_array_type(type kind) noexcept:
    return <PyTypeObject *>kind == array_type


cdef inline bint is_array(object value) noexcept:
    """True if value is a `cowarray.ndarray`, a class without subclasses."""
    return Py_TYPE(<PyObject *>value) == array_type


cdef inline cnp.dtype descr_of(cnp.ndarray array):
    return <cnp.dtype><PyObject *>cnp.PyArray_DESCR(array)


cdef inline void extent_of(cnp.ndarray array, cnp.npy_intp *low, cnp.npy_intp *high) noexcept:
    """Set the byte range [low, high) of a NumPy array's elements, relative to the first element."""
    if cnp.PyArray_CHKFLAGS(array, cnp.NPY_ARRAY_C_CONTIGUOUS):
        low[0] = 0
        high[0] = cnp.PyArray_NBYTES(array)
    else:
        extent(cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_ITEMSIZE(array),
               cnp.PyArray_STRIDES(array), low, high)


cdef inline cnp.npy_intp *shape_of(Array x) noexcept:
    return x.dims


cdef inline cnp.npy_intp *strides_of(Array x) noexcept:
    return x.dims + x.nd


cdef inline cnp.npy_intp size_of(Array x) noexcept:
    return product(x.nd, x.dims)


cdef inline cnp.npy_intp itemsize_of(Array x) noexcept:
    return PyDataType_ELSIZE(x.descr)


cdef Array on_storage(Storage storage, cnp.npy_intp offset, int nd, const cnp.npy_intp *shape,
                      const cnp.npy_intp *strides, cnp.dtype descr, bint writeable, Birth birth)

cdef inline bint is_plain(cnp.dtype descr) noexcept:
    """True if memcpy can copy the elements: no objects, no StringDType."""
    return not PyDataType_REFCHK(descr) and descr.type_num >= 0 and descr.type_num != NPY_VSTRING


cdef inline bint aliases_foreign(Array x) noexcept:
    """True if x lies in foreign memory, whose owner may write to it at any time."""
    return x.storage_ is not None and x.storage_.never_shared and is_plain(x.descr)


cdef void drop_header(Array x) noexcept
cdef cnp.ndarray new_header(Array x, char *window, int flags, object base)
cdef cnp.ndarray header_at(char *data, cnp.dtype descr, int nd, cnp.npy_intp *shape, cnp.npy_intp *strides, int flags,
                           object base)


cdef cnp.ndarray open_header(Array x, Intent intent, Behalf behalf)
cdef object bytes_of(Storage storage, const Access *access, char **window)
cdef cnp.ndarray guarded_header(Array x)
cdef cnp.ndarray private_header(Array x)
cdef Snapshot new_snapshot()
cdef cnp.ndarray reader_header(Array x)
cdef Pin pin_array(Array x, const Access *said)
cdef cnp.ndarray writable_header(Array x, const Access *said)
cdef cnp.ndarray header_beside(Array x, cnp.ndarray writer)
cdef PyObject *root_of(PyObject *array) noexcept

cdef inline object root(cnp.ndarray array):
    """Return the owner of a NumPy array's memory: the last array of its chain of bases, or that array's base."""
    return <object>root_of(<PyObject *>array)


cdef inline object get_base(cnp.ndarray array):
    cdef PyObject *base = PyArray_BASE(array)
    return None if base == NULL else <object>base


cdef Array view_of(Array source, char *window, cnp.ndarray array, bint writeable)
cdef Array view_on(Storage storage, cnp.npy_intp offset, char *window, cnp.ndarray array, bint writeable)
cdef Array adopt(cnp.ndarray array, Storage storage=*)

cdef Storage give_storage(Array x)


cdef inline Storage storage_for(Array x):
    """Return x's Storage, making it if x has none yet."""
    return x.storage_ if x.storage_ is not None else give_storage(x)


cdef Storage storage_then(Array x, Storage storage, cnp.ndarray header)
# Why an array was copied eagerly, or imported by a copy.
cdef str reason_of(Birth birth)


cdef inline bint is_fake(Array x) noexcept:
    """True if x has no bytes and never will."""
    return x.storage_ is not None and x.storage_.is_fake


cdef inline bint is_unmade(Array x) noexcept:
    """True if x is fake or deferred: its bytes have not been made."""
    return x.storage_ is not None and (x.storage_.is_fake or x.storage_.is_deferred)


cdef inline bint has_doorkeeper(Array x) noexcept:
    """True if x's Storage has a doorkeeper, which is asked about each access."""
    return x.storage_ is not None and x.storage_.doorkeeper != NULL


cdef inline bint is_noticed(Array x) noexcept:
    """True if x's next access must come through the door: a header made in advance would count as that access."""
    return x.storage_ is not None and (x.storage_.doorkeeper != NULL or is_unread(x.storage_))


cdef void set_shadow(Array x, PyObject *shadow) noexcept


cdef inline Array shadowed_as(Array view, Array source):
    """Give a new view of source the source's shadow."""
    if source.shadow != NULL:
        set_shadow(view, source.shadow)
    return view


cdef Array make_standard(Array x)
cdef Array with_face(Array x, bint standard, Birth birth)


cdef Array held_still(Array x)


cdef inline Array still(Array x):
    """Return x, or a private array equal to it if a doorkeeper that is asked next could change x."""
    return held_still(x) if has_doorkeeper(x) else x


cdef inline Array still_while_told(Array x):
    """Like `still`, also if modes are asked or told next."""
    return held_still(x) if modes_in_use() or has_doorkeeper(x) else x


cdef inline Access access_to(Array x, Intent intent, Behalf behalf) noexcept:
    """Describe an access to all elements of x; valid while x stays unchanged."""
    cdef Access access
    access.intent = intent
    access.behalf = behalf
    access.ndim = x.nd
    access.offset = x.offset
    access.itemsize = itemsize_of(x)
    access.dims = <const Py_ssize_t *>x.dims
    access.most = SIZE_MAX
    access.shadow = x.shadow
    return access


cdef inline Access access_anywhere(Intent intent, Behalf behalf) noexcept:
    """Describe an access that may touch any byte of the window at any time."""
    cdef Access access
    access.intent = intent
    access.behalf = behalf
    access.ndim = -1
    access.offset = access.itemsize = 0
    access.dims = NULL
    access.most = SIZE_MAX
    access.shadow = NULL
    return access


cdef inline bint fits(Array x, cnp.ndarray header) noexcept:
    """True if the header that x keeps is on its Storage's present bytes."""
    return x.storage_ is None or is_at(x.storage_, cnp.PyArray_BYTES(header) - x.offset)


cdef inline cnp.ndarray const_header(Array x):
    """Return NumPy's read-only view of x as it is on return; its memory stays valid. A gap, before that.

    The array may keep the header for its next reader, so it is for NumPy's C code, not for user code.
    """
    if x.header is not None and fits(x, x.header):
        return x.header
    return open_header(x, READS, OPERATION)


cdef inline cnp.ndarray located_header(Array x):
    """Like `const_header`, for code that needs elements' addresses, but touches no element."""
    if x.header is not None and fits(x, x.header):
        return x.header
    return open_header(x, LOCATES, OPERATION)


cdef inline cnp.ndarray header_for(Array x, Behalf behalf):
    """Like `const_header`, on behalf of outside code, which gets a copy or reads until it releases the header."""
    if x.header is not None and fits(x, x.header):
        return x.header
    return open_header(x, READS, behalf)
