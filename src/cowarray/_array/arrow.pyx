# cython: freethreading_compatible=True
"""Exports to Arrow: snapshots, which a consumer may keep as long as it likes and release in any thread.

An exported array owns a core Storage for each of its buffers, but no Python object, so releasing it needs no GIL.
"""

from functools import partial

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libc.string cimport memset

from cowarray._array.array cimport access_to, adopt, Array, const_header, itemsize_of, size_of, storage_for
from cowarray._array.copies cimport copy_in_order
from cowarray._c.arrow cimport ARROW_FLAG_NULLABLE, ArrowArray, ArrowSchema
from cowarray._c.numpy cimport PyArray_ISNBO, PyArray_NewCopy
from cowarray._native.storage cimport (
    Access,
    detach,
    drop_detached,
    EXPORT,
    is_aligned,
    own_bytes,
    READS,
    share,
    Storage,
)

cnp.import_array()

cdef object numpy_packbits = np.packbits
cdef object numpy_isnat = np.isnat
cdef object numpy_datetime_data = np.datetime_data

# Arrow's format for each NumPy dtype with the same memory layout; for times by kind and unit.
cdef dict FORMATS = {
    "?": b"b", "b": b"c", "B": b"C", "h": b"s", "H": b"S", "i": b"i", "I": b"I",
    "e": b"e", "f": b"f", "d": b"g",
}
FORMATS |= {
    char: formats[np.dtype(char).itemsize]
    for chars, formats in (("lq", {4: b"i", 8: b"l"}), ("LQ", {4: b"I", 8: b"L"}))
    for char in chars
}
cdef dict TIMES = {
    (kind, unit): prefix + unit[:1].encode() + suffix
    for kind, prefix, suffix in (("M", b"ts", b":"), ("m", b"tD", b""))
    for unit in ("s", "ms", "us", "ns")
}


cdef bytes format_of(Array x):
    """Return Arrow's format of x's elements; None if Arrow has none with that memory layout."""
    dtype = <object>x.descr
    if x.nd != 1 or not PyArray_ISNBO(x.descr.byteorder):
        return None
    if dtype.kind not in "mM":
        return FORMATS.get(dtype.char)
    unit, count = numpy_datetime_data(dtype)
    return TIMES.get((dtype.kind, unit)) if count == 1 else None


@cython.final
@cython.no_gc
cdef class _Exporter:
    """The `x.__arrow_c_array__` of an array that Arrow can take without conversion."""

    cdef Array of

    def __call__(self, requested_schema=None):
        """Export a snapshot.

        Parameters
        ----------
        requested_schema : capsule, optional
            Ignored: elements are exported as they are, which the protocol allows.

        Returns
        -------
        tuple of capsule
            ``"arrow_schema"`` and ``"arrow_array"``.
        """
        cdef Array x = self.of
        cdef bytes format = format_of(x)
        if format is None:
            raise TypeError(refusal(x))
        x = copy_in_order(x, c"C")  # lazy if worthwhile; private from here on
        if not is_aligned(storage_for(x), x.offset, x.descr.alignment):
            x = adopt(PyArray_NewCopy(const_header(x), cnp.NPY_CORDER))
        return schema_capsule(format), array_capsule(x)


cdef object arrow_exporter(Array x):
    """Return `x.__arrow_c_array__`. Without the attribute, a consumer falls back on the buffer or the sequence."""
    cdef _Exporter made
    if format_of(x) is None:
        raise AttributeError(refusal(x))
    made = _Exporter()
    made.of = x
    return made


def _converted(x, type=None):
    """Convert a snapshot with `pyarrow.array`. With `__arrow_c_array__` it would ignore a mask and refuse a type."""
    from pyarrow import array

    return array(x.to_numpy(), type=type)


cdef object arrow_converter(Array x):
    """Return `x.__arrow_array__`, like `arrow_exporter`."""
    if format_of(x) is None:
        raise AttributeError(refusal(x))
    return partial(_converted, x)


