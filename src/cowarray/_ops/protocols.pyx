# cython: freethreading_compatible=True, auto_pickle=False
"""NumPy's protocols, `__array_ufunc__` and `__array_function__`, and the functions of the public namespace.

One file, for the public functions go through the protocols' own doors and are read beside them.
"""

import numpy as np

cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from cowarray._array.array cimport (
    Array,
    const_header,
    has_doorkeeper,
    header_beside,
    is_array,
    is_array_type,
    still,
    writable_header,
)
from cowarray._array.imports cimport import_array
from cowarray._c.numpy cimport PyArray_BASE
from cowarray._c.python cimport PyObject_Call, PyObject_CheckBuffer
from cowarray._native.storage cimport FOREIGN, Intent, OPERATION, OVERWRITES, WRITES
from cowarray._ops.conversion cimport check_device, with_elements
from cowarray._ops.indexing cimport is_settled
from cowarray._ops.large cimport is_large_operand, large_call
from cowarray._ops.operands cimport (
    births_leave_lane,
    computed,
    has_own_ufunc,
    is_familiar,
    is_handed,
    is_harmless,
    is_itself_alone,
    MISSING,
    operand,
    runs_code,
    standard_result,
    take_road,
)
from cowarray._ops.overwriting cimport attempt, commit, is_replaceable, overwriting_header
from cowarray._ops.picking cimport AN_INDEX, new_picked, TRUE_ELEMENTS
from cowarray._ops.road cimport (
    call,
    calls_user,
    COMPUTING,
    function_operation,
    identity_on_road,
    new_passage,
    Operation,
    Passage,
    quick_call,
    QUICK_FAILED,
    set_special,
    written_of,
)
from cowarray._ops.strangers cimport ask_overrides

from cowarray._array.overlaps import aliases, shares_bytes
from cowarray._ops.conversion import array, asarray, own_or_asarray, standard

cnp.import_array()

cdef object numpy_dtype = np.dtype
cdef object numpy_asarray = np.asarray
cdef object numpy_flip = np.flip, numpy_transpose = np.transpose
cdef object normalize_axis_tuple = np.lib.array_utils.normalize_axis_tuple
cdef slice BACKWARDS = slice(None, None, -1)
cdef slice EVERYTHING = slice(None)
cdef type numpy_memmap = np.memmap
cdef type numpy_ufunc = np.ufunc
cdef object maximum = np.maximum
cdef object minimum = np.minimum
# Ufuncs known to write all of `out` and to read none of it.
cdef frozenset numpy_ufuncs = frozenset(
    value for namespace in (np, np.strings) for value in vars(namespace).values() if isinstance(value, np.ufunc)
)


# Theirs, which a ufunc makes anew each time.
cdef dict names = {ufunc: ufunc.__name__ for ufunc in numpy_ufuncs}


cdef Py_ssize_t axes_of(object value) except -1:
    return (<Array>value).nd if is_array(value) else np.ndim(value)


cdef bint makes_axes(object ufunc, str method_name, object first, dict kwargs) except -1:
    """Whether a ufunc of operands of which one has axes gives a result that has some, too."""
    if method_name == "reduce":
        return bool(kwargs.get("keepdims")) or (type(kwargs.get("axis", 0)) is int and axes_of(first) > 1)
    return ufunc.signature is None


cdef object array_ufunc(Array self, object ufunc, str method_name, tuple inputs, dict kwargs):
    cdef bint known = type(ufunc) is numpy_ufunc and ufunc in numpy_ufuncs
    cdef bint is_call = method_name == "__call__"
    if not kwargs and is_call and known:
        if 0 < len(inputs) <= 2:
            result = plain_ufunc(ufunc, inputs[0], inputs[1] if len(inputs) == 2 else MISSING)
            if result is not None:
                return result
    elif known and is_call:
        if len(kwargs) == 1 and written_into(kwargs.get("out"), ufunc, inputs):
            return kwargs["out"][0]
    elif known and method_name != "at" and not (kwargs and ("indices" in kwargs or "array" in kwargs)):
        result = quick_call(COMPUTING, getattr(ufunc, method_name), True, inputs, kwargs)
        if result is not QUICK_FAILED:
            return result
    if is_handed(inputs, kwargs):
        return take_road(ufunc_name(ufunc, method_name), _UfuncJourney(ufunc, method_name), inputs, kwargs)
    return travel_ufunc(ufunc, method_name, inputs, kwargs)


