# cython: freethreading_compatible=True
"""Pickles of arrays: their parts, and the one function that they call."""

import numpy as np
from pickle import PickleBuffer

cimport cython
cimport numpy as cnp
from cpython.pyport cimport PY_SSIZE_T_MAX

from cowarray._array.array cimport adopt, Array, descr_of, header_for, is_plain, make_standard
from cowarray._array.snapshots cimport copied_out, snapshot
from cowarray._array.imports cimport copy_foreign, import_received
from cowarray._array.layout cimport MAXDIMS
from cowarray._c.numpy cimport NPY_ARRAY_WRITEABLE, PyArray_CLEARFLAGS
from cowarray._native.storage cimport EXPORT

from cowarray._array.descriptions import describe, described

cnp.import_array()

cdef object numpy_frombuffer = np.frombuffer


cdef object reduce_array(Array x, int protocol):
    """With protocol 5, the bytes are a snapshot's buffer, which the pickler may send out of band."""
    cdef cnp.ndarray shown, flat
    cdef tuple face = (True,) if x.standard else ()
    if not is_plain(x.descr):
        return _unpickle_objects, (copied_out(header_for(x, EXPORT), cnp.NPY_KEEPORDER), *face)
    shown = snapshot(x)
    description = describe(descr_of(shown))
    if description is None:
        return _unpickle_objects, (copied_out(shown, cnp.NPY_KEEPORDER), *face)
    order = "F" if cnp.PyArray_IS_F_CONTIGUOUS(shown) and not cnp.PyArray_IS_C_CONTIGUOUS(shown) else "C"
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
    """An array from the parts of a pickle. Read-only buffers are shared until written to, others are copied."""
    cdef object size = 1
    if type(order) is not str or order not in ("C", "F"):
        raise ValueError(f"unpickle: order must be 'C' or 'F' (got {order!r})")
    if type(shape) is not tuple or len(shape) > MAXDIMS:
        raise ValueError(f"unpickle: shape must be a tuple of at most {MAXDIMS} integers (got {shape!r})")
    for length in shape:
        if type(length) is not int or not 0 <= length <= PY_SSIZE_T_MAX:
            raise ValueError("unpickle: axis lengths must be non-negative integers that fit into memory")
        size *= length
    if size > PY_SSIZE_T_MAX:
        raise ValueError(f"unpickle: an array of shape {shape!r} cannot fit into memory")
    dtype = described(description)
    if dtype.subdtype is not None or not is_plain(dtype):
        raise ValueError(f"unpickle: dtype {dtype!r} cannot describe an array of plain bytes")
    if type(payload) is str:
        payload = payload.encode("latin1")
    needed = size * dtype.itemsize
    with memoryview(payload) as view:
        if view.nbytes != needed:
            raise ValueError(
                f"unpickle: shape {shape!r} of dtype {dtype!r} needs {needed} bytes (got {view.nbytes})"
            )
    if not needed:
        return of_face(adopt(cnp.ndarray(shape, dtype, order=order)), standard)
    # If the payload answers differently the second time, NumPy finds that it does not fit.
    flat = numpy_frombuffer(payload, dtype="u1")
    return of_face(import_received(flat.view(dtype).reshape(shape, order=order)), standard)


def _unpickle_objects(array, standard=False):
    """An array from NumPy's own pickle: of elements that are not plain bytes, or of a user's own dtype."""
    if type(array) is not cnp.ndarray:
        raise ValueError(f"unpickle: expected a numpy.ndarray (got {type(array)!r})")
    return of_face(copy_foreign(array), standard)


cdef Array of_face(Array x, object standard):
    """x with the standard bit that the pickled array had."""
    if type(standard) is not bool:
        raise ValueError(f"unpickle: standard must be True or False (got {standard!r})")
    return make_standard(x) if standard else x
