# cython: freethreading_compatible=True
"""`__array_ufunc__`: NumPy's ufuncs and their methods on arrays, and what a mode may ask of one that it was handed."""

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
from cowarray._c.numpy cimport NPY_ITER_READWRITE, NPY_ITER_WRITEONLY, PyUFuncObject
from cowarray._c.python cimport PyObject_Call
from cowarray._native.storage cimport FOREIGN, Intent, OPERATION, OVERWRITES, WRITES
from cowarray._ops.conversion cimport with_elements
from cowarray._ops.keys cimport is_settled
from cowarray._ops.large cimport is_large_operand, large_call
from cowarray._ops.operands cimport (
    any_own_ufunc,
    computed,
    has_own_ufunc,
    is_familiar,
    is_handed,
    MISSING,
    operand,
    runs_code,
    standard_result,
    take_road,
)
from cowarray._ops.overwriting cimport attempt, commit, is_replaceable, overwriting_header
from cowarray._ops.passage cimport COMPUTING, new_passage, Passage
from cowarray._ops.picking cimport AN_INDEX, new_picked, TRUE_ELEMENTS
from cowarray._ops.quick cimport quick_call, QUICK_FAILED
from cowarray._ops.road cimport calls_user, identity_on_road, written_of
from cowarray._ops.strangers cimport after_overrides, ask_overrides

cnp.import_array()

cdef object numpy_asarray = np.asarray
cdef type numpy_ufunc = np.ufunc
cdef object maximum = np.maximum
cdef object minimum = np.minimum
# The ufuncs of numpy.strings, taken from where it gets them, so that it need not be imported for their names.
cdef tuple string_ufuncs = tuple([getattr(np._core.umath, name) for name in (
    "isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle isupper str_len".split()
)])
# Ufuncs known to write all of `out` and to read none of it.
cdef frozenset numpy_ufuncs = frozenset(
    [value for value in vars(np).values() if isinstance(value, np.ufunc)]
).union(string_ufuncs, (np._core.umath.clip,))  # which `np.clip` calls


# Their names: a ufunc makes its name again each time.
cdef dict names = {ufunc: ufunc.__name__ for ufunc in numpy_ufuncs}


cdef bint keeps_axes(object ufunc, str method_name, list shown, dict kwargs) except -1:
    """True if the result has axes, given that an operand has. shown: the operands as read."""
    if method_name == "reduce":
        if len(shown) > 1:  # options by position
            return False
        many = cnp.PyArray_NDIM(<cnp.ndarray?>shown[0]) > 1
        return kwargs.get("keepdims") is True or (many and type(kwargs.get("axis", 0)) is int)
    return ufunc.signature is None


cdef object array_ufunc(Array self, object ufunc, str method_name, tuple inputs, dict kwargs):
    cdef tuple out
    cdef bint declined = False
    cdef bint known = type(ufunc) is numpy_ufunc and ufunc in numpy_ufuncs
    cdef bint is_call = method_name == "__call__"
    if not kwargs and is_call and known:
        if 0 < len(inputs) <= 2:
            result = plain_ufunc(ufunc, inputs[0], inputs[1] if len(inputs) == 2 else MISSING)
            if result is not None:
                return result
    elif known and is_call:
        if len(kwargs) == 1 and "out" in kwargs and 0 < len(inputs) <= 2:
            result = written_into(kwargs["out"], ufunc, inputs[0], inputs[1] if len(inputs) == 2 else MISSING)
            if result is not None:
                return result
    elif known and method_name != "at" and not (kwargs and ("indices" in kwargs or "array" in kwargs)):
        result = quick_call(COMPUTING, getattr(ufunc, method_name), True, inputs, kwargs)
        if result is not QUICK_FAILED:
            return result
    out = outputs_of(kwargs)
    if takes_others(inputs, out, kwargs):
        # Before any mode, which would take the operations of a stranger's own code for parts of this one.
        result = ask_overrides(ufunc, method_name, inputs, kwargs, out)
        if result is not NotImplemented:
            return result
        declined = True
    if is_handed(inputs, kwargs):
        journey = _UfuncJourney(ufunc, method_name, declined)
        return take_road(ufunc_name(ufunc, method_name), journey, inputs, kwargs)
    return travel_ufunc(ufunc, method_name, inputs, kwargs, declined)


