# The one dispatcher. Every operation of an array passes through a Passage: our arguments become NumPy's headers
# (read-only, but for those that the table says are written), NumPy computes, and the results become ours as the table
# says. Included by _ndarray.pyx.


@cython.final
@cython.no_gc
cdef class Operation:
    """A row of the table, compiled."""

    cdef str name
    cdef object result
    cdef tuple writes
    cdef object writes_if
    cdef bint readonly
    cdef bint calls_user
    cdef bint only_reads  # as long as it gets no arguments

    def __cinit__(self, str name, row):
        self.name = name
        self.result, self.writes, self.writes_if, self.readonly, self.calls_user = row
        self.only_reads = (
            self.writes_if is None and not self.calls_user and not any([each.position < 0 for each in self.writes])
        )


cdef Operation computing = Operation("computing", _table.Operation())
# By name: all of NumPy's methods, compiled at once, for a finalizer may call one when Python's modules have ended.
cdef dict methods = {
    name: Operation("ndarray." + name, _table.method(name)) for name in vars(np.ndarray) if not name.startswith("__")
}
# By the function itself: compiled when first called.
cdef dict functions = {}


cdef frozenset FUNCTION_TYPES = frozenset((type(np.sum), type(np.empty), type(np.isscalar)))


cdef inline bint is_itself_alone(object function) noexcept:
    """Whether a function is of a type that has Python's own equality: another's may say that it equals NumPy's."""
    return type(function) in FUNCTION_TYPES


# NumPy's own scalars. A subclass can have operators that keep what they are shown.
cdef frozenset SCALAR_TYPES = frozenset(np.sctypeDict.values())

# Types of arguments that run no user code, and cannot hand NumPy memory of their own.
cdef frozenset HARMLESS_TYPES = SCALAR_TYPES.union(
    (int, float, complex, bool, str, bytes, type(None), slice, type(Ellipsis), type, range, type(np._NoValue))
)


cdef inline bint runs_code(cnp.dtype descr) noexcept:
    """Whether operations on elements run methods of Python objects."""
    return PyDataType_REFCHK(descr) and descr.type_num != NPY_VSTRING


cdef inline Operation method_operation(str name):
    return methods[name]


cdef Operation function_operation(object function):
    cdef Operation found = functions.get(function) if is_itself_alone(function) else None
    if found is None:
        found = Operation(function.__name__, _table.lookup(function))
        if is_itself_alone(function) and _table.is_numpys(function):
            functions[function] = found
        else:
            found.calls_user = True  # and it may end before we do
    return found


