# cython: freethreading_compatible=True
"""A call to NumPy: a Passage turns arguments into headers, and NumPy's results into cowarray arrays.

Headers are read-only, except for arguments that the table says are written. The table also says what each result is; an
Operation is a compiled row of it.
"""

import numpy as np

cimport cython
cimport numpy as cnp

from cowarray._array.array cimport (
    access_to,
    adopt,
    Array,
    BORN_EAGER_ORDER,
    descr_of,
    extent_of,
    guarded_header,
    has_doorkeeper,
    header_at,
    header_beside,
    is_array,
    is_array_type,
    is_noticed,
    located_header,
    reader_header,
    root,
    shadowed_as,
    still,
    storage_for,
    storage_then,
    view_on,
    writable_header,
)
from cowarray._array.copies cimport copy_of_alias, exports_alias, have_copied, may_copy
from cowarray._array.exports cimport export
from cowarray._array.imports cimport copy_foreign, import_array
from cowarray._array.layout cimport distinct, MAXDIMS
from cowarray._c.numpy cimport NPY_ARRAY_OWNDATA, NPY_ARRAY_WRITEABLE, PyArray_CLEARFLAGS
from cowarray._c.python cimport enter_recursive_call, Py_LeaveRecursiveCall
from cowarray._native.storage cimport (
    Access,
    allow_eager,
    EXPORT,
    have_read,
    OVERWRITES,
    Storage,
    tell_eager,
    window_size,
    WRITES,
)
from cowarray._ops.large cimport is_large
from cowarray._ops.operands cimport (
    as_standard,
    detached_void,
    has_plain_bounds,
    is_harmless,
    is_itself_alone,
    listed,
    runs_code,
)
from cowarray._ops.picking cimport narrow_to, same_elements, says_where, TRUE_ELEMENTS

from cowarray._ops import table as _table
from cowarray._ops.table import COPY, KEYWORD_ONLY, OVERLAPPING, SAME, VIEW

cnp.import_array()

cdef object numpy_asarray = np.asarray
cdef type numpy_void = np.void
cdef type numpy_memmap = np.memmap

cdef str LEAVING = "an array of another class may leave the library, and the bytes may not"


@cython.final
@cython.no_gc
cdef class Operation:
    """A row of the table, compiled."""

    def __cinit__(self, str name, row):
        self.name = name
        (
            self.result, self.writes, self.writes_if, readonly, self.calls_user, self.overwrites_unless, self.picks,
            self.changed, self.copies_readonly,
        ) = row
        self.readonly = bool(readonly)
        self.only_overlapping = readonly == OVERLAPPING
        self.only_reads = (
            self.writes_if is None and not self.calls_user and not any([each.position < 0 for each in self.writes])
        )
        self.is_quick = (
            self.result is not SAME and not self.calls_user and self.writes_if is None and not self.changed
            and all([each.name == "out" for each in self.writes])
        )
        self.out_at = self.writes[0].position if self.writes else KEYWORD_ONLY
        self.copies = self.result is COPY and not self.writes and self.writes_if is None


cdef bint makes_readonly(Operation operation, cnp.ndarray view) noexcept:
    """True if an operation's view is read-only, even of a writable array."""
    return operation.readonly and not (
        operation.only_overlapping
        and distinct(
            cnp.PyArray_NDIM(view), cnp.PyArray_DIMS(view), cnp.PyArray_ITEMSIZE(view), cnp.PyArray_STRIDES(view)
        )
    )


cdef Operation method_operation(str name):
    return methods[name]


COMPUTING = Operation("computing", _table.Operation())
cdef Operation VIEWING = Operation("viewing", _table.Operation(VIEW))
# All of NumPy's methods by name, compiled up front: a finalizer may call one after Python's modules are gone.
cdef dict methods = {
    name: Operation("ndarray." + name, _table.method(name)) for name in vars(np.ndarray) if not name.startswith("__")
}
# By function, compiled on first use.
cdef dict functions = {}
# Replacements for NumPy functions, by function.
cdef dict specials = {}


cdef int set_special(dict functions) except -1:
    specials.update(functions)
    return 0


