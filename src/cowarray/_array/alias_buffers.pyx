# cython: freethreading_compatible=True, auto_pickle=False
"""Buffers that alias an array, without an intermediate NumPy array: `numpy.asarray` takes them inside `aliasing`."""

cimport cython
cimport numpy as cnp
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_STRIDES, PyBUF_WRITABLE
from libc.string cimport memcpy

from cowarray._array.array cimport (
    access_to,
    Array,
    header_at,
    INLINE_DIMS,
    itemsize_of,
    pin_array,
    root,
    shape_of,
    size_of,
    still,
    strides_of,
)
from cowarray._array.copies cimport exports_alias, tell_exported, wants_copy
from cowarray._array.layout cimport c_strides, is_c_ordered
from cowarray._array.snapshots cimport fill_view
from cowarray._c.numpy cimport letters, NPY_ARRAY_WRITEABLE, PyArray_ISNBO
from cowarray._c.python cimport forward_buffer, seal
from cowarray._native.storage cimport Access, EXPORT, is_aligned, Pin, WRITES

cnp.import_array()

cdef enum:
    LAYOUTS = 0xE0  # the bits of a request that name a memory layout


@cython.freelist(16)
@cython.final
@cython.no_gc
cdef class AliasBuffer:
    """A pin on an array for the holder of a buffer on its bytes."""

    cdef Pin pin
    cdef char *data
    cdef cnp.dtype descr
    cdef int nd
    cdef bint writeable
    cdef cnp.npy_intp dims[2 * INLINE_DIMS]  # the shape, then the strides, in bytes

    def __getbuffer__(self, Py_buffer *view, int flags):
        # Called by a PickleBuffer, which passes requests on to the owner of its view.
        cdef cnp.ndarray array = header_at(self.data, self.descr, self.nd, self.dims, self.dims + self.nd,
                                           NPY_ARRAY_WRITEABLE if self.writeable else 0, self.pin)
        forward_buffer(array, view, flags)


seal(AliasBuffer)


cdef inline bint is_plainly_laid(Array x) noexcept:
    """True if a buffer of x needs no description by NumPy: few axes, C order, native numbers."""
    return (
        letters(x.descr.type_num) != NULL and 0 < x.nd <= INLINE_DIMS and size_of(x) != 0
        and PyArray_ISNBO(x.descr.byteorder)
        and is_c_ordered(x.nd, shape_of(x), itemsize_of(x), strides_of(x))
    )


cdef bint fill_alias(Array x, Py_buffer *view, int flags) except -1:
    """Fill in a buffer that aliases x, if the context's exports do; False if NumPy has to describe the export."""
    cdef AliasBuffer owner
    cdef Access access
    cdef Pin pin
    if (
        not flags & PyBUF_FORMAT or (flags & PyBUF_STRIDES) != PyBUF_STRIDES or flags & LAYOUTS
        or not is_plainly_laid(x) or not exports_alias() or wants_copy()
    ):
        return False
    tell_exported(x, not flags & PyBUF_WRITABLE)
    x = still(x)
    access = access_to(x, WRITES, EXPORT)
    pin = pin_array(x, &access)
    # Code run by the door may have changed x. NumPy has another format for unaligned elements.
    if (
        not is_plainly_laid(x) or not is_aligned(pin.storage, x.offset, x.descr.alignment)
        or (flags & PyBUF_WRITABLE and not x.writeable)
    ):
        return False
    owner = AliasBuffer.__new__(AliasBuffer)
    owner.pin = pin
    owner.data = <char *>pin.scope.data + x.offset
    owner.descr = x.descr
    owner.nd = x.nd
    owner.writeable = x.writeable
    memcpy(owner.dims, x.dims, x.nd * sizeof(cnp.npy_intp))
    c_strides(x.nd, x.dims, itemsize_of(x), owner.dims + x.nd)  # for axes of length 1 as well, like NumPy's
    fill_view(view, owner.data, owner.descr, owner.nd, owner.dims, letters(owner.descr.type_num), not owner.writeable)
    view.obj = owner
    return True


cdef Pin pin_behind(cnp.ndarray array):
    """Return the pin behind a NumPy array that is an exported alias, or a view of one; otherwise None."""
    cdef object owner = root(array)
    cdef object viewed
    while type(owner) is memoryview:
        viewed = owner.obj
        if type(viewed) is AliasBuffer:
            return (<AliasBuffer>viewed).pin
        if not cnp.PyArray_Check(viewed):
            return None
        owner = root(viewed)
    return <Pin>owner if type(owner) is Pin else None