cdef object quick_ufunc(object self, PyObject *const *given, Py_ssize_t count):
    """`array_ufunc` of a call with one operand or two; None where that has to see to it.

    given: the ufunc, the method's name, and the operands, borrowed.
    """
    if count < 3 or count > 4 or type(<object>given[0]) is not numpy_ufunc or type(<object>given[1]) is not str:
        return None
    if len(<str>given[1]) != 8 or <str>given[1] != "__call__" or <object>given[0] not in numpy_ufuncs:
        return None
    return plain_ufunc(<object>given[0], <object>given[2], <object>given[3] if count == 4 else MISSING)


cdef object plain_ufunc(object ufunc, object left, object right):
    """What one of NumPy's own ufuncs gives of one operand or two (right: MISSING for one); None where the road does.

    The everyday call needs no Passage: it runs no user code, and what it gives is fresh.
    """
    cdef object first = operand(left)
    cdef object second
    if first is not None and right is MISSING:
        return computed(large_call(ufunc, (first,), {}) if is_large_operand(first) else ufunc(first))
    if first is not None:
        second = operand(right)
        if second is not None:
            if is_large_operand(first) or is_large_operand(second):
                return computed(large_call(ufunc, (first, second), {}))
            return computed(ufunc(first, second))
    result = standard_result(ufunc, left, right)
    return None if result is MISSING else result


cdef bint written_into(object out, object ufunc, tuple inputs) except -1:
    """Whether the everyday call with an array as `out` has been made. If not, nothing has happened that matters.

    Whole shared Storages have another way: `overwritten`.
    """
    cdef Array x
    cdef cnp.ndarray header
    cdef Py_ssize_t n = len(inputs)
    if type(out) is not tuple or len(<tuple>out) != 1 or not is_array((<tuple>out)[0]) or n > 2 or n == 0:
        return False
    x = <Array>(<tuple>out)[0]
    for value in inputs:
        if operand(value) is None:
            return False
    if not x.writeable or runs_code(x.descr) or has_doorkeeper(x) or is_replaceable(x, False):
        return False
    header = writable_header(x, NULL)  # first: what is read afterwards is read where it lies now
    if n == 1:
        ufunc(beside(inputs[0], header), header)
    elif ufunc is maximum or ufunc is minimum:  # of which NumPy warns where the third argument has no name
        ufunc(beside(inputs[0], header), beside(inputs[1], header), out=header)
    else:
        ufunc(beside(inputs[0], header), beside(inputs[1], header), header)
    return True


cdef object beside(object value, cnp.ndarray writer):
    return header_beside(<Array>value, writer) if is_array(value) else value


cdef str ufunc_name(object ufunc, str method_name):
    name = names.get(ufunc) if type(ufunc) is numpy_ufunc else None
    if name is None:
        name = getattr(ufunc, "__name__", type(ufunc).__name__)
    return name if method_name == "__call__" else f"{name}.{method_name}"


@cython.final
cdef class _UfuncJourney:
    """What applies a ufunc as ever, for whoever it is handed to."""

    cdef readonly object ufunc
    cdef readonly str method_name

    def __cinit__(self, object ufunc, str method_name):
        self.ufunc = ufunc
        self.method_name = method_name

    def __call__(self, *inputs, **kwargs):
        return travel_ufunc(self.ufunc, self.method_name, inputs, kwargs)