cdef bint takes_others(tuple inputs, tuple out, dict kwargs) except -1:
    """True if a ufunc is given an argument whose `__array_ufunc__` NumPy asks."""
    return any_own_ufunc(inputs) or any_own_ufunc(out) or ("where" in kwargs and has_own_ufunc(kwargs["where"]))


cdef tuple outputs_of(dict kwargs):
    """Return a ufunc's `out` as a tuple. Code that stands in for NumPy's ufuncs may pass an array alone."""
    out = kwargs.get("out", ())
    return <tuple>out if type(out) is tuple else () if out is None else (out,)


cdef object quick_ufunc(object self, PyObject *const *given, Py_ssize_t count):
    """`array_ufunc` for a call with one operand or two; None if it takes more than that.

    given: the ufunc, the method's name, and the operands, borrowed.
    """
    if count < 3 or count > 4 or type(<object>given[0]) is not numpy_ufunc or type(<object>given[1]) is not str:
        return None
    if len(<str>given[1]) != 8 or <str>given[1] != "__call__" or <object>given[0] not in numpy_ufuncs:
        return None
    return plain_ufunc(<object>given[0], <object>given[2], <object>given[3] if count == 4 else MISSING)


cdef object plain_ufunc(object ufunc, object left, object right):
    """Apply one of NumPy's own ufuncs to one operand or two (right: MISSING for one); None: take the road.

    The common call needs no Passage: it runs no user code, and its result is fresh.
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


cdef Array written_into(object out, object ufunc, object left, object right):
    """Make the common call with an array as `out`, and return it. None: it is another call, and nothing is written.

    right: MISSING for one operand. Whole shared Storages are left to `overwritten`.
    """
    cdef Array x
    cdef cnp.ndarray header
    if type(out) is tuple and len(<tuple>out) == 1:
        out = (<tuple>out)[0]
    if not is_array(out) or operand(left) is None or not (right is MISSING or operand(right) is not None):
        return None
    x = <Array>out
    if not x.writeable or runs_code(x.descr) or has_doorkeeper(x) or is_replaceable(x, False):
        return None
    header = writable_header(x, NULL)  # first, as it may move bytes that the operands read
    if right is MISSING:
        ufunc(beside(left, x, header), header)
    elif ufunc is maximum or ufunc is minimum:  # NumPy warns if their third argument is positional
        ufunc(beside(left, x, header), beside(right, x, header), out=header)
    else:
        ufunc(beside(left, x, header), beside(right, x, header), header)
    return x


cdef object beside(object value, Array x, cnp.ndarray writer):
    """Return an operand as NumPy is to read it while it writes x through writer."""
    if value is x:
        return writer
    return header_beside(<Array>value, writer) if is_array(value) else value


cdef str ufunc_name(object ufunc, str method_name):
    name = names.get(ufunc) if type(ufunc) is numpy_ufunc else None
    if name is None:
        name = getattr(ufunc, "__name__", type(ufunc).__name__)
    return name if method_name == "__call__" else f"{name}.{method_name}"


@cython.final
cdef class _UfuncJourney:
    """A call of a ufunc to run without a mode, by the mode that it was handed to."""

    cdef readonly object ufunc
    cdef readonly str method_name
    cdef bint declined

    def __cinit__(self, object ufunc, str method_name, bint declined=False):
        self.ufunc = ufunc
        self.method_name = method_name
        self.declined = declined

    def __call__(self, *inputs, **kwargs):
        return travel_ufunc(self.ufunc, self.method_name, inputs, kwargs, self.declined)


cdef object travel_ufunc(object ufunc, str method_name, tuple inputs, dict kwargs, bint declined):
    """Apply a ufunc without a mode. declined: types with their own `__array_ufunc__` were asked, and declined."""
    cdef Passage passage
    cdef list shown
    cdef bint is_elementwise_call
    cdef bint known = type(ufunc) is numpy_ufunc and ufunc in numpy_ufuncs
    cdef tuple out = outputs_of(kwargs)
    if declined:
        return after_overrides(ufunc, method_name, inputs, kwargs, out)
    if out and known and method_name == "__call__":
        inputs = tuple([converted(value) for value in inputs])  # an error here has changed nothing
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
    passage.survey(inputs)
    passage.survey(kwargs)
    if method_name == "at":
        if inputs and is_array(inputs[0]) and not (<Array>inputs[0]).writeable:
            raise ValueError("assignment destination is read-only")  # NumPy's fast path of `at` does not check
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
        # NumPy passes these by position as well.
        kwargs.pop("array", None)
        kwargs.pop("indices", None)
    for name, value in kwargs.items():
        if name != "out":
            kwargs[name] = passage.read(value)
    written = set() if known or method_name != "__call__" else written_operands(ufunc)
    shown = [passage.write(value) if i in written else None for i, value in enumerate(inputs)]  # these may move bytes
    shown = [passage.read(value) if each is None else each for each, value in zip(shown, inputs, strict=True)]
    passage.note_axes(inputs, shown)
    passage.allocates = passage.allocates and keeps_axes(ufunc, method_name, shown, kwargs)
    function = getattr(ufunc, method_name)
    if not passage.cautious and any([is_large_operand(value) for value in shown]):
        result = large_call(function, tuple(shown), kwargs)
    else:
        result = function(*shown, **kwargs)
    if out:
        # The result is the argument out itself, which may be foreign or of a subclass.
        if type(result) is tuple:
            return tuple([
                given if given is not None else passage.result(item) for given, item in zip(out, result, strict=True)
            ])
        return passage.result(result) if out[0] is None else out[0]
    return passage.result(result)


cdef set written_operands(object ufunc):
    """Return the positions of the operands that a ufunc writes to, as numba's do with `writable_args`.

    A library's own object may stand for a ufunc, and have it as its attribute `ufunc`.
    """
    cdef PyUFuncObject *flagged
    cdef int i
    if type(ufunc) is not numpy_ufunc:
        ufunc = getattr(ufunc, "ufunc", None)
    if type(ufunc) is not numpy_ufunc:
        return set()
    flagged = <PyUFuncObject *>ufunc
    if flagged.op_flags == NULL:
        return set()
    return {i for i in range(flagged.nin) if flagged.op_flags[i] & (NPY_ITER_READWRITE | NPY_ITER_WRITEONLY)}


cdef object converted(object value):
    """Convert an array_like operand to an array. A gap."""
    cdef type kind = type(value)
    if kind is list or kind is tuple:
        return numpy_asarray(with_elements(value, 0))
    if is_familiar(value) or cnp.PyArray_Check(value):
        return value
    return numpy_asarray(value)


cdef bint overwritten(Array x, object ufunc, tuple inputs, dict kwargs) except -1:
    """Let one of NumPy's own ufuncs overwrite all of x. False, and nothing has happened, if that cannot be."""
    cdef Passage passage = new_passage()
    cdef cnp.ndarray header
    cdef Intent intent = OVERWRITES
    cdef dict options = dict(kwargs)
    # A gufunc may leave a part of out as it was: numpy.vecmat of 2.4 does, if out is not contiguous.
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


def runs_user_code(function, /):
    """Tell whether an operation runs user functions, or ufuncs that are not NumPy's.

    Parameters
    ----------
    function : callable
        The function that was handed over with the operation.
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
    """Return the arguments that an operation writes.

    Parameters
    ----------
    operation : str
    function : callable
        The function that was handed over with the operation.
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
                ufunc = (<_UfuncJourney>function).ufunc
                found.extend(args[ufunc.nin:])
                if ufunc not in numpy_ufuncs:
                    found.extend([args[i] for i in written_operands(ufunc) if i < len(args)])
        elif operation.startswith(WRITING):
            found.extend(args[:1])
        if "out" in kwargs:
            found.append(kwargs["out"])
    return [each for value in found for each in (value if type(value) is tuple else (value,))]