@cython.final
@cython.no_gc
cdef class Passage:
    """One call: what it was given, and how its results are taken back."""

    cdef Operation operation
    cdef list sources  # (array, its Storage or None, the header that was shown, the array's offset), ...
    cdef list foreign  # NumPy arrays among the arguments
    cdef list written  # (array, the header that is written to, the array's offset), ...
    cdef dict adopted  # id of an owner -> its Storage, where one call gives several results
    cdef bint allocates  # NumPy makes the arrays that come back; they are no elements, and no stranger's
    cdef bint strangers  # an argument is of a type with methods that NumPy may call
    cdef bint found  # an argument is ours
    cdef bint has_objects  # what comes back can be an element, which is the user's
    cdef bint cautious  # user code may run meanwhile: arguments are shown as snapshots, which have a share of their own

    def __cinit__(self, Operation operation):
        self.operation = operation
        self.cautious = operation.calls_user
        self.sources = []
        self.foreign = []
        self.written = []

    cdef int survey(self, object value) except -1:
        """Look at an argument before any is shown: whether user code may run while NumPy reads the others.

        Such code may write to an argument, which then gets other bytes; another sharer may write to the old ones, which
        NumPy still reads. It may keep what it is shown. And NumPy may give back what is not its own: an element that is
        an array, the memory of a stranger.
        """
        cdef type kind = type(value)
        if kind is ndarray:
            self.has_objects |= runs_code((<ndarray>value).descr)
            self.cautious |= self.has_objects
            guarded_header(<ndarray>value)  # allocates what it needs now, not when something has been written
        elif cnp.PyArray_Check(value):
            self.strangers |= kind is not numpy_ndarray_type
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
        elif not (kind in HARMLESS_TYPES or isinstance(value, numpy_dtype)):
            self.strangers = self.cautious = True
        return 0

    cdef int survey_elementwise(self, object values) except -1:
        """Survey the operands of an operation whose result has as many dimensions as the largest of them.

        With one dimension or more, the result is an array that NumPy has made; without, it can be an element.
        """
        cdef bint has_axes = False
        for value in values:
            self.survey(value)
            if type(value) is ndarray:
                has_axes |= (<ndarray>value).nd > 0
            elif cnp.PyArray_Check(value):
                has_axes |= cnp.PyArray_NDIM(<cnp.ndarray>value) > 0
        self.allocates = has_axes and not self.strangers
        return 0

    cdef object read(self, object value):
        """The argument as NumPy may see it: read-only."""
        cdef cnp.ndarray header
        cdef ndarray x
        cdef Storage storage
        cdef cnp.npy_intp offset
        if type(value) is ndarray:
            self.found = True
            x = value
            if self.operation.result is VIEW:
                storage_for(x)  # which a view of it has, whatever becomes of x meanwhile
            header = reader_header(x) if self.cautious else self.header_of(x)
            storage = x.storage_
            offset = x.offset
            self.sources.append((x, storage, header, offset))
            return header
        if cnp.PyArray_Check(value):
            if type(value) is numpy_memmap:
                value = numpy_asarray(value)  # of which NumPy makes maps that are none
            self.foreign.append(value)
            return value
        if type(value) is list or type(value) is tuple:
            return self.read_all(value)
        if type(value) is dict:
            return {key: self.read(item) for key, item in (<dict>value).items()}
        return value

    cdef cnp.ndarray header_of(self, ndarray x):
        for _, header, _ in self.written:
            if x.storage_ is not None and root(header).storage is x.storage_:
                return header_beside(x, header)
        return guarded_header(x)

    cdef object read_all(self, object values):
        """A list or tuple with every argument in it read; the same object where none was ours."""
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
        """The argument as NumPy may write it; a read-only one as it is, so that NumPy refuses it in its words."""
        cdef cnp.ndarray header
        cdef ndarray x
        cdef cnp.npy_intp offset
        if type(value) is tuple:
            return tuple([self.write(item) for item in <tuple>value])
        if type(value) is not ndarray:
            if cnp.PyArray_Check(value):
                self.foreign.append(value)
            return value
        self.found = True
        x = value
        if not x.writeable:
            return const_header(x)
        header = writable_header(x)
        offset = x.offset
        self.written.append((x, header, offset))
        return header

    cdef object result(self, object value):
        """What NumPy gave back, as ours."""
        if type(value) is numpy_ndarray_type:
            return self.array_result(value)
        if cnp.PyArray_CheckAnyScalar(value):
            return detached_void(value) if isinstance(value, numpy_void) else value
        if type(value) is tuple:
            return tuple([self.result(item) for item in <tuple>value])
        if type(value) is list:
            return [self.result(item) for item in <list>value]
        if isinstance(value, tuple) and hasattr(type(value), "_make"):
            return type(value)._make([self.result(item) for item in value])
        if cnp.PyArray_Check(value) and self.shown(root(value)):
            return value.copy()  # an array of a subclass: it may leave, our bytes may not
        return value

    cdef bint shown(self, object owner) except -1:
        """Whether memory is one of our arguments'."""
        for _, _, header, _ in self.sources:
            if root(header) is owner:
                return True
        return False

    cdef object array_result(self, cnp.ndarray array):
        cdef ndarray x
        cdef object owner
        for x, header, _ in self.written:
            if header is array:
                return x
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
        if self.adopted is None:
            self.adopted = {}
        x = adopt(array, self.adopted.get(<size_t><void *>owner))
        if self.operation.readonly:
            x.writeable = False  # of numpy.broadcast_arrays(1, x) NumPy hands the first out writable, with a warning
        self.adopted[<size_t><void *>owner] = storage_for(x)
        return x

    cdef object alias(self, ndarray source, Storage storage, cnp.ndarray header, cnp.npy_intp offset,
                      cnp.ndarray array):
        """A result that lies in the bytes that an argument showed by header."""
        cdef char *window = cnp.PyArray_BYTES(header) - offset
        cdef cnp.npy_intp low = 0, high = 0
        cdef cnp.npy_intp start = cnp.PyArray_BYTES(array) - window if cnp.PyArray_SIZE(array) else offset
        if storage is None:
            return copy_foreign(array)
        extent_of(array, &low, &high)
        if high > low and (start + low < 0 or <size_t>(start + high) > storage.size()):
            # numpy.einsum("ii->i") of an array without elements does this.
            raise ValueError(f"{self.operation.name}: NumPy's result lies outside of the array's memory")
        if self.operation.result is VIEW:
            return view_on(storage, start, window, array, source.writeable and not self.operation.readonly)
        return copy_as_laid(view_on(storage, start, window, array, True))

    cdef bint is_fresh(self, object owner) except -1:
        """Whether nobody else can know of the memory: NumPy made it for this call, and no user code was asked."""
        if not cnp.PyArray_CheckExact(owner) or (self.cautious and not self.allocates):
            return False
        if not cnp.PyArray_CHKFLAGS(owner, NPY_ARRAY_OWNDATA):
            return False
        for given in self.foreign:
            if given is owner or root(given) is owner:
                return False
        return True


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


