# cython: freethreading_compatible=True
"""Exports: snapshots, which never change, and writable aliases, which pin.

Code that asks for an array or a buffer without further conditions gets a snapshot, or an alias if the array is lent
(`outgoing`).
"""

import numpy as np

cimport cython
cimport numpy as cnp

from cowarray._array.array cimport (
    access_to,
    Array,
    header_for,
    located_header,
    reader_header,
    root,
    still,
    writable_header,
)
from cowarray._array.copies cimport (
    copy_in_order,
    exports_alias,
    may_alias,
    takes_pointer,
    tell_exported,
    wants_copy,
)
from cowarray._array.snapshots cimport copied_out, loses_as_buffer, snapshot
from cowarray._c.atomics cimport add, relaxed
from cowarray._c.numpy cimport NPY_ARRAY_WRITEABLE, NPY_USERDEF, NPY_VSTRING, PyArray_CLEARFLAGS
from cowarray._native.storage cimport Access, Behalf, EXPORT, Pin, WRITES

from cowarray._array.missing import filled

cnp.import_array()

cdef object numpy_dtype = np.dtype
cdef object IF_NEEDED = np._CopyMode.IF_NEEDED  # copy=None in NumPy's own Python code


cdef cnp.ndarray export(Array x, Behalf behalf, bint for_reading=False):
    """Make a NumPy array that aliases x: x gets its own bytes, and is pinned while the array lives.

    Read-only if x is, for consumers that respect the flag. for_reading: elsewhere it would be a snapshot.
    """
    cdef cnp.ndarray array
    cdef bint writeable = x.writeable
    cdef Access access
    if may_alias():
        tell_exported(x, for_reading)
    x = still(x)
    access = access_to(x, WRITES, behalf)
    array = writable_header(x, &access)
    if not writeable:
        PyArray_CLEARFLAGS(array, NPY_ARRAY_WRITEABLE)
    return array


cdef cnp.ndarray addressed(Array x, Behalf behalf, bint for_reading=False):
    """Make an alias whose bare address is passed on. It pins for good: the address lasts while any array is on it.

    The caller has asked whether exports are aliases; by a second question, another thread may have changed that.
    """
    cdef cnp.ndarray alias = export(x, behalf, for_reading)
    (<Pin?>root(alias)).stay()
    return alias


cdef cnp.ndarray outgoing(Array x):
    """Make the default export: a snapshot.

    It is an alias if x is lent, or if the context's exports are aliases: there of a copy, for code that keeps it.
    """
    if relaxed(&x.loans) != 0 and x.writeable:
        return export(x, EXPORT)
    if not exports_alias():
        return snapshot(x)
    return export(copy_in_order(x, c"K") if wants_copy() else x, EXPORT, True)


@cython.final
@cython.no_gc
cdef class Loan:
    """A period in which an array's exports are writable aliases, in any thread, and the array is pinned.

    A loan applies to one array object: views and copies have their own. `lend` makes one for each of its arrays; a mode
    in which all exports are aliases makes one for each array created in it.
    """

    cdef Array of
    cdef cnp.ndarray pinned

    def __cinit__(self, Array x not None):
        if not x.writeable:
            raise ValueError(
                "lend: an array must be writable, because what borrows it writes to it, and this one is read-only; "
                "lend a copy"
            )
        self.pinned = export(x, EXPORT)
        self.of = x
        add(&x.loans, 1)

    def __dealloc__(self):
        if self.of is not None:
            add(&self.of.loans, -1)

    def end(self):
        """End the loan. Aliases that still exist stay aliases, and each pins the array itself."""
        cdef Array of = self.of
        if of is not None:
            self.of = None
            add(&of.loans, -1)
            self.pinned = None


cdef object array_for_numpy(Array x, object dtype, object copy):
    """Implement `__array__`: the default export, or a NumPy array that belongs to the caller."""
    cdef cnp.dtype wanted = None if dtype is None else numpy_dtype(dtype)
    if copy is not None and type(copy) is not bool:
        copy = as_flag(copy)
    if wanted is not None and wanted != x.descr:
        if copy is False:
            raise ValueError(
                "Unable to avoid copy while creating an array as requested: "
                f"converting dtype {x.descr!r} to {wanted!r} needs a copy; drop copy=False"
            )
        return (<object>reader_header(x)).astype(wanted)
    if copy:
        return copied_out(header_for(x, EXPORT), cnp.NPY_KEEPORDER)
    return outgoing(x)


cdef object as_flag(object copy):
    """Convert a copy argument of another type by NumPy's rule: to its truth value; text is an error."""
    if isinstance(copy, str):
        raise ValueError(f"strings are not allowed for 'copy' keyword. Use True/False/None instead. (got {copy!r})")
    return None if copy is IF_NEEDED else bool(copy)


cdef dict interface_of(Array x):
    """Return `__array_interface__`, with data only if exports are aliases: a bare pointer has no lifetime.

    AttributeError if x has no buffer either, or for code that wants the pointer, so that `__array__` is asked.
    """
    cdef dict described
    cdef int kind = x.descr.type_num
    if (
        kind == cnp.NPY_DATETIME or kind == cnp.NPY_TIMEDELTA or kind == NPY_VSTRING or kind >= NPY_USERDEF
        or loses_as_buffer(x.descr)
    ):
        raise AttributeError(
            f"__array_interface__: an array of dtype {x.descr!r} has no buffer; use x.to_numpy(), or view x as another "
            "dtype"
        )
    if exports_alias() and not wants_copy():
        return (<object>addressed(x, EXPORT, True)).__array_interface__
    if takes_pointer():
        raise AttributeError("__array_interface__: it would have no data; use x.to_numpy()")
    outgoing(x)  # raises the buffer's error, which NumPy would swallow, and take the array for a scalar
    described = (<object>located_header(x)).__array_interface__
    del described["data"]
    return described


cdef object held_values(Array x, cnp.dtype wanted, bint own, object na_value):
    """Implement `to_numpy` with arguments: a snapshot, or the caller's own NumPy array if requested or needed."""
    cdef object shown = snapshot(x)
    if na_value is not ...:
        made = filled(shown, wanted, na_value)
        if made is not shown:
            shown, own = made, False
    if wanted is not None and wanted != shown.dtype:
        return shown.astype(wanted)
    return copied_out(shown, cnp.NPY_KEEPORDER) if own else shown
