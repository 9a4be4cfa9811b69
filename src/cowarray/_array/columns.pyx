# cython: freethreading_compatible=True
"""Columns: memory of pandas that `asarray` shares, because pandas copies before it writes.

Blocks of pandas 3 on the same memory know each other by weak references, and pandas copies a block that is not alone
before writing to it. So our own block, a shallow copy, keeps all of pandas' writes away.

pandas does not see writes through a NumPy array: the one that a Series was made from with `copy=False`,
`series.array`, a view whose flag was set back. Such memory is copied. Reference counts reveal it: an array that
anything besides the blocks refers to, directly or by a view, has more references than the blocks account for. A count
that is too high costs a copy. It is never too low: a reference that CPython does not count is on the stack of a call,
and stands for a counted one. (Without a GIL a count may be read in parts, so nothing is shared.)

Private names of pandas are looked up at run time, and memory is copied if one is missing.
"""

import sys

cimport numpy as cnp
from cpython.ref cimport Py_REFCNT

from cowarray._array.array cimport descr_of, get_base, is_plain
from cowarray._array.imports cimport is_trusted
from cowarray._c.gil cimport KEEPS_HEADERS
from cowarray._c.numpy cimport NPY_ARRAY_OWNDATA

cnp.import_array()

cdef object series_type = None
cdef object frame_type = None


cdef bint is_guarded(object kind) except -1:
    """True if kind is the Series or DataFrame of an imported pandas that always copies before it writes."""
    global series_type, frame_type
    if series_type is None:
        pandas = sys.modules.get("pandas")
        if pandas is None:
            return False
        found = getattr(pandas, "Series", None), getattr(pandas, "DataFrame", None)
        if None in found or getattr(pandas, "__version__", "0").partition(".")[0] in ("0", "1", "2"):
            return False
        series_type, frame_type = found
    return kind is series_type or kind is frame_type


cdef object block_to_hold(object obj):
    """Make our own block on the memory of a Series, or of a DataFrame with one block; None if that has to be copied.

    While the block lives, pandas copies before it writes to this memory.
    """
    if not KEEPS_HEADERS or not is_guarded(type(obj)):
        return None
    try:
        blocks = obj._mgr.blocks
        return held(blocks[0]) if len(blocks) == 1 and is_alone(blocks[0]) else None
    except (AttributeError, TypeError):
        pass
    return None


def frame_of_own(object obj):
    """Return an equal Series or DataFrame, for which pandas copies before it writes; None for any other object."""
    pandas = sys.modules.get("pandas")
    if not isinstance(obj, getattr(pandas, "Series", ())) and not isinstance(obj, getattr(pandas, "DataFrame", ())):
        return None
    try:
        alone = [KEEPS_HEADERS and is_guarded(type(obj)) and is_alone(block) for block in obj._mgr.blocks]
        lowest = [lowest_trusted(block) for block in obj._mgr.blocks]
        made = obj.copy(deep=False)
        for block, shared, array in zip(made._mgr.blocks, alone, lowest, strict=True):
            if not shared:
                block.refs = type(block.refs)(block)
                if array is None:
                    block.values = copied(block.values)
                else:
                    # A referrer that pandas finds alive while anything uses this memory: the block is never alone.
                    block.refs.add_index_reference(array)
        return made
    except (AttributeError, TypeError):
        pass
    return obj.copy()


cdef object copied(object values):
    return values.copy(order="K") if cnp.PyArray_Check(values) else values.copy()


cdef object lowest_trusted(object block):
    """Return the NumPy array closest to the owner of a block's memory, if nobody writes there; otherwise None."""
    cdef object array = block.values
    if not cnp.PyArray_Check(array) or not is_plain(descr_of(<cnp.ndarray>array)) or not is_trusted(<cnp.ndarray>array):
        return None
    while cnp.PyArray_Check(get_base(<cnp.ndarray>array)):
        array = get_base(<cnp.ndarray>array)
    return array


cdef cnp.ndarray array_of_block(object block):
    """Return a block's array, laid out as pandas shows it."""
    cdef cnp.ndarray array = block.values
    return array if cnp.PyArray_NDIM(array) == 1 else array.T


cdef object held(object block):
    """Make a shallow copy of a block; None if pandas would not know of it."""
    made = block.copy(deep=False)
    return made if made.refs is block.refs and made.refs.has_reference() else None


cdef object owner_of_block(object block):
    """Return the writable array that owns a block's memory; None if another object owns it, or nobody."""
    cdef object array = block.values
    if (
        not cnp.PyArray_CheckExact(array)
        or not is_plain(descr_of(<cnp.ndarray>array))
        or not cnp.PyArray_ISWRITEABLE(<cnp.ndarray>array)
    ):
        return None
    owner = get_base(<cnp.ndarray>array)
    if owner is None:
        owner = array
    elif not cnp.PyArray_CheckExact(owner):
        return None
    return owner if cnp.PyArray_CHKFLAGS(<cnp.ndarray>owner, NPY_ARRAY_OWNDATA) else None


cdef bint is_alone(object block) except -1:
    """True if only blocks refer to a block's memory, and the block has at least half of it, as for lazy copies.

    For one column beside a block of all columns, half of the column will do: pandas copies by the column.
    """
    cdef object owner = owner_of_block(block)
    cdef dict arrays = {}  # by identity: the array, and how many blocks have it
    cdef Py_ssize_t expected = 1, columns = 1, count
    if owner is None:
        return False
    for reference in block.refs.referenced_blocks:
        other = reference()
        if type(other) is type(block):
            array = other.values
            arrays[id(array)] = array, (<tuple>arrays[id(array)])[1] + 1 if id(array) in arrays else 1
    for array, count in arrays.values():
        if cnp.PyArray_NDIM(<cnp.ndarray?>array) == 2:
            columns = max(columns, cnp.PyArray_DIM(<cnp.ndarray>array, 0))
        if array is owner:
            expected += count + 1  # the blocks, and the tuple
        elif get_base(<cnp.ndarray>array) is not owner or Py_REFCNT(array) != count + 2:  # plus the tuple and `array`
            return False
        else:
            expected += 1
    array = block.values
    if cnp.PyArray_NDIM(<cnp.ndarray>array) == 2:
        columns = 1
    if 2 * columns * cnp.PyArray_NBYTES(<cnp.ndarray>array) < cnp.PyArray_NBYTES(<cnp.ndarray>owner):
        return False
    array = None
    return Py_REFCNT(owner) == expected
