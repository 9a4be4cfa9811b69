# cython: freethreading_compatible=True
"""The road of operations: arguments become NumPy's headers, NumPy computes, and results become cowarray's arrays.

Headers are read-only, except for arguments that the table says are written. The table also says what each result is.

It is one file because a Passage and the calls that make it rely on each other's order of steps; cut in two, each call
would cross modules several times.
"""

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from cowarray._array.array cimport (
    access_to,
    adopt,
    Array,
    BORN_EAGER_ORDER,
    BORN_SCALAR,
    const_header,
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
    root_of,
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
from cowarray._c.gil cimport KEEPS_HEADERS
from cowarray._c.numpy cimport (
    NPY_ARRAY_OWNDATA,
    NPY_ARRAY_WRITEABLE,
    PyArray_BASE,
    PyArray_CLEARFLAGS,
    PyArray_DescrCheck,
)
from cowarray._c.python cimport (
    enter_recursive_call,
    Py_LeaveRecursiveCall,
    PyList_Check,
    PyObject_Call,
    PyObject_CallMethodNoArgs,
    PySequence_Check,
    PyTuple_Check,
)
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
from cowarray._ops.operands cimport (
    any_own_ufunc,
    as_standard,
    births_leave_lane,
    computed,
    detached_void,
    is_handed,
    is_handed_with,
    is_harmless,
    is_itself_alone,
    leaves_lane,
    listed,
    runs_code,
    take_road,
)

from cowarray._ops.picking cimport (
    ALONG_AN_AXIS,
    FLAT_MASK,
    FLAT_PLACES,
    narrow_to,
    new_picked,
    Picked,
    same_elements,
    says_where,
    THE_DIAGONAL,
    TRUE_ELEMENTS,
)

from cowarray._ops import table as _table
from cowarray._ops.table import COPY, FRESH, KEYWORD_ONLY, OVERLAPPING, SAME, VIEW

cnp.import_array()

cdef object numpy_dtype = np.dtype
cdef object numpy_array = np.array
cdef object numpy_asarray = np.asarray
cdef type numpy_void = np.void
cdef type numpy_memmap = np.memmap
cdef object copy_mode = np._CopyMode

# By their names in the table.
cdef dict WAYS = {
    "flat places": FLAT_PLACES, "flat mask": FLAT_MASK, "true elements": TRUE_ELEMENTS, "along an axis": ALONG_AN_AXIS,
    "the diagonal": THE_DIAGONAL,
}

cdef str LEAVING = "an array of another class may leave the library, and the bytes may not"

cdef enum:
    MOST_NESTED = 256


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
    """Whether an operation's view is read-only, even of a writable array."""
    return operation.readonly and not (
        operation.only_overlapping
        and distinct(
            cnp.PyArray_NDIM(view), cnp.PyArray_DIMS(view), cnp.PyArray_ITEMSIZE(view), cnp.PyArray_STRIDES(view)
        )
    )


cdef inline Operation method_operation(str name):
    return methods[name]


COMPUTING = Operation("computing", _table.Operation())
cdef Operation VIEWING = Operation("viewing", _table.Operation(VIEW))
# By name: all of NumPy's methods, compiled up front, since a finalizer may call one after Python's modules are gone.
cdef dict methods = {
    name: Operation("ndarray." + name, _table.method(name)) for name in vars(np.ndarray) if not name.startswith("__")
}
# By the function itself: compiled when first called.
cdef dict functions = {}
# The replacement for a NumPy function, by the function.
cdef dict specials = {}


# The methods that only call a ufunc, with NumPy's code for them, and its functions that only call those methods. Types
# with an `__array_ufunc__` of their own are asked by the ufunc, which shows them the arrays themselves.
cdef dict methods_of_ufuncs = {name: getattr(np._core._methods, code) for name, code in (
    ("all", "_all"), ("any", "_any"), ("clip", "_clip"), ("max", "_amax"), ("min", "_amin"), ("prod", "_prod"),
    ("sum", "_sum"),
)}
cdef frozenset functions_of_ufuncs = frozenset(
    (np.all, np.amax, np.amin, np.any, np.clip, np.max, np.min, np.prod, np.sum)
)


cdef bint calls_ufunc_with_others(object function, Array self, tuple args, dict kwargs) except -1:
    """Whether all that a function, or a method of self, does is to call a ufunc that asks another type."""
    if self is not None:
        if function not in methods_of_ufuncs:
            return False
    elif not is_itself_alone(function) or function not in functions_of_ufuncs or not args or not is_array(args[0]):
        return False
    return any_own_ufunc(args) or any_own_ufunc(kwargs.values())


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
            found.calls_user = True  # nor is it kept: it may end before the library does
            found.is_quick = False
    return found


@cython.final
@cython.no_gc
cdef class Passage:
    """One call: its arguments, and how its results are taken back."""

    def __cinit__(self, Operation operation):
        self.operation = operation
        self.cautious = operation.calls_user
        self.arrays = []
        self.sources = []
        self.foreign = []
        self.written = []

    cdef int survey(self, object value) except -1:
        """Look at an argument before NumPy sees any: whether user code may run while it reads the others.

        Such code may write to an argument, which then gets other bytes; another sharer may write to the old ones, which
        NumPy still reads. It may keep a header. And NumPy may return memory that is not its own: an element that is an
        array, or memory of an unknown type.
        """
        cdef type kind = type(value)
        if is_array_type(kind):
            self.arrays.append(value)
            self.has_objects |= runs_code((<Array>value).descr)
            self.cautious |= self.has_objects
            if not is_noticed(<Array>value):
                guarded_header(<Array>value)  # allocates now, and not after something has been written
        elif cnp.PyArray_Check(value):
            self.strangers |= kind is not cnp.ndarray
            self.has_objects |= runs_code((<cnp.ndarray>value).descr)
            self.cautious |= self.strangers or self.has_objects
        elif kind is list or kind is tuple or kind is dict:
            enter_recursive_call(" in the arguments of a NumPy function")
            try:
                for item in value:
                    if kind is dict:
                        self.strangers |= type(item) is not str  # its hash is asked again
                        item = (<dict>value)[item]
                    self.survey(item)
            finally:
                Py_LeaveRecursiveCall()
        elif not (is_harmless(kind) or isinstance(value, numpy_dtype)):
            self.strangers = self.cautious = True
        return 0

    cdef int survey_elementwise(self, object values) except -1:
        """Survey the operands of an operation whose result has as many axes as the operand with the most.

        With axes, the result is an array made by NumPy; without, it can be an element.
        """
        cdef bint has_axes = False
        for value in values:
            self.survey(value)
            if is_array(value):
                has_axes |= (<Array>value).nd > 0
            elif cnp.PyArray_Check(value):
                has_axes |= cnp.PyArray_NDIM(<cnp.ndarray>value) > 0
        self.allocates = has_axes and not self.strangers
        return 0

    cdef object read(self, object value):
        """The argument as NumPy may see it: read-only."""
        cdef cnp.ndarray header
        cdef Array x
        cdef Storage storage
        cdef cnp.npy_intp offset
        if is_array(value):
            self.found = True
            self.standard |= (<Array>value).standard
            x = still(<Array>value)
            if self.operation.result is VIEW:
                storage_for(x)  # the view's Storage, even if x changes meanwhile
            if self.operation.calls_user and exports_alias():
                header = export(x, EXPORT)  # functions of the user write to what they are given, as NumPy's may
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
        """A list or tuple with every item read; the same object if none of them is a cowarray array."""
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
        """The argument as NumPy may write to it. A read-only one stays so, and NumPy raises its own error."""
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
            return value
        self.found = True
        x = <Array>value
        self.standard |= x.standard
        if not x.writeable:
            return const_header(x)
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
        """A result other than the written array may depend on what was written, as a median with overwrite_input."""
        for _, header, _ in self.written:
            if header is not result:
                have_read(root(header).storage)
        return 0

    cdef object result(self, object value):
        """NumPy's result, as cowarray's arrays."""
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
            # An array of a subclass is returned as it is, but not on an argument's bytes.
            allow_eager(cnp.PyArray_NBYTES(value), LEAVING)
            value = value.copy()
            tell_eager(cnp.PyArray_NBYTES(value), LEAVING)
            return value
        return value

    cdef bint shown(self, object owner) except -1:
        """Whether an argument's bytes belong to owner."""
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
        """A NumPy array that is no written argument, as a new cowarray array."""
        cdef Array x
        cdef object owner
        for given in self.foreign:
            if given is array:
                return array if self.operation.writes else import_array(array, None)
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
        """A result that lies in the bytes of an argument, which NumPy saw as header."""
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
        """Whether another argument lies in the Storage of x, which is written: the new values may depend on the old."""
        cdef int times = 0
        for other in self.arrays:
            times += (<Array>other).storage_ is x.storage_ and (<Array>other).shadow == x.shadow
        return times > 1

    cdef bint is_written_back(self, Array x) noexcept:
        """Whether NumPy may write to a copy of x and then copy all of it back, because an argument overlaps x."""
        cdef bint may_be_it = self.picked.way == TRUE_ELEMENTS  # each element is read before it is written
        cdef int times = 0
        for other in self.arrays:
            is_it = may_be_it and other is not self.picked.value and same_elements(x, <Array>other)
            if (<Array>other).storage_ is x.storage_ and not is_it:
                times += 1
        return times > (0 if may_be_it else 1)

    cdef bint is_copy(self, cnp.ndarray array) except -1:
        """Whether a result of a copying operation has an argument's dtype, so that its elements were not converted."""
        for _, _, header, _ in self.sources:
            if descr_of(header) is descr_of(array) or descr_of(header) == descr_of(array):
                return True
        return False

    cdef bint is_fresh(self, object owner) except -1:
        """Whether nothing else refers to the memory: NumPy made it for this call, and no user code has run."""
        if not cnp.PyArray_CheckExact(owner) or (self.cautious and not self.allocates):
            return False
        if not cnp.PyArray_CHKFLAGS(owner, NPY_ARRAY_OWNDATA):
            return False
        for given in self.foreign:
            if given is owner or root(given) is owner:
                return False
        return True


cdef cnp.ndarray lent(cnp.ndarray header):
    """A const header as one that looks writable, for operations whose row says that they only read it."""
    return header_at(
        cnp.PyArray_BYTES(header), descr_of(header), cnp.PyArray_NDIM(header), cnp.PyArray_DIMS(header),
        cnp.PyArray_STRIDES(header), NPY_ARRAY_WRITEABLE, header,
    )


cdef int give_back(object headers) except -1:
    """Make what was `lent` read-only again after the call: its traceback may keep the headers."""
    for header in headers:
        if type(header) is cnp.ndarray:
            PyArray_CLEARFLAGS(<cnp.ndarray>header, NPY_ARRAY_WRITEABLE)
    return 0


cdef Passage new_passage():
    """The passage of a computation, whose results are fresh."""
    return Passage(COMPUTING)


cdef Passage viewing_passage():
    return Passage(VIEWING)


cdef tuple written_arguments(Operation operation, tuple args, dict kwargs):
    """Positions and names of the arguments that this call writes."""
    cdef list found = []
    for name, position, _ in operation.writes:
        if position < len(args) or name in kwargs:
            found.append((position, name))
    if operation.writes_if is not None:
        (name, position, _), (flag, at, default), value = operation.writes_if
        given = kwargs[flag] if flag in kwargs else args[at] if len(args) > at else default
        if bool(given) == value:
            found.append((position, name))
    return tuple(found)


cdef Picked picked_by(Operation operation, tuple args, dict kwargs):
    """Which elements an operation touches of those it may write; None: all, or unknown."""
    if operation.picks is None:
        return None
    way, by, beside = operation.picks
    return new_picked(WAYS[way], argument_of(by, args, kwargs), beside and argument_of(beside, args, kwargs))


cdef Picked picked_beside(object journey, Picked picked, Array x, tuple args, dict kwargs):
    """Which elements of x an operation touches that was handed to a mode; None: all, or unknown.

    picked: of one that did not come by the road, which `is_written_back` may contradict.
    """
    cdef Passage passage
    if type(journey) is _Journey:
        first = 1 if (<_Journey>journey).is_method else 0
        picked = picked_by((<_Journey>journey).operation, args[first:], kwargs)
    if picked is None:
        return None
    passage = Passage(COMPUTING)
    passage.picked = picked
    for value in (*args, *kwargs.values()):
        passage.survey(value)
    return None if passage.is_written_back(x) else picked


cdef object argument_of(object parameter, tuple args, dict kwargs):
    name, position, default = parameter
    return kwargs[name] if name in kwargs else args[position] if position < len(args) else default


cdef tuple settled_flag(Operation operation, tuple args, dict kwargs):
    """The arguments, in which the flag that decides whether one is written is a plain bool: its truth is asked once."""
    cdef Py_ssize_t i, at
    if operation.writes_if is not None:
        _, (flag, at, _), _ = operation.writes_if
        if flag in kwargs:
            if not is_plain_truth(kwargs[flag]):
                kwargs = dict(kwargs)
                kwargs[flag] = bool(kwargs[flag])
        elif len(args) > at and not is_plain_truth(args[at]):
            args = tuple([bool(value) if i == at else value for i, value in enumerate(args)])
    return args, kwargs


cdef bint is_plain_truth(object value) noexcept:
    return value is None or type(value) is bool or type(value) is copy_mode


cdef object plain_containers(object value, int depth):
    """value with lists, tuples and dicts of subclasses replaced by plain ones: each is asked for its items once."""
    cdef list plain = None
    cdef dict named = None
    cdef Py_ssize_t i
    if depth > MOST_NESTED:
        raise RecursionError("the arguments of this NumPy function are nested too deeply")
    if type(value) is dict:
        for key, item in (<dict>value).items():
            shown = plain_containers(item, depth + 1)
            if shown is not item:
                if named is None:
                    named = dict(value)
                named[key] = shown
        return value if named is None else named
    if type(value) is not list and type(value) is not tuple:
        if PyList_Check(value):
            value = list(value)
        elif PyTuple_Check(value):
            value = tuple(value)
        else:
            return value
    for i, item in enumerate(value):
        if PyList_Check(item) or PyTuple_Check(item):
            shown = plain_containers(item, depth + 1)
            if shown is not item:
                if plain is None:
                    plain = listed(value)
                plain[i] = shown
    if plain is None:
        return value
    return tuple(plain) if type(value) is tuple else plain


cdef bint is_unknown_sequence(object value) except -1:
    return (
        PySequence_Check(value) and not cnp.PyArray_Check(value) and not is_harmless(type(value))
        and type(value) is not list and type(value) is not tuple and not hasattr(type(value), "__array__")
    )


cdef object call(Operation operation, object function, Array self, tuple args, dict kwargs, bint cautious=False,
                 bint dispatched_here=False):
    """Call a NumPy function, or, with self, the method of that name of self's header. Registered modes get it first."""
    if calls_ufunc_with_others(function, self, args, kwargs):
        if self is not None:
            return methods_of_ufuncs[function](self, *args, **kwargs)
        return operation.implementation(*args, **kwargs)
    if is_handed(args, kwargs) or (self is not None and is_handed_with(self, None)):
        if self is not None:
            journey = _Journey(operation, function, True, cautious, False)
            return take_road(operation.name, journey, (self, *args), kwargs)
        return take_road(
            operation.name, _Journey(operation, function, False, cautious, dispatched_here), args, kwargs
        )
    return travel(operation, function, self, args, kwargs, cautious, dispatched_here)


@cython.final
cdef class _Journey:
    """Runs an operation without a mode, for the mode that it was handed to."""

    cdef Operation operation
    cdef readonly object function  # NumPy's, or the name of a method
    cdef bint is_method, cautious, dispatched_here

    def __cinit__(self, Operation operation, object function, bint is_method, bint cautious, bint dispatched_here):
        self.operation = operation
        self.function = function
        self.is_method = is_method
        self.cautious = cautious
        self.dispatched_here = dispatched_here

    def __call__(self, *args, **kwargs):
        if self.is_method:
            return travel(self.operation, self.function, <Array?>args[0], args[1:], kwargs, self.cautious, False)
        return travel(self.operation, self.function, None, args, kwargs, self.cautious, self.dispatched_here)


cdef list written_of(object journey, tuple args, dict kwargs):
    """The arguments that an operation writes, from its journey; None if it did not come by the road."""
    cdef Operation operation
    cdef int first
    if type(journey) is not _Journey:
        return None
    operation = (<_Journey>journey).operation
    first = 1 if (<_Journey>journey).is_method else 0
    given = args[first:]
    return [
        args[0] if position == -1 else kwargs[name] if name in kwargs else given[position]
        for position, name in written_arguments(operation, given, kwargs)
        if position == -1 or name in kwargs or position < len(given)
    ]


cdef bint calls_user(object journey) noexcept:
    """Whether the operation of a journey runs functions of the user."""
    return type(journey) is _Journey and (<_Journey>journey).operation.calls_user


cdef object identity_on_road(object journey):
    """The operation of a journey if it gives fresh arrays, writes at most `out` and runs no user code; else None."""
    cdef Operation operation
    if type(journey) is not _Journey or (<_Journey>journey).cautious:
        return None
    operation = (<_Journey>journey).operation
    return operation if operation.is_quick and operation.result is FRESH else None


cdef object travel(Operation operation, object function, Array self, tuple args, dict kwargs, bint cautious,
                   bint dispatched_here):
    """Call a NumPy function, or, with self, the method of that name of self's header."""
    cdef Passage passage = Passage(operation)
    passage.cautious |= cautious
    args = plain_containers(args, 0)
    args, kwargs = settled_flag(operation, args, plain_containers(kwargs, 0))
    cdef tuple written = written_arguments(operation, args, kwargs)
    cdef list shown = listed(args)
    cdef dict named = dict(kwargs)
    cdef object target = None
    cdef set positions = set()
    for value in args:
        passage.survey(value)
    for value in kwargs.values():
        passage.survey(value)
    if self is not None:
        passage.survey(self)
    if operation.overwrites_unless is not None:
        name, position, default = operation.overwrites_unless
        passage.overwrites = (args[position] if len(args) > position else kwargs.get(name, default)) is default
    passage.picked = picked_by(operation, args, kwargs)
    # Writers first: they may move bytes, which readers then find in their new place.
    for position, name in written:
        if position == -1:
            target = passage.write(self)
        elif name in named:
            named[name] = passage.write(named[name])
            positions.add(name)
        elif position < len(shown):
            shown[position] = passage.write(shown[position])
            positions.add(position)
    for i in range(len(shown)):
        if i not in positions:
            shown[i] = passage.read(args[i])
            if i > 0 or self is not None:
                shown[i] = as_born(args[i], shown[i])
    for name, value in named.items():
        if name not in positions:
            named[name] = as_born(value, passage.read(value))
    for name, position, _ in operation.changed:
        if name in named:
            named[name] = its_own(named[name])
        elif position < len(shown):
            shown[position] = its_own(shown[position])
    if self is not None:
        if target is None:
            # NumPy's methods touch none of its elements. Those of other arguments they read.
            passage.locates = operation.result is VIEW and not passage.cautious
            target = passage.read(self)
        function = getattr(target, function)
    elif dispatched_here and not passage.found:
        # NumPy found an array in a sequence that `read` does not enter, and would find it there again.
        shown = [passage.read(list(value)) if is_unknown_sequence(value) else value for value in shown]
    try:
        result = function(*shown, **named)
    finally:
        if operation.copies_readonly:
            give_back([header for _, _, header, _ in passage.sources])
    if result is not None:
        passage.read_written(result)
    return passage.result(result)


cdef object its_own(object value):
    """A copy of an array."""
    return numpy_array(value) if cnp.PyArray_Check(value) else value


cdef inline object as_born(object value, object header):
    """A number as such where NumPy would have given a scalar: its Python code tells one from an array without axes."""
    if is_array(value) and (<Array>value).birth == BORN_SCALAR and (<Array>value).descr.type_num != cnp.NPY_VOID:
        return header[()]
    return header


QUICK_FAILED = object()


cdef object quick_call(Operation operation, object implementation, bint is_c, tuple args, dict kwargs,
                       object self=None, object header=None):
    """Call without `travel` if no user code can run; else return QUICK_FAILED, and nothing has happened.

    Arguments may be cowarray arrays whose elements run no code, except the standard's; numbers, names and dtypes; and
    lists of these. Nothing is written. is_c: headers need not be guarded. self, header: the array of a method, and its
    header.
    """
    cdef tuple shown
    cdef dict named
    cdef Passage passage = None
    if not operation.is_quick or births_leave_lane() or not (KEEPS_HEADERS or is_c):
        return QUICK_FAILED
    if len(args) > operation.out_at and args[operation.out_at] is not None:
        return QUICK_FAILED
    if operation.result is VIEW:
        passage = Passage(operation)  # a view is one of the Storage that its source has now
    args = own_lists(args)
    kwargs = named = own_named_lists(kwargs)
    for name, value in kwargs.items():
        seen = plain_argument(value, is_c, passage)
        if seen is QUICK_FAILED or (value is not None and name == "out"):
            return QUICK_FAILED
        if seen is not value:
            if named is kwargs:
                named = dict(kwargs)
            named[name] = seen
    shown = plain_arguments(args, is_c, passage)
    if shown is None:
        return QUICK_FAILED
    if operation.copies_readonly:
        shown = tuple([lent(each) if type(each) is cnp.ndarray else each for each in shown])
    try:
        result = PyObject_Call(implementation, shown, <PyObject *>named if named else NULL)
    finally:
        if operation.copies_readonly:
            give_back(shown)
    if passage is not None:
        return passage.result(result)
    if type(result) is cnp.ndarray:
        if not operation.copies and is_unbased(result):
            return adopt(result)
    elif not isinstance(result, (tuple, list)) and not cnp.PyArray_Check(result):
        return detached_void(result) if isinstance(result, numpy_void) else result
    return slowly_taken_back(operation, result, (args, kwargs, self), (shown, named, header))


cdef inline bint is_unbased(object array) noexcept:
    """Whether NumPy has made an array just now, for memory of its own: headers and what was adopted are read-only."""
    return PyArray_BASE(<cnp.ndarray>array) == NULL and cnp.PyArray_ISWRITEABLE(<cnp.ndarray>array)


cdef tuple own_lists(tuple args):
    """The arguments with copies of their lists, so that a list changed meanwhile cannot differ from what NumPy saw."""
    for value in args:
        if type(value) is list:
            return tuple([listed(value) if type(value) is list else value for value in args])
    return args


cdef dict own_named_lists(dict kwargs):
    for value in kwargs.values():
        if type(value) is list:
            return {name: listed(value) if type(value) is list else value for name, value in kwargs.items()}
    return kwargs


cdef object plain_argument(object value, bint is_c, Passage passage):
    """A value as NumPy may see it if no user code can run; else QUICK_FAILED. A gap.

    passage: notes each array with its header, unless it is None.
    """
    cdef type kind = type(value)
    cdef Array x
    cdef Storage storage
    cdef cnp.ndarray header
    cdef cnp.npy_intp offset
    if is_array_type(kind):
        x = <Array>value
        if runs_code(x.descr) or x.standard or x.birth == BORN_SCALAR or has_doorkeeper(x):
            return QUICK_FAILED
        if passage is not None:
            storage_for(x)
        header = const_header(x) if is_c else guarded_header(x)
        if passage is not None:
            storage = x.storage_
            offset = x.offset
            passage.sources.append((x, storage, header, offset))
        return header
    if value is None:
        return value
    if kind is list or kind is tuple:
        return plain_items(value, is_c, passage)
    return value if is_harmless(kind) or PyArray_DescrCheck(value) else QUICK_FAILED


cdef object plain_items(object values, bint is_c, Passage passage):
    """A list or tuple of arrays, numbers, names and dtypes, not nested; else QUICK_FAILED. A gap."""
    cdef list seen = None
    cdef tuple together
    cdef Py_ssize_t i
    if type(values) is tuple:
        for item in <tuple>values:
            if type(item) is list or type(item) is tuple:
                return QUICK_FAILED
        together = plain_arguments(<tuple>values, is_c, passage)
        return QUICK_FAILED if together is None else together
    for i, item in enumerate(values):
        if type(item) is list or type(item) is tuple:
            return QUICK_FAILED
        shown = plain_argument(item, is_c, passage)
        if shown is QUICK_FAILED:
            return QUICK_FAILED
        if shown is not item:
            if seen is None:
                seen = listed(values)
            seen[i] = shown
    return values if seen is None else seen


cdef tuple plain_arguments(tuple args, bint is_c, Passage passage):
    """`plain_argument` of each; None if one fails."""
    cdef Py_ssize_t i
    cdef tuple shown = PyTuple_New(len(args))
    for i in range(len(args)):
        seen = plain_argument(args[i], is_c, passage)
        if seen is QUICK_FAILED:
            return None
        Py_INCREF(seen)  # stolen
        PyTuple_SET_ITEM(shown, i, seen)
    return shown


cdef object slowly_taken_back(Operation operation, object result, object given, object shown):
    """A quick call's result that is not one fresh array, taken back by a Passage, which finds whose bytes it is on."""
    cdef Passage passage = Passage(operation)
    if operation.copies or not are_new(result):
        remember(passage, given, shown)
    return passage.result(result)


cdef bint are_new(object results) noexcept:
    """Whether a function's results are a tuple or list of arrays in memory that NumPy has made for them."""
    if type(results) is not tuple and type(results) is not list:
        return False
    for value in results:
        if type(value) is not cnp.ndarray:
            return False
        owner = <object>root_of(<PyObject *>value)
        if type(owner) is not cnp.ndarray or not is_unbased(owner):
            return False
    return True


cdef int remember(Passage passage, object given, object shown) except -1:
    """Note each array with the header that NumPy saw. given and shown have the same structure."""
    cdef Py_ssize_t i
    cdef Storage storage
    if is_array(given):
        # The array may have changed since; a Hold belongs to one Storage.
        storage = storage_for(<Array>given)
        if storage.hold is root(shown):
            passage.sources.append((given, storage, shown, cnp.PyArray_BYTES(shown) - storage.window))
        else:
            passage.sources.append((given, None, shown, 0))
    elif type(given) is dict:
        for name in given:
            remember(passage, (<dict>given)[name], (<dict>shown)[name])
    elif given is not shown:
        for i in range(len(shown)):
            remember(passage, given[i], shown[i])
    return 0


cdef object call_method(Array self, str name, tuple args, dict kwargs):
    cdef Operation operation = method_operation(name)
    if runs_code(self.descr):
        return call(operation, name, self, args, kwargs)
    if args or kwargs or not operation.only_reads:
        if leaves_lane(self):
            return call(operation, name, self, args, kwargs)
        if operation.result is VIEW and operation.only_reads and not kwargs and are_axes(args):
            return without_passage(self, name, operation, args)
        return call_with_arguments(operation, self, name, args, kwargs)
    if not leaves_lane(self):
        return without_passage(self, name, operation, args)
    if not self.standard or births_leave_lane() or has_doorkeeper(self):
        return call(operation, name, self, args, kwargs)
    return as_standard(without_passage(self, name, operation, args))


cdef bint are_axes(tuple args) noexcept:
    """Whether all are integers of Python's, tuples of these, or None."""
    for value in args:
        if type(value) is tuple:
            for item in <tuple>value:
                if type(item) is not int:
                    return False
        elif value is not None and type(value) is not int:
            return False
    return True


cdef object without_passage(Array self, str name, Operation operation, tuple args):
    """The result of a method that only reads, without arguments, or of a view by axes: it needs no Passage."""
    cdef cnp.ndarray header
    cdef Array x
    cdef Storage storage
    cdef cnp.npy_intp offset
    cdef char *window
    if operation.result is VIEW:
        storage_for(self)  # see Passage.read
        header = located_header(self)
    else:
        header = const_header(self)
    storage = self.storage_
    offset = self.offset
    if operation.copies_readonly:
        header = lent(header)
    # A gap, if it is written in Python.
    result = PyObject_Call(getattr(header, name), args, NULL) if args else PyObject_CallMethodNoArgs(header, name)
    if type(result) is not cnp.ndarray or root_of(<PyObject *>result) != root_of(<PyObject *>header):
        return computed(result)
    window = cnp.PyArray_BYTES(header) - offset
    if cnp.PyArray_SIZE(result):
        offset = cnp.PyArray_BYTES(result) - window
    storage = storage_then(self, storage, header)
    if storage is None:
        return copy_foreign(result)
    x = view_on(storage, offset, window, result, self.writeable and not makes_readonly(operation, result))
    shadowed_as(x, self)
    return x if operation.result is VIEW else copy_of_alias(x, operation.name, self if result is header else None)


cdef object call_with_arguments(Operation operation, Array self, str name, tuple args, dict kwargs):
    """`call_method` with arguments: quick if they are plain, else by the road."""
    cdef cnp.ndarray header
    if operation.is_quick and operation.result is FRESH:
        header = guarded_header(self)  # its method can be written in Python
        if operation.copies_readonly:
            header = lent(header)
        result = quick_call(operation, getattr(header, name), False, args, kwargs, self, header)
        if result is not QUICK_FAILED:
            return result
    return call(operation, name, self, args, kwargs)


cdef object travel_method(Array x, str name, tuple args, dict kwargs):
    """`call_method` without asking the modes: for an operation that was handed over as a whole."""
    return travel(method_operation(name), name, x, args, kwargs, False, False)


cdef object part(Array self, str name):
    """An attribute that NumPy computes as a view."""
    if leaves_lane(self):
        return take_road("ndarray." + name, _plain_part, (self, name), {})
    return _plain_part(self, name)


def _plain_part(Array self not None, str name):
    cdef Passage passage = Passage(method_operation(name))
    passage.survey(self)
    passage.locates = not passage.cautious
    return passage.result(getattr(passage.read(self), name))
