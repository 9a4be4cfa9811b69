# cython: freethreading_compatible=True
"""Pickles of arrays: their parts, and the functions that they call."""

import numpy as np
from pickle import PickleBuffer

cimport cython
cimport numpy as cnp
from cpython.pyport cimport PY_SSIZE_T_MAX

from cowarray._array.array cimport (
    adopt,
    Array,
    BORN_IMPORT,
    descr_of,
    has_doorkeeper,
    header_for,
    is_plain,
    located_header,
    make_standard,
    on_storage,
    storage_for,
)
from cowarray._array.snapshots cimport copied_out, snapshot
from cowarray._array.imports cimport copy_foreign, import_received
from cowarray._array.layout cimport extent, extent_fits, MAXDIMS, nbytes_fit
from cowarray._c.numpy cimport NPY_ARRAY_WRITEABLE, PyArray_CLEARFLAGS
from cowarray._native.storage cimport EXPORT, Storage, window_size

from cowarray._array.descriptions import describe, described

cnp.import_array()

cdef object numpy_frombuffer = np.frombuffer


cdef object order_of(cnp.ndarray header, int protocol):
    """Return the order of the elements in a pickle: "C", "F", or the axes from the outermost in memory inwards.

    As in NumPy: with protocol 5 the order in memory, if axes in some order have no gaps; before, C or Fortran order.

    header : that of the array itself, since a snapshot may be a copy without the array's gaps.
    """
    if cnp.PyArray_IS_C_CONTIGUOUS(header):
        return "C"
    if cnp.PyArray_IS_F_CONTIGUOUS(header):
        return "F"
    if protocol >= 5:
        strides = (<object>header).strides
        axes = sorted(range(len(strides)), key=strides.__getitem__, reverse=True)
        if cnp.PyArray_IS_C_CONTIGUOUS((<object>header).transpose(axes)):
            return tuple(axes)
    return "C"


cdef cnp.ndarray copied_in(object order, cnp.ndarray shown):
    """Copy a header in an order, for NumPy's own pickle."""
    if order == "C":
        return copied_out(shown, cnp.NPY_CORDER)
    return copied_out(shown, cnp.NPY_FORTRANORDER if order == "F" else cnp.NPY_KEEPORDER)


cdef object reduce_array(Array x, int protocol):
    """Take an array apart. With protocol 5, the bytes are a snapshot's buffer, which may be sent out of band."""
    cdef cnp.ndarray shown, flat
    cdef tuple face = (True,) if x.standard else ()
    order = order_of(located_header(x), protocol)
    if not is_plain(x.descr):
        return _unpickle_objects, (copied_in(order, header_for(x, EXPORT)), *face)
    shown = snapshot(x)
    description = describe(descr_of(shown))
    if description is None:
        return _unpickle_objects, (copied_in(order, shown), *face)
    if type(order) is tuple:
        flat = (<object>shown).transpose(order).reshape(-1)
    else:
        flat = (<object>shown).reshape(-1, order=order)
    if not cnp.PyArray_ISCONTIGUOUS(flat):
        flat = copied_out(flat, cnp.NPY_CORDER)
    # Read-only, so that it is pickled as bytes, which the receiver can share.
    PyArray_CLEARFLAGS(flat, NPY_ARRAY_WRITEABLE)
    if not cnp.PyArray_ITEMSIZE(flat) or not cnp.PyArray_SIZE(flat):
        payload = ""
    elif protocol >= 5:
        payload = PickleBuffer((<object>flat).view("u1"))
    elif protocol >= 3:
        payload = (<object>flat).tobytes()
    else:
        # These protocols would pickle bytes as a call of another function.
        payload = (<object>flat).tobytes().decode("latin1")
    return _unpickle, (payload, description, (<object>shown).shape, order, *face)


