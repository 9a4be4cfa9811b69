# cython: freethreading_compatible=True
"""Checks of how producers describe the memory that they offer, by DLPack or as a buffer, before NumPy trusts them.

NumPy would read shapes through NULL and divide by sizes of 0. Whether the memory exists cannot be checked.
"""

from struct import calcsize as struct_size

cimport cython
from cpython.buffer cimport PyBUF_FULL_RO, PyBuffer_Release, PyObject_GetBuffer
from cpython.pycapsule cimport PyCapsule_CheckExact, PyCapsule_GetName, PyCapsule_GetPointer, PyCapsule_IsValid

from cowarray._array.layout cimport MAXDIMS
from cowarray._c.dlpack cimport offered_reach, offered_tensor, offered_times, offered_unowned, offered_versioned
from cowarray._c.python cimport PyMemoryView_Check, PyMemoryView_GET_BUFFER, PyObject_CheckBuffer


# (code, bits): integers, unsigned integers, floats, complex numbers, booleans.
cdef frozenset ELEMENTS = frozenset(
    [(code, bits) for code in (0, 1) for bits in (8, 16, 32, 64)]
    + [(2, bits) for bits in (16, 32, 64)] + [(5, bits) for bits in (64, 128)] + [(6, 8)]
)


@cython.final
cdef class _Offered:
    """A wrapper of a DLPack producer that checks each capsule before a consumer gets it."""

    cdef object producer

    def __dlpack__(self, *args, **kwargs):
        capsule = self.producer.__dlpack__(*args, **kwargs)
        check_capsule(capsule)
        return capsule

    def __dlpack_device__(self):
        return self.producer.__dlpack_device__()


cdef object offered(object producer):
    cdef _Offered result = _Offered.__new__(_Offered)
    if not hasattr(producer, "__dlpack__"):
        raise AttributeError(f"from_dlpack: a {type(producer).__name__} has no __dlpack__")
    result.producer = producer
    return result


cdef int refuse(str what) except -1:
    raise BufferError(f"from_dlpack: {what}")


cdef int check_capsule(object capsule) except -1:
    cdef const char *name
    cdef offered_versioned *versioned
    if not PyCapsule_CheckExact(capsule):
        raise TypeError(f"from_dlpack: __dlpack__ returned a {type(capsule).__name__}, not a capsule")
    if PyCapsule_IsValid(capsule, "dltensor_versioned"):
        versioned = <offered_versioned *>PyCapsule_GetPointer(capsule, "dltensor_versioned")
        if versioned.major != 1:
            refuse(f"DLPack version {versioned.major}.{versioned.minor} is unknown; version 1 is supported")
        return check_tensor(&versioned.tensor)
    if PyCapsule_IsValid(capsule, "dltensor"):
        return check_tensor(<offered_tensor *>PyCapsule_GetPointer(capsule, "dltensor"))
    name = PyCapsule_GetName(capsule)
    if name != NULL and (<bytes>name).startswith(b"used_dltensor"):
        refuse("the capsule has already been used; ask the producer for a new one")
    return refuse("the capsule does not contain a DLPack tensor")


cdef int check_tensor(const offered_tensor *tensor) except -1:
    """Raise BufferError for a tensor that cannot exist in memory."""
    cdef long long size, nbytes, low, high, length, stride
    cdef bint empty = False
    cdef int i
    # The CPU's own memory, and CUDA and ROCm memory that the CPU can read.
    if tensor.device_type not in (1, 3, 11, 13):
        refuse(f"the CPU cannot read memory of device type {tensor.device_type}; copy the tensor to the CPU first")
    if not 0 <= tensor.ndim <= MAXDIMS:
        refuse(f"a tensor must have 0 to {MAXDIMS} dimensions (got {tensor.ndim})")
    if tensor.lanes != 1 or (tensor.code, tensor.bits) not in ELEMENTS:
        refuse(
            f"elements of type code {tensor.code} with {tensor.bits} bits and {tensor.lanes} lanes have no NumPy dtype"
        )
    if tensor.ndim and tensor.shape == NULL:
        refuse(f"a tensor of {tensor.ndim} dimensions must have a shape (got NULL)")
    nbytes = size = high = tensor.bits // 8
    low = 0
    for i in range(tensor.ndim):
        length = tensor.shape[i]
        if length < 0:
            refuse(f"axis lengths must not be negative (got {length})")
        if length == 0:
            empty = True
        elif not offered_times(nbytes, length, &nbytes):
            refuse("the tensor is larger than memory")
    if empty:
        return 0
    if tensor.data == NULL:
        refuse("the tensor has elements but no memory (data is NULL)")
    if tensor.strides == NULL:
        high = nbytes
    else:
        for i in range(tensor.ndim):
            stride = tensor.strides[i]
            if tensor.shape[i] > 1 and not offered_reach(tensor.shape[i], stride, size, &low, &high):
                refuse("the strides lead out of the address space")
    return check_span(<size_t>tensor.data, tensor.byte_offset, low, high)