cdef str refusal(Array x):
    return (
        "__arrow_c_array__: Arrow has arrays of one axis, of native numbers, booleans, and times in s, ms, us or ns "
        f"(got {x.nd} axes of dtype {x.descr!r}); convert it, or pass x.to_numpy()"
    )


# ---- the schema ------------------------------------------------------------------------------------------------------


cdef void release_schema(ArrowSchema *schema) noexcept nogil:
    schema.release = NULL


cdef void end_schema(object capsule) noexcept:
    cdef ArrowSchema *schema = <ArrowSchema *>PyCapsule_GetPointer(capsule, "arrow_schema")
    if schema.release != NULL:
        schema.release(schema)
    PyMem_RawFree(schema)


cdef object schema_capsule(bytes format):
    cdef ArrowSchema *schema = <ArrowSchema *>PyMem_RawMalloc(sizeof(ArrowSchema))
    if schema == NULL:
        raise MemoryError("cannot allocate memory for an Arrow schema")
    memset(schema, 0, sizeof(ArrowSchema))
    schema.format = format  # from a table of this module, which is never freed
    schema.name = ""
    schema.flags = ARROW_FLAG_NULLABLE
    schema.release = release_schema
    try:
        return PyCapsule_New(schema, "arrow_schema", end_schema)
    except BaseException:
        PyMem_RawFree(schema)
        raise


# ---- the array -------------------------------------------------------------------------------------------------------

cdef enum:
    VALIDITY = 0
    VALUES = 1

# An exported array's Storages of the core, or NULL, and the addresses of their bytes.
cdef struct Buffers:
    void *owners[2]
    const void *bytes[2]


cdef void release_array(ArrowArray *array) noexcept nogil:
    cdef Buffers *buffers = <Buffers *>array.private_data
    drop_detached(buffers.owners[VALIDITY])
    drop_detached(buffers.owners[VALUES])
    PyMem_RawFree(buffers)
    array.release = NULL


cdef void end_array(object capsule) noexcept:
    cdef ArrowArray *array = <ArrowArray *>PyCapsule_GetPointer(capsule, "arrow_array")
    if array.release != NULL:
        array.release(array)
    PyMem_RawFree(array)


cdef int fill(Buffers *buffers, int which, Array x) except -1:
    """Give a buffer a share of x's bytes."""
    cdef Access access = access_to(x, READS, EXPORT)
    cdef Storage owner = share(storage_for(x), &access, x.offset, size_of(x) * itemsize_of(x), True)
    buffers.bytes[which] = own_bytes(owner)
    buffers.owners[which] = detach(owner)
    return 0


cdef object array_capsule(Array x):
    """Return the capsule of x, which is contiguous, aligned, and used by nobody else."""
    cdef ArrowArray *array = <ArrowArray *>PyMem_RawMalloc(sizeof(ArrowArray))
    cdef Buffers *buffers = <Buffers *>PyMem_RawMalloc(sizeof(Buffers))
    if array == NULL or buffers == NULL:
        PyMem_RawFree(buffers)
        PyMem_RawFree(array)
        raise MemoryError("cannot allocate memory for an Arrow array")
    memset(array, 0, sizeof(ArrowArray))
    memset(buffers, 0, sizeof(Buffers))
    try:
        if x.descr.type_num == cnp.NPY_DATETIME or x.descr.type_num == cnp.NPY_TIMEDELTA:
            missing = numpy_isnat(const_header(x))
            array.null_count = missing.sum()
            if array.null_count:
                fill(buffers, VALIDITY, adopt(numpy_packbits(~missing, bitorder="little")))
        array.length = size_of(x)
        if x.descr.type_num == cnp.NPY_BOOL:
            fill(buffers, VALUES, adopt(numpy_packbits(const_header(x), bitorder="little")))
        else:
            fill(buffers, VALUES, x)
        array.n_buffers = 2
        array.buffers = buffers.bytes
        array.private_data = buffers
        array.release = release_array
        return PyCapsule_New(array, "arrow_array", end_array)
    except BaseException:
        drop_detached(buffers.owners[VALIDITY])
        drop_detached(buffers.owners[VALUES])
        PyMem_RawFree(buffers)
        PyMem_RawFree(array)
        raise