cdef object travel_ufunc(object ufunc, str method_name, tuple inputs, dict kwargs):
    cdef Passage passage
    cdef list shown
    cdef bint is_elementwise_call
    cdef bint known = type(ufunc) is numpy_ufunc and ufunc in numpy_ufuncs
    out = kwargs.get("out", ())
    if type(out) is not tuple:
        out = () if out is None else (out,)  # as some call it that do the work of NumPy's ufuncs
    for value in inputs + <tuple>out:  # unlike (*inputs, *out), loses nothing when memory runs out
        if has_own_ufunc(value):
            return ask_overrides(ufunc, method_name, inputs, kwargs, out)
    if out and known and method_name == "__call__":
        inputs = tuple([converted(value) for value in inputs])  # what cannot be converted has changed nothing
        if len(out) == 1 and is_array(out[0]) and "where" not in kwargs and overwritten(
            <Array>out[0], ufunc, inputs, kwargs
        ):
            return out[0]
    passage = new_passage()
    passage.cautious = not known
    is_elementwise_call = known and method_name == "__call__" and ufunc.signature is None
    passage.overwrites = is_elementwise_call and "where" not in kwargs
    passage.behalf = OPERATION if known else FOREIGN
    passage.strangers = type(ufunc) is not numpy_ufunc
    passage.stays = known and (method_name == "at" or ufunc.nout == 1)
    passage.survey_elementwise(inputs)
    passage.survey(out)
    passage.survey(kwargs.get("where"))
    if passage.allocates and inputs:
        passage.allocates = makes_axes(ufunc, method_name, inputs[0], kwargs)
    if method_name == "at":
        if inputs and is_array(inputs[0]) and not (<Array>inputs[0]).writeable:
            raise ValueError("assignment destination is read-only")  # NumPy's fast path of `at` does not look
        if known and len(inputs) > 1 and (is_settled(inputs[1]) or type(inputs[1]) is list):
            passage.picked = new_picked(AN_INDEX, inputs[1])
        shown = [passage.write(value) for value in inputs[:1]]
        shown.extend([passage.read(value) for value in inputs[1:]])
        return ufunc.at(*shown)
    if out:
        if is_elementwise_call and "where" in kwargs:
            passage.picked = new_picked(TRUE_ELEMENTS, kwargs["where"])
        kwargs["out"] = passage.write(out)
    if method_name != "__call__":
        # NumPy hands these over by position, too.
        kwargs.pop("array", None)
        kwargs.pop("indices", None)
    for name, value in kwargs.items():
        if name != "out":
            kwargs[name] = passage.read(value)
    shown = [passage.read(value) for value in inputs]
    function = getattr(ufunc, method_name)
    if any([is_large_operand(value) for value in shown]):
        result = large_call(function, tuple(shown), kwargs)
    else:
        result = function(*shown, **kwargs)
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


cdef bint overwritten(Array x, object ufunc, tuple inputs, dict kwargs) except -1:
    """Whether one of NumPy's own ufuncs has given all of x new values. If not, nothing has happened."""
    cdef Passage passage = new_passage()
    cdef cnp.ndarray header
    cdef Intent intent = OVERWRITES
    cdef dict options = dict(kwargs)
    # A gufunc may leave some of out: numpy.vecmat of 2.4 does, where out is not contiguous.
    # An unsafe cast can warn, which runs user code.
    if not x.writeable or ufunc.signature is not None or "casting" in kwargs or not is_replaceable(x, False):
        return False
    options["out"] = None
    for value in inputs:
        if is_array(value) and (<Array>value).storage_ is x.storage_ and (<Array>value).shadow == x.shadow:
            intent = WRITES
        passage.survey(value)
    for value in options.values():
        passage.survey(value)
    header = overwriting_header(x, False, intent) if not passage.cautious and is_replaceable(x, False) else None
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


cdef object array_function(Array self, object function, object types, tuple args, dict kwargs):
    cdef bint cautious = False
    for kind in types:
        if is_array_type(kind) or kind is cnp.ndarray:
            continue
        if not issubclass(kind, cnp.ndarray) or (
            kind.__array_function__ is not cnp.ndarray.__array_function__
        ):
            return NotImplemented
        cautious = True
    cdef Operation operation = function_operation(function)
    if operation.special is not None:
        result = operation.special(*args, **kwargs)
        if args and is_array(args[0]) and (<Array>args[0]).standard:
            return standard(result)
    else:
        result = QUICK_FAILED
        if not cautious:
            result = quick_call(operation, operation.implementation, operation.is_c, args, kwargs)
        if result is QUICK_FAILED:
            result = call(operation, function, None, args, kwargs, cautious, len(types) > 0)
    if self is not None and self.standard and is_itself_alone(function) and function in TAKE_LIKE:
        return standard(result)  # self may be what `like` named, which NumPy does not pass on
    return result


