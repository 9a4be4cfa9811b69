# cython: freethreading_compatible=True
"""The road of operations: the registered function gets each first; without one, it travels to NumPy and back.

`call` takes a function or method with all its arguments, `call_method` the quicker ways where they are safe.
"""

import numpy as np

cimport cython
cimport numpy as cnp

from cowarray._array.array cimport Array, BORN_SCALAR, guarded_header, has_doorkeeper, is_array
from cowarray._c.python cimport PyList_Check, PySequence_Check, PyTuple_Check
from cowarray._ops.large cimport large_call
from cowarray._ops.operands cimport (
    any_own_ufunc,
    as_standard,
    births_leave_lane,
    is_handed,
    is_handed_with,
    is_harmless,
    is_itself_alone,
    leaves_lane,
    listed,
    runs_code,
    take_road,
)
from cowarray._ops.passage cimport COMPUTING, give_back, lent, method_operation, Operation, Passage
from cowarray._ops.picking cimport (
    ALONG_AN_AXIS,
    FLAT_MASK,
    FLAT_PLACES,
    new_picked,
    Picked,
    THE_DIAGONAL,
    TRUE_ELEMENTS,
)
from cowarray._ops.quick cimport are_axes, quick_call, QUICK_FAILED, without_passage

from cowarray._ops.table import FRESH, VIEW

cnp.import_array()

# The ufuncs with which NumPy asks each object for its part, since 2.5. Before, the real parts were a view, and the
# imaginary ones zeros.
cdef dict PARTS_OF_OBJECTS = {
    name: getattr(np._core.umath, name) for name in ("real", "imag") if hasattr(np._core.umath, name)
}

cdef object numpy_array = np.array
cdef object copy_mode = np._CopyMode

# By their names in the table.
cdef dict WAYS = {
    "flat places": FLAT_PLACES, "flat mask": FLAT_MASK, "true elements": TRUE_ELEMENTS, "along an axis": ALONG_AN_AXIS,
    "the diagonal": THE_DIAGONAL,
}

cdef enum:
    MOST_NESTED = 256


# Methods that only call a ufunc, with NumPy's code for them, and functions that only call those methods. The ufunc asks
# types with their own `__array_ufunc__`, and shows them the arrays themselves.
cdef dict methods_of_ufuncs = {name: getattr(np._core._methods, code) for name, code in (
    ("all", "_all"), ("any", "_any"), ("clip", "_clip"), ("max", "_amax"), ("min", "_amin"), ("prod", "_prod"),
    ("sum", "_sum"),
)}
cdef frozenset functions_of_ufuncs = frozenset(
    (np.all, np.amax, np.amin, np.any, np.clip, np.max, np.min, np.prod, np.sum)
)


cdef bint calls_ufunc_with_others(object function, Array self, tuple args, dict kwargs) except -1:
    """True if a function, or a method of self, only calls a ufunc that asks another type."""
    if self is not None:
        if function not in methods_of_ufuncs:
            return False
    elif not is_itself_alone(function) or function not in functions_of_ufuncs or not args or not is_array(args[0]):
        return False
    return any_own_ufunc(args) or any_own_ufunc(kwargs.values())


cdef tuple written_arguments(Operation operation, tuple args, dict kwargs):
    """Return positions and names of the arguments that this call writes."""
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
    """Return which of the elements that it may write an operation touches; None: all, or unknown."""
    if operation.picks is None:
        return None
    way, by, beside = operation.picks
    return new_picked(WAYS[way], argument_of(by, args, kwargs), beside and argument_of(beside, args, kwargs))