cdef int check_span(size_t start, size_t offset, long long low, long long high) except -1:
    """Raise BufferError unless [start + offset + low, start + offset + high) lies in the address space."""
    cdef size_t last = <size_t>-1
    if offset > last - start:
        refuse("byte_offset leads out of the address space")
    start += offset
    if <size_t>0 - <size_t>low > start or <size_t>high > last - start:
        refuse("the strides lead out of the address space")
    return 0


cdef int check_buffer(object producer) except -1:
    """Raise BufferError for a buffer that contradicts itself. NumPy asks again, and should get the same answer."""
    cdef Py_buffer view
    cdef bint gives = True
    if PyMemoryView_Check(producer):
        producer.obj  # raises if the view has been released
        return check_view(PyMemoryView_GET_BUFFER(producer))
    if not PyObject_CheckBuffer(producer):
        return 0
    try:
        PyObject_GetBuffer(producer, &view, PyBUF_FULL_RO)
    except Exception:
        gives = False
    if not gives:
        return 0  # NumPy will ask with other flags
    try:
        check_view(&view)
    finally:
        PyBuffer_Release(&view)
    return 0


cdef int check_view(const Py_buffer *view) except -1:
    cdef long long nbytes = view.itemsize
    cdef long long low = 0, high = view.itemsize
    cdef bint empty = False
    cdef int i
    if not 0 <= view.ndim <= MAXDIMS:
        raise BufferError(f"asarray: a buffer must have 0 to {MAXDIMS} dimensions (got {view.ndim})")
    if view.itemsize < 0 or (view.itemsize == 0 and view.len):
        raise BufferError(f"asarray: a buffer of {view.len} bytes cannot have elements of {view.itemsize} bytes")
    if offered_unowned(view) and view.format != NULL:
        # NumPy would read the owner, here NULL, if these two differ.
        try:
            size = struct_size(view.format)
        except Exception:
            raise BufferError(
                f"asarray: a buffer without an owner has the unknown format {<bytes>view.format!r}"
            ) from None
        if size != view.itemsize:
            raise BufferError(
                f"asarray: the buffer says elements of {view.itemsize} bytes, which its format {<bytes>view.format!r} "
                "contradicts"
            )
    elif offered_unowned(view) and view.itemsize != 1:
        raise BufferError(f"asarray: a buffer with elements of {view.itemsize} bytes must have a format")
    if view.ndim and view.shape == NULL:
        return 0  # NumPy takes it as one axis of view.len bytes
    for i in range(view.ndim):
        if view.shape[i] < 0:
            raise BufferError(f"asarray: axis lengths of a buffer must not be negative (got {view.shape[i]})")
        if view.shape[i] == 0:
            empty = True
        elif not offered_times(nbytes, view.shape[i], &nbytes):
            raise BufferError("asarray: the buffer is larger than memory")
        elif view.strides != NULL and not offered_reach(view.shape[i], view.strides[i], 1, &low, &high):
            raise BufferError("asarray: the buffer's strides lead out of the address space")
    if view.len != (0 if empty else nbytes):
        raise BufferError(f"asarray: the buffer has {view.len} bytes, and its shape needs {0 if empty else nbytes}")
    if not empty and nbytes and view.buf == NULL:
        raise BufferError("asarray: the buffer has elements but no memory (buf is NULL)")
    return 0