# A function of the public namespace comes here at once, whatever its arguments are: NumPy asks
# for overrides only where one of them is an array of ours.
def dispatched(function, /, *args, **kwargs):
    """What a function of NumPy's gives, as ours. What is given as memory of others is read where it lies."""
    cdef Operation operation = function_operation(function)
    if operation.special is None:
        result = quick_call(operation, function, operation.is_c, args, kwargs)
        if result is not QUICK_FAILED:
            return result
    # What is written must be an array itself, not only bring one along.
    cdef set written = {each.position for each in operation.writes}
    shown = [value if i in written else shown_as_array(value) for i, value in enumerate(args)]
    return array_function(None, function, (), tuple(shown), kwargs)


cdef object shown_as_array(object value):
    """What brings its memory along, as NumPy's array over it: a function could call a method of the thing itself."""
    if is_harmless(type(value)) or cnp.PyArray_Check(value) or has_own_ufunc(value):
        return value
    return readable_operand(value)


def _copy(a, order="K", subok=False):
    return array(a, order=order, copy=True)


def _astype(x, dtype, /, *, copy=True, device=None):
    check_device(device)
    return own_or_asarray(x).astype(dtype, copy=copy)


def _reshape(a, /, shape, order="C", *, copy=None):
    return own_or_asarray(a).reshape(shape, order=order, copy=copy)


def _flip(m, axis=None):
    if is_subclass(m):
        return numpy_flip(m, axis)
    x = own_or_asarray(m)
    backwards = range(x.ndim) if axis is None else normalize_axis_tuple(axis, x.ndim)
    return x[tuple([BACKWARDS if i in backwards else EVERYTHING for i in range(x.ndim)])]


cdef bint is_subclass(object value) noexcept:
    """Whether a value is of a subclass of NumPy's array, which has views of its own kind."""
    return cnp.PyArray_Check(value) and not cnp.PyArray_CheckExact(value)


def _transpose(a, axes=None):
    if is_subclass(a):
        return numpy_transpose(a, axes)
    x = own_or_asarray(a)
    return x.T if axes is None else x.transpose(axes)


def _array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0):
    return array(object, dtype, copy=copy, order=order, ndmin=ndmin)


def _asarray(a, dtype=None, order=None, *, device=None, copy=None):
    return array(a, dtype, order=order, device=device, copy=copy is not False)


def _ascontiguousarray(a, dtype=None):
    return array(a, dtype, order="C", ndmin=1)


def _asfortranarray(a, dtype=None):
    return array(a, dtype, order="F", ndmin=1)


def _shares_memory(a, b, max_work=None):
    return aliases(a, b)


def _may_share_memory(a, b, max_work=None):
    # Asked of a snapshot, the question is whether it can stand for a copy to write to: as long as it shares bytes, no.
    if is_array(a) and is_array(b):
        return aliases(a, b)
    return aliases(a, b) or shares_bytes(a, b)


# Not bound, these are CPython's own kind of function, which its interpreter calls directly: 10 ns less.
@cython.binding(False)
def elementwise1(ufunc, x, out=None, where=True, dtype=None, casting="same_kind", /):
    """What one of NumPy's own ufuncs gives for x, as ours."""
    if out is not None or where is not True or dtype is not None or casting != "same_kind":
        return elementwise(ufunc, (x,), chosen(out, where, dtype, casting))
    shown = operand(x)
    if shown is None:
        return elementwise(ufunc, (x,), {})
    return computed(large_call(ufunc, (shown,), {}) if is_large_operand(shown) else ufunc(shown))


@cython.binding(False)
def elementwise2(ufunc, x1, x2, out=None, where=True, dtype=None, casting="same_kind", /):
    """What one of NumPy's own ufuncs gives for x1 and x2, as ours."""
    if out is not None or where is not True or dtype is not None or casting != "same_kind":
        return elementwise(ufunc, (x1, x2), chosen(out, where, dtype, casting))
    first = operand(x1)
    second = operand(x2)
    if first is None or second is None:
        return elementwise(ufunc, (x1, x2), {})
    if is_large_operand(first) or is_large_operand(second):
        return computed(large_call(ufunc, (first, second), {}))
    return computed(ufunc(first, second))