cdef Picked picked_beside(object journey, Picked picked, Array x, tuple args, dict kwargs):
    """Return which elements of x an operation that was handed to a mode touches; None: all, or unknown.

    picked: those of an operation that did not come by the road; `is_written_back` may contradict it.
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
    """Return the arguments with the flag that decides whether one is written as a plain bool: it is asked once."""
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
    """Replace lists and tuples of subclasses, also in dicts, by plain ones: each is asked for its items once."""
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
        PySequence_Check(value) and not cnp.PyArray_Check(value) and not is_harmless(value)
        and type(value) is not list and type(value) is not tuple and not hasattr(type(value), "__array__")
    )


cdef object call(Operation operation, object function, Array self, tuple args, dict kwargs, bint cautious=False,
                 bint dispatched_here=False, bint asks_nobody=False):
    """Call a NumPy function or, with self, the method of that name of self's header. Registered modes get it first.

    asks_nobody: call what the function calls once it has asked the classes of its arguments.
    """
    if calls_ufunc_with_others(function, self, args, kwargs):
        if self is not None:
            return methods_of_ufuncs[function](self, *args, **kwargs)
        return operation.implementation(*args, **kwargs)
    if is_handed(args, kwargs) or (self is not None and is_handed_with(self, None)):
        if self is not None:
            journey = _Journey(operation, function, True, cautious, False)
            return take_road(operation.name, journey, (self, *args), kwargs)
        return take_road(
            operation.name, _Journey(operation, function, False, cautious, dispatched_here, asks_nobody), args, kwargs
        )
    if asks_nobody:
        function = operation.implementation
    return travel(operation, function, self, args, kwargs, cautious, dispatched_here)


@cython.final
cdef class _Journey:
    """An operation to run without a mode, by the mode that it was handed to."""

    cdef Operation operation
    cdef readonly object function  # NumPy's, or the name of a method
    cdef bint is_method, cautious, dispatched_here, asks_nobody

    def __cinit__(
        self, Operation operation, object function, bint is_method, bint cautious, bint dispatched_here,
        bint asks_nobody=False
    ):
        self.operation = operation
        self.function = function
        self.is_method = is_method
        self.cautious = cautious
        self.dispatched_here = dispatched_here
        self.asks_nobody = asks_nobody

    def __call__(self, *args, **kwargs):
        if self.is_method:
            return travel(self.operation, self.function, <Array?>args[0], args[1:], kwargs, self.cautious, False)
        function = self.operation.implementation if self.asks_nobody else self.function
        return travel(self.operation, function, None, args, kwargs, self.cautious, self.dispatched_here)


cdef list written_of(object journey, tuple args, dict kwargs):
    """Return the arguments that an operation writes, from its journey; None if it did not come by the road."""
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
    """True if the operation of a journey runs functions of the user."""
    return type(journey) is _Journey and (<_Journey>journey).operation.calls_user


cdef object identity_on_road(object journey):
    """Return a journey's operation if it gives fresh arrays, writes at most `out` and runs no user code; else None."""
    cdef Operation operation
    if type(journey) is not _Journey or (<_Journey>journey).cautious:
        return None
    operation = (<_Journey>journey).operation
    return operation if operation.is_quick and operation.result is FRESH else None


cdef object travel(Operation operation, object function, Array self, tuple args, dict kwargs, bint cautious,
                   bint dispatched_here):
    """Call a NumPy function or, with self, the method of that name of self's header."""
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
            # NumPy's methods touch none of self's elements; they read those of other arguments.
            passage.locates = operation.result is VIEW and not passage.cautious
            target = passage.read(self)
        function = getattr(target, function)
    elif dispatched_here and not passage.found:
        # NumPy found an array in a sequence that `read` does not enter, and would find it there again.
        shown = [passage.read(list(value)) if is_unknown_sequence(value) else value for value in shown]
    try:
        if passage.large and operation.result is not VIEW and not passage.cautious:
            result = large_call(function, tuple(shown), named)
        else:
            result = function(*shown, **named)
    finally:
        if operation.copies_readonly:
            give_back([header for _, _, header, _ in passage.sources])
    if result is not None:
        passage.read_written(result)
    return passage.result(result)


cdef object its_own(object value):
    """Copy an array; return anything else as it is."""
    return numpy_array(value) if cnp.PyArray_Check(value) else value


cdef inline object as_born(object value, object header):
    """Return a scalar where NumPy would have given one: its Python code tells it from an array without axes."""
    if is_array(value) and (<Array>value).birth == BORN_SCALAR and (<Array>value).descr.type_num != cnp.NPY_VOID:
        return header[()]
    return header


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
    """Return the real or imaginary parts: a view, or read-only."""
    cdef bint has_axes = self.nd > 0  # the objects that are asked may change it
    if self.descr.type_num == cnp.NPY_OBJECT and name in PARTS_OF_OBJECTS:
        result = PARTS_OF_OBJECTS[name](self)
        if has_axes:  # else it is what the object gives
            result.flags.writeable = False
        return result
    if leaves_lane(self):
        return take_road("ndarray." + name, _plain_part, (self, name), {})
    return _plain_part(self, name)


def _plain_part(Array self not None, str name):
    cdef Passage passage = Passage(method_operation(name))
    passage.survey(self)
    passage.locates = not passage.cautious
    passage.allocates = True  # what is no view: zeros
    return passage.result(getattr(passage.read(self), name))
