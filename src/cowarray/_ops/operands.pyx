# cython: freethreading_compatible=True
"""Operands: whether user code can run when NumPy looks at them, and which function operations are handed to."""

import builtins
from functools import partial

import numpy as np

cimport numpy as cnp

from cowarray._array.array cimport (
    adopt,
    Array,
    has_doorkeeper,
    is_array,
    is_array_type,
    make_standard,
    open_header,
)
from cowarray._array.imports cimport import_array
from cowarray._array.layout cimport MAXDIMS
from cowarray._c.atomics cimport add, relaxed
from cowarray._c.numpy cimport (
    NPY_ARRAY_WRITEABLE,
    PyArray_BASE,
    PyArray_CLEARFLAGS,
    PyArray_DescrCheck,
    PyArray_FromScalar,
    PyArray_NewCopy,
)

cnp.import_array()

cdef frozenset FUNCTION_TYPES = frozenset((type(np.sum), type(np.empty), type(np.isscalar)))

# NumPy's own scalars. Operators of a subclass could keep their operands.
cdef frozenset SCALAR_TYPES = frozenset(np.sctypeDict.values())

cdef Py_ssize_t SHORT = 32  # a list this short costs next to nothing to search

# Types of arguments that run no user code, and cannot hand NumPy memory of their own.
cdef frozenset HARMLESS_TYPES = SCALAR_TYPES.union(
    (int, float, complex, bool, str, bytes, type(None), slice, type(Ellipsis), range, type(np._NoValue), type(np.dtype))
)
# Classes, as arguments, of which the same is true: Python's and NumPy's that nobody can change. NumPy asks others for
# a `dtype`, or an `__array__`.
cdef long IMMUTABLE_TYPE = 1 << 8
cdef frozenset HARMLESS_CLASSES = SCALAR_TYPES.union([
    each for each in (*vars(builtins).values(), *vars(np).values())
    if type(each) is type and each.__flags__ & IMMUTABLE_TYPE
])
cdef type numpy_void = np.void
cdef object MISSING = object()
cdef type numpy_generic = np.generic

cdef int births_watched = 0
cdef object interceptor = None


def register(function, /):
    """Register the function that operations are handed to, in place of the one registered before.

    Operations are handed over while births are watched (`watch_births`), and if an array among the arguments has a
    doorkeeper; lanes.py lists the lanes that do so.

    Parameters
    ----------
    function : callable or None
        Called with the operation's name, a function that runs it without a mode, its positional arguments and its
        keyword arguments; its result is the operation's result. The name is that of the table's row, if there is one
        ("ndarray.sort"), else NumPy's ("add", "add.reduce", "linalg.inv"). The function that runs the operation takes
        any arguments. Operations that it uses (`fill` an assignment, `setfield` a view and an assignment) are handed
        over in turn. Register before other threads compute: without a GIL, nothing orders the two.

    Returns
    -------
    callable or None
        The function that was registered before.
    """
    global interceptor
    if function is not None and not callable(function):
        raise TypeError(f"register: expected a callable or None (got {type(function).__name__})")
    before = interceptor
    interceptor = function
    return before


cdef dict provided = {}


def provide(**functions):
    """Set the functions of higher rooms that methods of arrays call, by name.

    Parameters
    ----------
    **functions
        Called with the array. None removes the method.
    """
    provided.update(functions)


cdef object do_provided(str name, object x):
    """Call the function that a higher room provides."""
    return provided[name](x)


cdef object bound_provided(str name, object x):
    """Return the method that a higher room provides; raise AttributeError until it does."""
    if provided.get(name) is None:
        raise AttributeError(f"'cowarray.ndarray' object has no attribute {name!r} now", name=name, obj=x)
    return partial(provided[name], x)


def watch_births(int change, /):
    """Count a context that begins (1) or stops (-1) watching every operation, and return how many do."""
    cdef int count = add(&births_watched, change)
    if count < 0:
        add(&births_watched, -change)
        raise ValueError(f"watch_births: there are {count - change} contexts to count out (got {change})")
    return count


cdef object take_road(str operation, object function, tuple args, dict kwargs):
    """Hand an operation to the registered function; without one, call function, which runs it without a mode."""
    if interceptor is None:
        return function(*args, **kwargs)
    return interceptor(operation, function, args, kwargs)


cdef bint is_handed(tuple args, dict kwargs) except -1:
    """True if an operation with these arguments is handed to a registered function."""
    if interceptor is None:
        return False
    return relaxed(&births_watched) != 0 or any_watched(args, 0) or any_watched(kwargs.values(), 0)


cdef bint is_handed_with(object first, object second) except -1:
    """`is_handed` for an operation with one or two arguments."""
    if interceptor is None:
        return False
    return relaxed(&births_watched) != 0 or is_watched(first, 0) or is_watched(second, 0)


cdef inline bint is_watched(object value, int depth) except -1:
    """True if a value is an array with a doorkeeper, or a list, tuple or dict that contains one."""
    if is_array(value):
        return has_doorkeeper(<Array>value)
    if value is None or depth == MAXDIMS:
        return False
    if isinstance(value, list):
        return any_watched(list.__iter__(value), depth + 1)
    if isinstance(value, tuple):
        return any_watched(tuple.__iter__(value), depth + 1)
    return type(value) is dict and any_watched((<dict>value).values(), depth + 1)


cdef bint any_watched(object values, int depth) except -1:
    """True if one of the values is watched."""
    for value in values:
        if is_watched(value, depth):
            return True
    return False


cdef inline bint is_among(type kind, frozenset kinds) noexcept:
    """True if a type is one of kinds, whose class is `type`; a class of types could claim to equal one."""
    return type(kind) is type and kind in kinds


cdef bint is_numpys_scalar(type kind) noexcept:
    return is_among(kind, SCALAR_TYPES)