cdef tuple settled_flag(Operation operation, tuple args, dict kwargs):
    """The arguments, with the flag that says whether one of them is written as plain truth: it is asked once."""
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


cdef list listed(object values):
    """list(values), of a list or tuple; CPython 3.11's own loses a reference to values when memory runs out."""
    cdef Py_ssize_t i
    cdef list items = [None] * len(values)
    for i in range(len(items)):
        items[i] = values[i]
    return items


cdef object plain_containers(object value, int depth):
    """value, with lists, tuples and dicts of users' classes in it as plain ones: each is asked for its items once."""
    cdef list plain = None
    cdef dict named = None
    cdef Py_ssize_t i
    if depth > MOST_NESTED:
        raise RecursionError("the arguments of a NumPy function are nested too deep")
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


cdef enum:
    MOST_NESTED = 256


cdef bint is_unknown_sequence(object value) except -1:
    return (
        PySequence_Check(value) and not cnp.PyArray_Check(value) and type(value) not in HARMLESS_TYPES
        and type(value) is not list and type(value) is not tuple and not hasattr(type(value), "__array__")
    )


cdef object call(Operation operation, object function, ndarray self, tuple args, dict kwargs, bint cautious=False,
                 bint dispatched_here=False):
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
    # Writers first: what is read afterwards is then read where it lies now.
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
            shown[i] = passage.read(shown[i])
    for name, value in named.items():
        if name not in positions:
            named[name] = passage.read(value)
    if self is not None:
        if target is None:
            target = passage.read(self)
        function = getattr(target, function)
    elif dispatched_here and not passage.found:
        # NumPy has found one of ours where we did not look, and would find it there again.
        shown = [passage.read(list(value)) if is_unknown_sequence(value) else value for value in shown]
    result = function(*shown, **named)
    return passage.result(result)


cdef object method(ndarray self, str name, tuple args, dict kwargs):
    cdef Operation operation = method_operation(name)
    cdef cnp.ndarray header
    cdef ndarray x
    cdef Storage storage
    cdef cnp.npy_intp offset
    cdef char *window
    if args or kwargs or not operation.only_reads or runs_code(self.descr):
        return call(operation, name, self, args, kwargs)
    # What has no arguments needs no Passage.
    if operation.result is VIEW:
        storage_for(self)  # see Passage.read
    header = const_header(self)
    storage = self.storage_
    offset = self.offset
    result = PyObject_CallMethodNoArgs(header, name)  # a gap, where it is written in Python
    if type(result) is not numpy_ndarray_type or root_of(<PyObject *>result) != root_of(<PyObject *>header):
        return computed(result)
    window = cnp.PyArray_BYTES(header) - offset
    if cnp.PyArray_SIZE(result):
        offset = cnp.PyArray_BYTES(result) - window
    storage = storage_then(self, storage, header)
    if storage is None:
        return copy_foreign(result)
    x = view_on(storage, offset, window, result, self.writeable and not operation.readonly)
    return x if operation.result is VIEW else copy_as_laid(x)


# ---- NumPy's protocols -----------------------------------------------------------------------------------------------


cdef bint is_familiar(object value) noexcept:
    """Whether a value has no rules of its own for ufuncs and operators."""
    cdef type kind = type(value)
    return (kind is ndarray or kind is numpy_ndarray_type or kind is float or kind is int or kind is bool
            or kind is complex or kind is list or kind is tuple or value is None or kind in SCALAR_TYPES)