@cython.binding(False)  # no attributes: a pickle that may name this function could set them
def _unpickle(payload, description, shape, order, standard=False):
    """Make an array from the parts of a pickle. Read-only buffers are shared until written to; others are copied."""
    cdef object size = 1
    if type(shape) is not tuple or len(shape) > MAXDIMS:
        raise ValueError(f"unpickle: shape must be a tuple of at most {MAXDIMS} integers (got {shape!r})")
    for length in shape:
        if type(length) is not int or not 0 <= length <= PY_SSIZE_T_MAX:
            raise ValueError("unpickle: axis lengths must be non-negative integers that fit into memory")
        size *= length
    if size > PY_SSIZE_T_MAX:
        raise ValueError(f"unpickle: an array of shape {shape!r} cannot fit into memory")
    if not is_order(order, len(shape)):
        raise ValueError(f"unpickle: order must be 'C', 'F' or a tuple of all axes (got {order!r})")
    dtype = described(description)
    if dtype.subdtype is not None or not is_plain(dtype):
        raise ValueError(f"unpickle: dtype {dtype!r} cannot describe an array of plain bytes")
    if type(payload) is str:
        payload = payload.encode("latin1")
    needed = size * dtype.itemsize
    given = memoryview(payload).nbytes
    if given != needed:
        raise ValueError(f"unpickle: shape {shape!r} of dtype {dtype!r} needs {needed} bytes (got {given})")
    if not needed:
        return of_face(adopt(cnp.ndarray(shape, dtype, order="F" if order == "F" else "C")), standard)
    # If the payload answers differently the second time, NumPy finds that it does not fit.
    flat = numpy_frombuffer(payload, dtype="u1").view(dtype)
    if type(order) is tuple:
        back = [order.index(axis) for axis in range(len(order))]
        return of_face(import_received(flat.reshape([shape[axis] for axis in order]).transpose(back)), standard)
    return of_face(import_received(flat.reshape(shape, order=order)), standard)


cdef bint is_order(object order, Py_ssize_t nd) except -1:
    """True if `order_of` can give this order for nd axes."""
    if type(order) is tuple:
        return all([type(axis) is int for axis in order]) and sorted(order) == list(range(nd))
    return type(order) is str and order in ("C", "F")


def parts_of(Array x not None, /):
    """Describe an array on its Storage, for `array_on`; None unless it has plain bytes, which nobody watches.

    Returns
    -------
    tuple or None
        (storage, (offset, shape, strides, dtype's description, writeable, standard))
    """
    cdef Storage storage
    cdef int i
    if not is_plain(x.descr) or has_doorkeeper(x):
        return None
    storage = storage_for(x)
    description = describe(x.descr)
    if storage.never_shared or description is None:
        return None
    shape = tuple([x.dims[i] for i in range(x.nd)])
    strides = tuple([x.dims[x.nd + i] for i in range(x.nd)])
    return storage, (x.offset, shape, strides, description, bool(x.writeable), bool(x.standard))


def array_on(Storage storage not None, layout, /):
    """Make an array on a Storage, by the layout of `parts_of`. ValueError: it would not lie within the Storage."""
    cdef cnp.npy_intp dims[2 * MAXDIMS]
    cdef cnp.npy_intp low = 0, high = 0
    cdef Py_ssize_t nd
    if type(layout) is not tuple or len(layout) != 6:
        raise ValueError("unpickle: a layout has six parts")
    offset, shape, strides, description, writeable, standard = layout
    if type(shape) is not tuple or type(strides) is not tuple or not len(shape) == len(strides) <= MAXDIMS:
        raise ValueError(f"unpickle: shape and strides must be tuples of one length, at most {MAXDIMS}")
    numbers = [offset] + list(shape) + list(strides)
    if type(writeable) is not bool or not all([type(number) is int for number in numbers]):
        raise ValueError("unpickle: offset, shape and strides are integers, writeable is a bool")
    if min([offset] + list(shape)) < 0 or max([abs(number) for number in numbers]) > PY_SSIZE_T_MAX:
        raise ValueError("unpickle: axis lengths must be non-negative integers that fit into memory")
    dtype = described(description)
    if dtype.subdtype is not None or not is_plain(dtype):
        raise ValueError(f"unpickle: dtype {dtype!r} cannot describe an array of plain bytes")
    nd = len(shape)
    for i in range(nd):
        dims[i] = shape[i]
        dims[nd + i] = strides[i]
    if not nbytes_fit(nd, dims, dtype.itemsize) or not extent_fits(nd, dims, dtype.itemsize, dims + nd):
        raise ValueError(f"unpickle: an array of shape {shape!r} cannot fit into memory")
    extent(nd, dims, dtype.itemsize, dims + nd, &low, &high)
    if offset + low < 0 or offset + high > window_size(storage):
        raise ValueError(f"unpickle: the array would not lie within the {window_size(storage)} bytes that came")
    return of_face(on_storage(storage, offset, <int>nd, dims, dims + nd, dtype, writeable, BORN_IMPORT), standard)


def _unpickle_objects(array, standard=False):
    """Make an array from NumPy's own pickle, for elements that are not plain bytes, or for a user's own dtype."""
    if type(array) is not cnp.ndarray:
        raise ValueError(f"unpickle: expected a numpy.ndarray (got {type(array)!r})")
    return of_face(copy_foreign(array), standard)


cdef Array of_face(Array x, object standard):
    """Return x with the standard bit that the pickled array had."""
    if type(standard) is not bool:
        raise ValueError(f"unpickle: standard must be True or False (got {standard!r})")
    return make_standard(x) if standard else x