cdef bint is_plain_scalar(object value) noexcept:
    """True if a value is one of NumPy's own scalars, and none of a record whose fields are objects."""
    cdef type kind = type(value)
    return is_among(kind, SCALAR_TYPES) and (kind is not numpy_void or not runs_code(value.dtype))


cdef bint is_harmless(object value) noexcept:
    """True if an argument runs no user code, and cannot hand NumPy memory of its own."""
    cdef type kind = type(value)
    if is_among(kind, HARMLESS_TYPES):
        return kind is not numpy_void or not runs_code(value.dtype)
    return PyArray_DescrCheck(value) or (kind is type and value in HARMLESS_CLASSES)


cdef bint has_plain_bounds(object value) noexcept:
    """True if NumPy runs no user code when it asks a slice for its bounds."""
    return is_harmless(value.start) and is_harmless(value.stop) and is_harmless(value.step)


cdef bint is_itself_alone(object function) noexcept:
    """True if a function's type has Python's own equality; any other could claim to equal NumPy's function."""
    return is_among(type(function), FUNCTION_TYPES)


cdef list listed(object values):
    """Return list(values) for a list or tuple; CPython 3.11's own leaks a reference to values if memory runs out."""
    cdef Py_ssize_t i
    cdef list items = [None] * len(values)
    for i in range(len(items)):
        items[i] = values[i]
    return items


cdef bint is_familiar(object value) noexcept:
    """True if a value has no rules of its own for ufuncs and operators."""
    cdef type kind = type(value)
    return (is_array_type(kind) or kind is cnp.ndarray or kind is float or kind is int or kind is bool
            or kind is complex or kind is list or kind is tuple or value is None or is_numpys_scalar(kind))


cdef bint has_own_ufunc(object value) except -1:
    """True if a value has its own __array_ufunc__, which must be asked."""
    if is_familiar(value):
        return False
    override = getattr(type(value), "__array_ufunc__", MISSING)
    return override is not MISSING and override is not cnp.ndarray.__array_ufunc__


cdef bint any_own_ufunc(object values) except -1:
    for value in values:
        if has_own_ufunc(value):
            return True
    return False


cdef bint is_strangers(tuple args, dict kwargs) except -1:
    """True if an argument, or an array in a list of arrays, has its own __array_function__, which must be asked.

    A long list that begins with a number is taken to hold only numbers.
    """
    for value in args:
        if is_stranger(value):
            return True
        if (type(value) is list or type(value) is tuple) and value and (
            len(value) <= SHORT or not is_among(type(value[0]), HARMLESS_TYPES)
        ):
            for item in listed(value):
                if is_stranger(item):
                    return True
    for value in kwargs.values():
        if is_stranger(value):
            return True
    return False


cdef bint is_stranger(object value) except -1:
    if is_familiar(value) or is_among(type(value), HARMLESS_TYPES):
        return False
    override = getattr(type(value), "__array_function__", MISSING)
    return override is not MISSING and override is not cnp.ndarray.__array_function__


cdef object computed(object result):
    """Take in the result of a NumPy operator on headers: a fresh array, a scalar, or no array at all."""
    if type(result) is cnp.ndarray:
        # A read-only one is not fresh: it is a header, or an array that was adopted before.
        return adopt(result) if cnp.PyArray_ISWRITEABLE(<cnp.ndarray>result) else import_array(result, None)
    if type(result) is tuple:
        return tuple([computed(item) for item in <tuple>result])
    return detached_void(result) if isinstance(result, numpy_void) else result


cdef object detached_void(object scalar):
    """Return a structured scalar in its own memory; NumPy's is a view of the place that it was read from."""
    cdef cnp.ndarray own = PyArray_NewCopy(PyArray_FromScalar(scalar, NULL), cnp.NPY_CORDER)
    PyArray_CLEARFLAGS(own, NPY_ARRAY_WRITEABLE)
    return own[()]


cdef object as_standard(object result):
    """Return a fresh array or scalar as one of the standard's arrays; any other object as it is."""
    cdef cnp.ndarray array
    if is_array(result):
        return make_standard(<Array>result)
    if type(result) is tuple:
        return tuple([as_standard(item) for item in <tuple>result])
    if not isinstance(result, numpy_generic):
        return result
    array = PyArray_FromScalar(result, NULL)
    if PyArray_BASE(array) != NULL:
        array = PyArray_NewCopy(array, cnp.NPY_CORDER)  # a structured scalar gives a view of its memory
    return make_standard(adopt(array))


cdef object standard_result(object ufunc, object first, object second):
    """Return the result of one of NumPy's own ufuncs if an operand is the standard's; MISSING: take the road.

    second: MISSING for a ufunc with one operand.
    """
    cdef bint standard = is_of_standard(first) or is_of_standard(second)
    own = standard_operand(first) if standard else None
    if own is None or second is MISSING:
        return MISSING if own is None else as_standard(computed(ufunc(own)))
    shown = standard_operand(second)
    return MISSING if shown is None else as_standard(computed(ufunc(own, shown)))


cdef inline bint is_of_standard(object value) noexcept:
    return is_array(value) and (<Array>value).standard


cdef object standard_operand(object value):
    """`operand`, but the standard's arrays are taken as well, by a header made for this call."""
    if not is_of_standard(value):
        return operand(value)
    if relaxed(&births_watched) != 0 or runs_code((<Array>value).descr) or has_doorkeeper(<Array>value):
        return None
    return open_header(<Array>value, READS, OPERATION)


cdef bint has_priority(object value) noexcept:
    """True if __array_priority__ is above an array's. As in NumPy, one that is not a number does not count."""
    try:
        return float(getattr(value, "__array_priority__", 0)) > 0
    except Exception:
        pass
    return False