cdef bint has_own_ufunc(object value) except -1:
    """Whether a value brings a __array_ufunc__ of its own, which must be asked."""
    if is_familiar(value):
        return False
    override = getattr(type(value), "__array_ufunc__", MISSING)
    return override is not MISSING and override is not numpy_ndarray_type.__array_ufunc__


cdef bint makes_axes(object ufunc, str method_name, object first, dict kwargs) except -1:
    """Whether a ufunc of operands of which one has axes gives a result that has some, too."""
    if method_name == "reduce":
        return bool(kwargs.get("keepdims")) or (type(kwargs.get("axis", 0)) is int and np.ndim(first) > 1)
    return ufunc.signature is None


cdef object array_ufunc(ndarray self, object ufunc, str method_name, tuple inputs, dict kwargs):
    cdef Passage passage
    cdef list shown
    cdef bint known = type(ufunc) is numpy_ufunc and ufunc in numpy_ufuncs
    if not kwargs and method_name == "__call__" and known:
        # The everyday call needs no Passage: it runs no user code, and what it gives is fresh.
        first = operand(inputs[0]) if inputs else None
        if first is not None and len(inputs) == 1:
            return computed(ufunc(first))
        if first is not None and len(inputs) == 2:
            second = operand(inputs[1])
            if second is not None:
                return computed(ufunc(first, second))
    out = kwargs.get("out", ())
    if type(out) is not tuple:
        out = () if out is None else (out,)  # as some call it that do the work of NumPy's ufuncs
    for value in inputs + <tuple>out:  # unlike (*inputs, *out), loses nothing when memory runs out
        if has_own_ufunc(value):
            return NotImplemented
    if out and known and method_name == "__call__":
        inputs = tuple([converted(value) for value in inputs])  # what cannot be converted has changed nothing
        if len(out) == 1 and type(out[0]) is ndarray and "where" not in kwargs and overwritten(
            <ndarray>out[0], ufunc, inputs, kwargs
        ):
            return out[0]
    passage = Passage(computing)
    passage.cautious = not known
    passage.strangers = type(ufunc) is not numpy_ufunc
    passage.survey_elementwise(inputs)
    passage.survey(out)
    passage.survey(kwargs.get("where"))
    if passage.allocates and inputs:
        passage.allocates = makes_axes(ufunc, method_name, inputs[0], kwargs)
    if method_name == "at":
        if inputs and type(inputs[0]) is ndarray and not (<ndarray>inputs[0]).writeable:
            raise ValueError("assignment destination is read-only")  # NumPy's fast path of `at` does not look
        shown = [passage.write(value) for value in inputs[:1]]
        shown.extend([passage.read(value) for value in inputs[1:]])
        return ufunc.at(*shown)
    if out:
        kwargs["out"] = passage.write(out)
    if method_name != "__call__":
        # NumPy hands these over by position, too.
        kwargs.pop("array", None)
        kwargs.pop("indices", None)
    for name, value in kwargs.items():
        if name != "out":
            kwargs[name] = passage.read(value)
    shown = [passage.read(value) for value in inputs]
    result = getattr(ufunc, method_name)(*shown, **kwargs)
    if out:
        # The result is what was given as out, and that may be a subclass or foreign.
        if type(result) is tuple:
            return tuple([
                given if given is not None else passage.result(item) for given, item in zip(out, result, strict=True)
            ])
        return out[0]
    return passage.result(result)


cdef object converted(object value):
    """An operand as an array, where it is one only to NumPy. A gap."""
    cdef type kind = type(value)
    if kind is list or kind is tuple:
        return numpy_asarray(with_elements(value, 0))
    if is_familiar(value) or cnp.PyArray_Check(value):
        return value
    return numpy_asarray(value)


cdef bint overwritten(ndarray x, object ufunc, tuple inputs, dict kwargs) except -1:
    """Whether one of NumPy's own ufuncs has given all of x new values. If not, nothing has happened."""
    cdef Passage passage = Passage(computing)
    cdef cnp.ndarray header
    cdef dict options = dict(kwargs)
    # A gufunc may leave some of out: numpy.vecmat of 2.4 does, where out is not contiguous.
    # An unsafe cast can warn, which runs user code.
    if not x.writeable or ufunc.signature is not None or "casting" in kwargs or not is_replaceable(x, False):
        return False
    options["out"] = None
    for value in inputs:
        passage.survey(value)
    for value in options.values():
        passage.survey(value)
    header = overwriting_header(x, False) if not passage.cautious and is_replaceable(x, False) else None
    if header is None:
        return False
    options["out"] = header
    for name, value in options.items():
        if name != "out":
            options[name] = passage.read(value)
    shown = tuple([passage.read(value) for value in inputs])
    if not attempt(ufunc, shown, <PyObject *>options):
        return False
    shown = passage = None
    return commit(header)


