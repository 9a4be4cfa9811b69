# cython: freethreading_compatible=True
"""Arrays by shape and strides: `as_strided`, and the constructor of the class `ndarray`."""

import numpy as np

cimport numpy as cnp
from cpython.number cimport PyNumber_Index

from cowarray._array.array cimport (
    Array,
    BORN_VIEW,
    is_array,
    is_plain,
    itemsize_of,
    on_storage,
    shadowed_as,
    shape_of,
    storage_for,
    strides_of,
)
from cowarray._array.copies cimport exports_alias
from cowarray._array.imports cimport import_array
from cowarray._array.layout cimport distinct, extent, extent_fits, MAXDIMS, nbytes_fit
from cowarray._native.storage cimport Storage, window_size
from cowarray._ops.operands cimport as_standard, births_leave_lane, is_handed_with, leaves_lane, take_road
from cowarray._ops.passage cimport Passage, viewing_passage
from cowarray._ops.shapes cimport settled_lengths

from cowarray._ops.conversion import own_or_asarray
from cowarray._ops.creation import fresh

cnp.import_array()

cdef object numpy_dtype = np.dtype
cdef type numpy_ndarray = np.ndarray


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """View an array's memory with any shape and strides.

    Parameters
    ----------
    x : array_like
    shape : sequence of int, optional
        Default: that of `x`.
    strides : sequence of int, optional
        Bytes from one element to the next, along each axis. Default: those of `x`.
    subok : bool, default False
        Ignored: the result is a `cowarray.ndarray`.
    writeable : bool, default True
        ``False``: the view is read-only. It is also read-only if `x` is, and outside `aliasing` if elements overlap.

    Returns
    -------
    ndarray
        A view of x's Storage; of a copy, if `x` is neither an array nor memory that is shared with one.

    Raises
    ------
    ValueError
        Elements would lie outside the memory that `x` is a view of, or their size in bytes overflows.

    See Also
    --------
    sliding_window_view : Needs no strides.
    numpy.lib.stride_tricks.as_strided : The same for NumPy's arrays, without the check.

    Examples
    --------
    >>> import cowarray
    >>> x = cowarray.arange(5)
    >>> cowarray.lib.stride_tricks.as_strided(x, (3, 3), (8, 8))
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    x = own_or_asarray(x)
    lengths = None if shape is None else settled_lengths(shape)
    steps = None if strides is None else settled_lengths(strides)
    writeable = bool(writeable)
    if not is_array(x) or leaves_lane(<Array>x):
        return take_road("lib.stride_tricks.as_strided", _plain_as_strided, (x, lengths, steps, writeable), {})
    return strided_view(<Array>x, lengths, steps, writeable)


def _plain_as_strided(Array x not None, shape, strides, writeable):
    return strided_view(x, shape, strides, writeable)


cdef Array strided_view(Array x, tuple lengths, tuple steps, bint writeable):
    cdef cnp.npy_intp shape[MAXDIMS]
    cdef cnp.npy_intp strides[MAXDIMS]
    cdef cnp.npy_intp low = 0, high = 0
    cdef Storage storage = storage_for(x)
    cdef cnp.npy_intp itemsize = itemsize_of(x)
    cdef int nd = x.nd if lengths is None else <int>len(lengths)
    cdef int i
    if (x.nd if steps is None else len(steps)) != nd:
        raise ValueError(f"as_strided: shape and strides must be equally long (got {lengths!r} and {steps!r})")
    if nd > MAXDIMS:
        raise ValueError(f"as_strided: there can be {MAXDIMS} axes (got {nd})")
    for i in range(nd):
        shape[i] = shape_of(x)[i] if lengths is None else lengths[i]
        strides[i] = strides_of(x)[i] if steps is None else steps[i]
        if shape[i] < 0:
            raise ValueError(f"as_strided: negative dimensions are not allowed (got {lengths!r})")
        if not is_plain(x.descr) and strides[i] % itemsize:
            raise ValueError(
                f"as_strided: elements of dtype {x.descr!r} are references: strides must be multiples of {itemsize} "
                f"(got {steps!r})"
            )
    if not nbytes_fit(nd, shape, itemsize):
        raise ValueError(f"as_strided: the array is too big: its size in bytes overflows (got {lengths!r})")
    if extent_fits(nd, shape, itemsize, strides):
        extent(nd, shape, itemsize, strides, &low, &high)
    else:
        high = -1
    if high < 0 or (high > low and (x.offset + low < 0 or <size_t>(x.offset + high) > window_size(storage))):
        raise ValueError(
            f"as_strided: shape {lengths!r} and strides {steps!r} lead outside the array's memory, which has "
            f"{window_size(storage)} bytes; the array begins at byte {x.offset} of it"
        )
    writeable = writeable and x.writeable and (distinct(nd, shape, itemsize, strides) or exports_alias())
    view = shadowed_as(on_storage(storage, x.offset, nd, shape, strides, x.descr, writeable, BORN_VIEW), x)
    return <Array>as_standard(view) if x.standard else view


def ndarray(shape, dtype=None, buffer=None, offset=0, strides=None, order=None):
    """Construct a `cowarray.ndarray`, whose docstring describes the parameters."""
    lengths = settled_lengths(shape)
    wanted = numpy_dtype(dtype)
    begin = PyNumber_Index(offset)
    if begin < 0:
        raise ValueError(f"ndarray: offset must be non-negative (got {begin})")  # NumPy would read memory before it
    steps = None if strides is None else settled_lengths(strides)
    if order is not None and type(order) is not str:
        order = str(order)
    arguments = (lengths, wanted, buffer, begin, steps, order)
    if births_leave_lane() or is_handed_with(buffer, None):
        return take_road("ndarray", _plain_new_array, arguments, {})
    return _plain_new_array(*arguments)


def _plain_new_array(shape, dtype, buffer, offset, strides, order):
    cdef Passage passage
    cdef Array x
    if buffer is None:
        return fresh(numpy_ndarray(shape, dtype, None, offset, strides, order))
    for kind in (dtype, (<Array>buffer).descr if is_array(buffer) else dtype):
        if not is_plain(kind):
            raise TypeError(f"ndarray: a buffer must have plain bytes, and so must the array (got {kind!r})")
    if not is_array(buffer):
        return import_array(numpy_ndarray(shape, dtype, buffer, offset, strides, order), None)
    passage = viewing_passage()
    x = <Array?>passage.result(numpy_ndarray(shape, dtype, passage.read(buffer), offset, strides, order))
    x.writeable = x.writeable and (distinct(x.nd, shape_of(x), itemsize_of(x), strides_of(x)) or exports_alias())
    return x