cdef dict chosen(object out, object where, object dtype, object casting):
    """Options of a ufunc as NumPy hands them over: those that say something, and out as a tuple."""
    cdef dict options = {}
    if out is not None:
        options["out"] = out if type(out) is tuple else (out,)
    if where is not True:
        options["where"] = where
    if dtype is not None:
        options["dtype"] = dtype
    if casting != "same_kind":
        options["casting"] = casting
    return options


cdef object elementwise(object ufunc, tuple inputs, dict options):
    """The long way: options, or an operand that has code or rules of its own, or is no array yet."""
    cdef list read = []
    cdef tuple out = options.get("out", ())
    for value in inputs + out:
        if has_own_ufunc(value):
            # NumPy asks it, and ours as well, which then gives way. What comes back may be known to others.
            result = ufunc(*inputs, **options)
            return import_array(result, None) if type(result) is cnp.ndarray and not out else result
    for value in inputs:
        read.append(readable_operand(value))
    return array_ufunc(None, ufunc, "__call__", tuple(read), options)


cdef object readable_operand(object value):
    """What brings its memory along, as an array of NumPy's over it: it is only read, and the result is ours."""
    cdef type kind = type(value)
    if is_familiar(value) or (cnp.PyArray_Check(value) and kind is not numpy_memmap):
        return value  # subclasses of NumPy's array that make results of their kind do so here, too
    if PyObject_CheckBuffer(value) or hasattr(kind, "__array__") or hasattr(kind, "__array_interface__"):
        return numpy_asarray(value)
    return value


def ufunc_method(ufunc, method, inputs, out, options, /):
    """What a method of one of NumPy's own ufuncs gives for inputs, as ours; options that say nothing are left out."""
    if out is not None:
        options["out"] = out if type(out) is tuple else (out,)
    for name, default in (("dtype", None), ("keepdims", False), ("where", True)):
        if name in options and options[name] is default:
            del options[name]
    for value in inputs + options.get("out", ()):
        if has_own_ufunc(value):
            result = getattr(ufunc, method)(*inputs, **options)
            return import_array(result, None) if type(result) is cnp.ndarray and out is None else result
    if method != "at":  # which writes the first
        inputs = tuple([readable_operand(value) for value in inputs])
    return array_ufunc(None, ufunc, method, inputs, options)


def imported(x, /):
    """The argument of a function that NumPy's dispatch brings to ours: an array, unless it is a scalar or None.

    A subclass of NumPy's array, and what has a ``__array_ufunc__`` of its own, stay what they are.
    """
    cdef type kind = type(x)
    if kind is cnp.ndarray or kind is numpy_memmap or kind is list or kind is tuple:
        return asarray(x)
    return x if is_familiar(x) or cnp.PyArray_Check(x) or has_own_ufunc(x) else asarray(x)


def fresh(result, /):
    """What NumPy has just made, and nobody else knows of, as ours and without a copy.

    Arrays in one memory, of a list or tuple, become views of one Storage. What is no array stays what it is.
    """
    cdef Passage passage
    if type(result) is cnp.ndarray and PyArray_BASE(<cnp.ndarray>result) == NULL:
        return computed(result)
    if type(result) is not cnp.ndarray and type(result) is not tuple and type(result) is not list:
        return result
    passage = new_passage()
    return passage.result(result)


cdef frozenset TAKE_LIKE = frozenset((
    np.arange, np.array, np.asanyarray, np.asarray, np.ascontiguousarray, np.asfortranarray, np.empty, np.eye,
    np.frombuffer, np.fromfile, np.fromfunction, np.fromiter, np.fromstring, np.full, np.genfromtxt, np.identity,
    np.loadtxt, np.ones, np.require, np.tri, np.zeros,
))