cdef object array_function(ndarray self, object function, object types, tuple args, dict kwargs):
    cdef bint cautious = False
    for kind in types:
        if kind is ndarray or kind is numpy_ndarray_type:
            continue
        if not issubclass(kind, numpy_ndarray_type) or (
            kind.__array_function__ is not numpy_ndarray_type.__array_function__
        ):
            return NotImplemented
        cautious = True
    special = SPECIAL_FUNCTIONS.get(function) if is_itself_alone(function) else None
    if special is not None:
        return special(*args, **kwargs)
    return call(function_operation(function), function, None, args, kwargs, cautious, len(types) > 0)


# ---- operators -------------------------------------------------------------------------------------------------------


cdef inline object operand(object value):
    """One side of an operator as NumPy may see it; None when user code has to be asked or may run."""
    cdef type kind = type(value)
    if kind is ndarray:
        return const_header(<ndarray>value) if not runs_code((<ndarray>value).descr) else None
    if kind is float or kind is int or kind is bool or kind is complex:
        return value
    if kind is numpy_ndarray_type:
        return value if not runs_code((<cnp.ndarray>value).descr) else None
    return value if kind in SCALAR_TYPES else None


cdef object computed(object result):
    """What an operator of NumPy's computed from our headers: always fresh, or a scalar, or not an array at all."""
    if type(result) is numpy_ndarray_type:
        # Read-only, it would be somebody's: a header, or an array that has been adopted before.
        return adopt(result) if cnp.PyArray_ISWRITEABLE(<cnp.ndarray>result) else import_array(result, None)
    if type(result) is tuple:
        return tuple([computed(item) for item in <tuple>result])
    return detached_void(result) if isinstance(result, numpy_void) else result


cdef bint has_priority(object value) noexcept:
    """Whether __array_priority__ is above an array's. As for NumPy, what cannot be read as a number is none."""
    try:
        return float(getattr(value, "__array_priority__", 0)) > 0
    except Exception:
        return False


cdef object defer(ndarray self, object other, object ufunc, bint reflected):
    """An operator with a stranger: NumPy's rule (binop_override.h) says who computes. Only a left side gives way."""
    cdef type kind = type(other)
    cdef Passage passage
    if is_familiar(other):
        return ufunc(other, self) if reflected else ufunc(self, other)
    override = getattr(kind, "__array_ufunc__", MISSING)
    if not reflected and (
        override is None
        or issubclass(kind, numpy_ndarray_type)  # a matrix, say, has operators of its own
        or (override is MISSING and has_priority(other))
    ):
        return NotImplemented
    if override is MISSING:
        # Methods of the stranger may be shown the array, and may keep what they give.
        passage = Passage(computing)
        passage.strangers = passage.cautious = True
        shown = passage.read(self)
        return passage.result(ufunc(other, shown) if reflected else ufunc(shown, other))
    return ufunc(other, self) if reflected else ufunc(self, other)


cdef object inplace(ndarray self, object other, object ufunc):
    """self op= other."""
    cdef cnp.ndarray header
    cdef object shown = operand(other)
    if shown is None or runs_code(self.descr):
        if not is_familiar(other) and getattr(type(other), "__array_ufunc__", MISSING) is MISSING:
            if has_priority(other):
                return NotImplemented
        return ufunc(self, other, out=(self,))
    if not self.writeable:
        raise ValueError("output array is read-only")
    header = overwriting_header(self, False) if is_replaceable(self, False) else None
    if header is not None:
        if attempt_ufunc(ufunc, overwritten_header(header), shown, header):
            shown = None  # which may be of self's old bytes
            if commit(header):
                return self
        header = None
        shown = operand(other)
    header = writable_header(self)
    if type(other) is ndarray:
        shown = header_beside(<ndarray>other, header)  # again: as a view of self it has moved along
    ufunc(header, shown, header)
    return self