cdef Operation function_operation(object function):
    cdef Operation found = functions.get(function) if is_itself_alone(function) else None
    if found is None:
        found = Operation(_table.name_of(function), _table.lookup(function))
        if is_itself_alone(function) and _table.is_numpys(function):
            found.special = specials.get(function)
            found.implementation = getattr(function, "_implementation", function)
            found.is_c = type(found.implementation) is type(len)
            functions[function] = found
        else:
            found.calls_user = True  # nor is it cached: the function may end before the library does
            found.is_quick = False
    return found


@cython.final
@cython.no_gc
cdef class Passage:
    """One call to NumPy: its arguments, and how its results become cowarray arrays."""

    def __cinit__(self, Operation operation):
        self.operation = operation
        self.cautious = operation.calls_user
        self.arrays = []
        self.sources = []
        self.foreign = []
        self.foreign_written = []
        self.written = []

    cdef int survey(self, object value) except -1:
        """Note, before NumPy sees any argument, whether user code may run while it reads them.

        Such code may write to an argument, which then gets other bytes; another sharer may write to the old ones, which
        NumPy still reads. It may keep a header. NumPy may also return memory that is not its own: an element that is an
        array, or memory of an unknown type.
        """
        cdef type kind = type(value)
        if is_array_type(kind):
            self.arrays.append(value)
            self.has_objects |= runs_code((<Array>value).descr)
            self.cautious |= self.has_objects
            if not is_noticed(<Array>value):
                guarded_header(<Array>value)  # allocates now, not after something has been written
        elif cnp.PyArray_Check(value):
            self.strangers |= kind is not cnp.ndarray
            self.has_objects |= runs_code((<cnp.ndarray>value).descr)
            self.cautious |= self.strangers or self.has_objects
        elif kind is list or kind is tuple or kind is dict:
            enter_recursive_call(" in the arguments of a NumPy function")
            try:
                if kind is dict:
                    for key, item in (<dict>value).items():
                        self.survey(key)
                        self.survey(item)
                else:
                    for item in value:
                        self.survey(item)
            finally:
                Py_LeaveRecursiveCall()
        elif kind is slice:
            self.cautious |= not has_plain_bounds(value)
        elif not is_harmless(value):
            self.strangers = self.cautious = True
        return 0

    cdef int note_axes(self, object given, object shown) except -1:
        """Note whether NumPy allocates what an operation returns that gives as many axes as an operand has at most.

        A result with axes is an array that NumPy allocated; one without can be an element. given, shown: the operands,
        and as they were read: user code may give an array, ours or the user's, other axes at any time.
        """
        cdef bint has_axes = False
        for value, header in zip(given, shown, strict=True):
            has_axes |= is_array(value) and cnp.PyArray_NDIM(<cnp.ndarray?>header) > 0
        self.allocates = has_axes and not self.strangers
        return 0

    cdef object read(self, object value):
        """Return the argument as NumPy may see it: read-only."""
        cdef cnp.ndarray header
        cdef Array x
        cdef Storage storage
        cdef cnp.npy_intp offset
        if is_array(value):
            self.found = True
            self.standard |= (<Array>value).standard
            x = still(<Array>value)
            self.large |= is_large(x)
            if self.operation.result is VIEW:
                storage_for(x)  # the view's Storage, even if x changes meanwhile
            if self.operation.calls_user and exports_alias():
                header = export(x, EXPORT)  # user functions write to what they are given, as they may to NumPy's arrays
            else:
                header = reader_header(x) if self.cautious else self.header_of(x)
            if self.operation.copies_readonly and not self.cautious:
                header = lent(header)
            storage = x.storage_
            offset = x.offset
            self.sources.append((x, storage, header, offset))
            return header
        if cnp.PyArray_Check(value):
            if type(value) is numpy_memmap:
                value = numpy_asarray(value)  # else NumPy's results are memmaps without a map
            self.foreign.append(value)
            return value
        if type(value) is list or type(value) is tuple:
            return self.read_all(value)
        if type(value) is dict:
            return {key: self.read(item) for key, item in (<dict>value).items()}
        return value

    cdef cnp.ndarray header_of(self, Array x):
        if self.locates and is_noticed(x):
            return located_header(x)
        for _, header, _ in self.written:
            if x.storage_ is not None and root(header).storage is x.storage_:
                if not self.stays:
                    have_read(x.storage_)
                return header_beside(x, header)
        return guarded_header(x)

    cdef object read_all(self, object values):
        """Return a list or tuple with every item read; the same object if none of them is a cowarray array."""
        cdef list seen = None
        cdef Py_ssize_t i
        enter_recursive_call(" in the arguments of a NumPy function")
        try:
            for i, item in enumerate(values):
                shown = self.read(item)
                if shown is not item:
                    if seen is None:
                        seen = listed(values)
                    seen[i] = shown
        finally:
            Py_LeaveRecursiveCall()
        if seen is None:
            return values
        return tuple(seen) if type(values) is tuple else seen

    cdef object write(self, object value):
        """Return the argument as NumPy may write to it. A read-only array stays so, and NumPy raises its own error."""
        cdef cnp.ndarray header
        cdef Array x, whole
        cdef Access access
        cdef cnp.npy_intp box[2 * MAXDIMS]
        cdef cnp.npy_intp offset
        if type(value) is tuple:
            return tuple([self.write(item) for item in <tuple>value])
        if not is_array(value):
            if cnp.PyArray_Check(value):
                self.foreign.append(value)
                self.foreign_written.append(value)
            return value
        self.found = True
        x = <Array>value
        self.standard |= x.standard
        if not x.writeable:
            return reader_header(x) if self.cautious else guarded_header(x)
        if has_doorkeeper(x):
            whole = still(x)
            access = access_to(whole, OVERWRITES if self.overwrites and not self.reads_of(x) else WRITES, self.behalf)
            header = writable_header(x, &access)
        elif self.picked is not None and says_where(x) and not self.is_written_back(x):
            access = access_to(x, WRITES, self.behalf)
            narrow_to(&access, box, x, self.picked)
            header = writable_header(x, &access)
        else:
            header = writable_header(x, NULL)
        offset = x.offset
        self.written.append((x, header, offset))
        return header

    cdef int read_written(self, object result) except -1:
        """Count written arrays as read, unless they are the result: a median with overwrite_input depends on them."""
        for _, header, _ in self.written:
            if header is not result:
                have_read(root(header).storage)
        return 0

    cdef object result(self, object value):
        """Return NumPy's result, as cowarray arrays."""
        if type(value) is cnp.ndarray:
            return self.array_result(value)
        if cnp.PyArray_CheckAnyScalar(value):
            if self.standard and not self.has_objects:
                return as_standard(value)
            return detached_void(value) if isinstance(value, numpy_void) else value
        if type(value) is tuple:
            return tuple([self.result(item) for item in <tuple>value])
        if type(value) is list:
            return [self.result(item) for item in <list>value]
        if isinstance(value, tuple) and hasattr(type(value), "_make"):
            return type(value)._make([self.result(item) for item in value])
        if cnp.PyArray_Check(value) and self.shown(root(value)):
            # An array of a subclass is returned unchanged, unless it lies in an argument's bytes.
            allow_eager(cnp.PyArray_NBYTES(value), LEAVING)
            value = value.copy()
            tell_eager(cnp.PyArray_NBYTES(value), LEAVING)
            return value
        return value

    cdef bint shown(self, object owner) except -1:
        """True if an argument's bytes belong to owner."""
        for _, _, header, _ in self.sources:
            if root(header) is owner:
                return True
        return False

    cdef object array_result(self, cnp.ndarray array):
        cdef Array x
        for x, header, _ in self.written:
            if header is array:
                return x
        result = self.taken_back(array)
        return as_standard(result) if self.standard else result

    cdef object taken_back(self, cnp.ndarray array):
        """Return a NumPy array as a new cowarray array; a foreign one that was to be written to, as it is."""
        cdef Array x
        cdef object owner
        for given in self.foreign_written:
            if given is array:
                return array
        for given in self.foreign:
            if given is array:
                return import_array(array, None)
        owner = root(array)
        for x, storage, header, offset in self.sources:
            if root(header) is owner:
                return self.alias(x, storage_then(x, storage, header), header, offset, array)
        for x, header, offset in self.written:
            if root(header) is owner:
                return self.alias(x, owner.storage, header, offset, array)
        if not self.is_fresh(owner):
            return import_array(array, True if self.has_objects else None)
        copied = self.operation.copies and self.is_copy(array)
        if copied:
            may_copy(cnp.PyArray_NBYTES(array), BORN_EAGER_ORDER)
        if self.adopted is None:
            self.adopted = {}
        x = adopt(array, self.adopted.get(<size_t><void *>owner))
        if makes_readonly(self.operation, array):
            x.writeable = False  # NumPy gives the first of numpy.broadcast_arrays(1, x) writable, with a warning
        self.adopted[<size_t><void *>owner] = storage_for(x)
        if copied:
            x.birth = BORN_EAGER_ORDER
            have_copied(cnp.PyArray_NBYTES(array), BORN_EAGER_ORDER)
        return x

    cdef object alias(self, Array source, Storage storage, cnp.ndarray header, cnp.npy_intp offset,
                      cnp.ndarray array):
        """Return a result that lies in the bytes of an argument, which NumPy saw as header."""
        cdef char *window = cnp.PyArray_BYTES(header) - offset
        cdef cnp.npy_intp low = 0, high = 0
        cdef cnp.npy_intp start = cnp.PyArray_BYTES(array) - window if cnp.PyArray_SIZE(array) else offset
        if storage is None:
            return copy_foreign(array)
        extent_of(array, &low, &high)
        if high > low and (start + low < 0 or <size_t>(start + high) > window_size(storage)):
            # numpy.einsum("ii->i") of an array without elements does this.
            raise ValueError(f"{self.operation.name}: NumPy's result lies outside the array's memory")
        writeable = source.writeable and not makes_readonly(self.operation, array)
        view = shadowed_as(view_on(storage, start, window, array, writeable), source)
        if self.operation.result is VIEW:
            return view
        return copy_of_alias(view, self.operation.name, source if array is header else None)

    cdef bint reads_of(self, Array x) noexcept:
        """True if another argument lies in the Storage of x, which is written: the new values may depend on the old."""
        cdef int times = 0
        for other in self.arrays:
            times += (<Array>other).storage_ is x.storage_ and (<Array>other).shadow == x.shadow
        return times > 1

    cdef bint is_written_back(self, Array x) noexcept:
        """True if NumPy may write to a copy of x and then copy all of it back, because an argument overlaps x."""
        cdef bint may_be_it = self.picked.way == TRUE_ELEMENTS  # each element is read before it is written
        cdef int times = 0
        for other in self.arrays:
            is_it = may_be_it and other is not self.picked.value and same_elements(x, <Array>other)
            if (<Array>other).storage_ is x.storage_ and not is_it:
                times += 1
        return times > (0 if may_be_it else 1)

    cdef bint is_copy(self, cnp.ndarray array) except -1:
        """True if a result of a copying operation has an argument's dtype, so that its elements were not converted."""
        for _, _, header, _ in self.sources:
            if descr_of(header) is descr_of(array) or descr_of(header) == descr_of(array):
                return True
        return False

    cdef bint is_fresh(self, object owner) except -1:
        """True if nothing else refers to the memory: NumPy made it for this call, and no user code has run."""
        if not cnp.PyArray_CheckExact(owner) or (self.cautious and not self.allocates):
            return False
        if not cnp.PyArray_CHKFLAGS(owner, NPY_ARRAY_OWNDATA):
            return False
        for given in self.foreign:
            if given is owner or root(given) is owner:
                return False
        return True


cdef cnp.ndarray lent(cnp.ndarray header):
    """Return a const header as one that looks writable, for operations whose row says that they only read it."""
    return header_at(
        cnp.PyArray_BYTES(header), descr_of(header), cnp.PyArray_NDIM(header), cnp.PyArray_DIMS(header),
        cnp.PyArray_STRIDES(header), NPY_ARRAY_WRITEABLE, header,
    )


cdef int give_back(object headers) except -1:
    """Make `lent` headers read-only again after the call: its traceback may keep them."""
    for header in headers:
        if type(header) is cnp.ndarray:
            PyArray_CLEARFLAGS(<cnp.ndarray>header, NPY_ARRAY_WRITEABLE)
    return 0


cdef Passage new_passage():
    """Return the passage of a computation, whose results are fresh."""
    return Passage(COMPUTING)


cdef Passage viewing_passage():
    return Passage(VIEWING)