set_special({
    np.array: _array,
    np.asarray: _asarray,
    np.asanyarray: _asarray,
    np.ascontiguousarray: _ascontiguousarray,
    np.asfortranarray: _asfortranarray,
    np.copy: _copy,
    np.astype: _astype,
    np.reshape: _reshape,
    np.flip: _flip,
    np.transpose: _transpose,
    np.shares_memory: _shares_memory,
    np.may_share_memory: _may_share_memory,
})


def born(function, /, *args, **kwargs):
    """What a function of NumPy's makes of numbers, files or chance, and nobody else knows of: as ours."""
    if births_leave_lane() or is_handed(args, kwargs):
        return take_road(function.__name__, _Bearing(function), args, kwargs)
    return fresh(function(*args, **kwargs))


@cython.final
cdef class _Bearing:
    """What gives birth as ever, for whoever it is handed to."""

    cdef readonly object function

    def __cinit__(self, object function):
        self.function = function

    def __call__(self, *args, **kwargs):
        return fresh(self.function(*args, **kwargs))


def bearing(function, /):
    """What gives birth as ever by a function, as `born` hands it over."""
    return _Bearing(function)


def runs_user_code(function, /):
    """Whether what does an operation as ever runs functions of the user, or ufuncs that are not NumPy's.

    Parameters
    ----------
    function : callable
        As it is handed over with an operation.
    """
    if type(function) is _UfuncJourney:
        return (<_UfuncJourney>function).ufunc not in numpy_ufuncs
    return calls_user(function)


cdef object identity_of(object function):
    cdef _UfuncJourney journey
    if type(function) is not _UfuncJourney:
        return identity_on_road(function)
    journey = <_UfuncJourney>function
    if type(journey.ufunc) is not numpy_ufunc or journey.ufunc not in numpy_ufuncs or journey.method_name == "at":
        return None
    return journey.ufunc if journey.method_name == "__call__" else (journey.ufunc, journey.method_name)


cdef bint is_elementwise(object function) noexcept:
    return type(function) is _UfuncJourney and (<_UfuncJourney>function).method_name == "__call__"


cdef object at_headers(object function, tuple inputs, dict kwargs):
    cdef _UfuncJourney journey
    cdef Array x
    cdef tuple shown
    cdef cnp.ndarray header
    cdef Py_ssize_t i
    cdef bint large = False
    cdef type kind
    if kwargs or not is_elementwise(function):
        return QUICK_FAILED
    journey = <_UfuncJourney>function
    if type(journey.ufunc) is not numpy_ufunc or journey.ufunc not in numpy_ufuncs:
        return QUICK_FAILED
    for value in inputs:
        kind = type(value)
        if is_array_type(kind):
            if (<Array>value).standard or runs_code((<Array>value).descr):
                return QUICK_FAILED
        elif kind is not float and kind is not int and kind is not bool and kind is not complex:
            return QUICK_FAILED
    shown = PyTuple_New(len(inputs))
    for i in range(len(inputs)):
        value = inputs[i]
        if is_array(value):
            x = still(<Array>value)
            header = const_header(x)
            large |= is_large_operand(header)
            value = header
        Py_INCREF(value)  # stolen
        PyTuple_SET_ITEM(shown, i, value)
    return computed(large_call(journey.ufunc, shown, {}) if large else PyObject_Call(journey.ufunc, shown, NULL))


cdef tuple WRITING = ("ndarray.__setitem__", "flatiter.__setitem__", "in-place", "ndarray.resize", "ndarray.fill")


def written_by(str operation, function, tuple args, dict kwargs, /):
    """The arguments that an operation writes.

    Parameters
    ----------
    operation : str
    function : callable
        What does it, as it is handed over.
    args : tuple
    kwargs : dict

    Returns
    -------
    list
    """
    cdef list found = written_of(function, args, kwargs)
    if found is None:
        found = []
        if type(function) is _UfuncJourney:
            if (<_UfuncJourney>function).method_name == "at":
                found.extend(args[:1])
            elif (<_UfuncJourney>function).method_name == "__call__":
                found.extend(args[(<_UfuncJourney>function).ufunc.nin:])
        elif operation.startswith(WRITING):
            found.extend(args[:1])
        if "out" in kwargs:
            found.append(kwargs["out"])
    return [each for value in found for each in (value if type(value) is tuple else (value,))]
