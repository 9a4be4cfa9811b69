# cython: freethreading_compatible=True, auto_pickle=False
"""What an operation is given, and whether user code can run when NumPy looks at it."""

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
    PyArray_FromScalar,
    PyArray_NewCopy,
)

cnp.import_array()

cdef frozenset FUNCTION_TYPES = frozenset((type(np.sum), type(np.empty), type(np.isscalar)))

# NumPy's own scalars. A subclass can have operators that keep what they are shown.
cdef frozenset SCALAR_TYPES = frozenset(np.sctypeDict.values())

# Types of arguments that run no user code, and cannot hand NumPy memory of their own.
cdef frozenset HARMLESS_TYPES = SCALAR_TYPES.union(
    (int, float, complex, bool, str, bytes, type(None), slice, type(Ellipsis), type, range, type(np._NoValue))
)
cdef type numpy_void = np.void
cdef object MISSING = object()
cdef type numpy_generic = np.generic

cdef int births_watched = 0
cdef object interceptor = None


def register(function, /):
    """Have operations handed to function, in place of whoever was registered before.

    A lane hands over while births are watched (`watch_births`), and where an array among the arguments has a
    doorkeeper; lanes.py lists what does.

    Parameters
    ----------
    function : callable or None
        Called with the operation's name, a function that does it as ever, its positional arguments and its named ones;
        what it gives is the operation's result. The name is that of the table's row, if there is one ("ndarray.sort"),
        else NumPy's ("add", "add.reduce", "linalg.inv"). The function takes whatever arguments it is given. What it
        does by other operations (`fill` by an assignment, `setfield` by a view and an assignment) is handed over too,
        in its turn. Register before other threads compute: without a GIL, nothing orders the two.

    Returns
    -------
    callable or None
        Who was registered before.
    """
    global interceptor
    if function is not None and not callable(function):
        raise TypeError(f"register: expected a callable or None (got {type(function).__name__})")
    before = interceptor
    interceptor = function
    return before


cdef dict provided = {}


def provide(**functions):
    """Have methods of arrays done by functions of higher rooms, by name.

    Parameters
    ----------
    **functions
        Called with the array.
    """
    provided.update(functions)


cdef object do_provided(str name, object x):
    """Do what a higher room provides."""
    return provided[name](x)


def watch_births(int change, /):
    """Count a context in (1) or out (-1) that is to have every operation. Returns how many there are."""
    cdef int count = add(&births_watched, change)
    if count < 0:
        add(&births_watched, -change)
        raise ValueError(f"watch_births: there are {count - change} contexts to count out (got {change})")
    return count


cdef object take_road(str operation, object function, tuple args, dict kwargs):
    """Have an operation done by whoever is registered; without, by function, which does it as ever."""
    if interceptor is None:
        return function(*args, **kwargs)
    return interceptor(operation, function, args, kwargs)


cdef bint is_handed(tuple args, dict kwargs) except -1:
    """Whether somebody is registered, and is to have an operation with these arguments."""
    if interceptor is None:
        return False
    return relaxed(&births_watched) != 0 or any_watched(args, 0) or any_watched(kwargs.values(), 0)


cdef bint is_handed_with(object first, object second) except -1:
    """`is_handed` of an operation with one or two arguments."""
    return interceptor is not None and is_handed((first, second), {})


cdef bint any_watched(object values, int depth) except -1:
    """Whether one of our arrays in values, or in lists and tuples there, has a doorkeeper."""
    for value in values:
        if is_array(value):
            if has_doorkeeper(<Array>value):
                return True
        elif isinstance(value, list) and depth < MAXDIMS:
            if any_watched(list.__iter__(value), depth + 1):
                return True
        elif isinstance(value, tuple) and depth < MAXDIMS:
            if any_watched(tuple.__iter__(value), depth + 1):
                return True
        elif type(value) is dict and depth < MAXDIMS and any_watched((<dict>value).values(), depth + 1):
            return True
    return False


cdef bint is_numpys_scalar(type kind) noexcept:
    return kind in SCALAR_TYPES


cdef bint is_harmless(type kind) noexcept:
    return kind in HARMLESS_TYPES


cdef bint is_itself_alone(object function) noexcept:
    """Whether a function is of a type that has Python's own equality: another's may say that it equals NumPy's."""
    return type(function) in FUNCTION_TYPES


cdef list listed(object values):
    """list(values), of a list or tuple; CPython 3.11's own loses a reference to values when memory runs out."""
    cdef Py_ssize_t i
    cdef list items = [None] * len(values)
    for i in range(len(items)):
        items[i] = values[i]
    return items


cdef bint is_familiar(object value) noexcept:
    """Whether a value has no rules of its own for ufuncs and operators."""
    cdef type kind = type(value)
    return (is_array_type(kind) or kind is cnp.ndarray or kind is float or kind is int or kind is bool
            or kind is complex or kind is list or kind is tuple or value is None or is_numpys_scalar(kind))


cdef bint has_own_ufunc(object value) except -1:
    """Whether a value brings a __array_ufunc__ of its own, which must be asked."""
    if is_familiar(value):
        return False
    override = getattr(type(value), "__array_ufunc__", MISSING)
    return override is not MISSING and override is not cnp.ndarray.__array_ufunc__


cdef object computed(object result):
    """What an operator of NumPy's computed from our headers: always fresh, or a scalar, or not an array at all."""
    if type(result) is cnp.ndarray:
        # Read-only, it would be somebody's: a header, or an array that has been adopted before.
        return adopt(result) if cnp.PyArray_ISWRITEABLE(<cnp.ndarray>result) else import_array(result, None)
    if type(result) is tuple:
        return tuple([computed(item) for item in <tuple>result])
    return detached_void(result) if isinstance(result, numpy_void) else result


cdef object detached_void(object scalar):
    """A structured scalar is a view of where it was read: let it be of a copy that nothing writes."""
    cdef cnp.ndarray own = PyArray_NewCopy(PyArray_FromScalar(scalar, NULL), cnp.NPY_CORDER)
    PyArray_CLEARFLAGS(own, NPY_ARRAY_WRITEABLE)
    return own[()]


cdef object as_standard(object result):
    """What was just made of the standard's arrays, an array or a scalar, as one of them; anything else as it is."""
    cdef cnp.ndarray array
    if is_array(result):
        return make_standard(<Array>result)
    if type(result) is tuple:
        return tuple([as_standard(item) for item in <tuple>result])
    if not isinstance(result, numpy_generic):
        return result
    array = PyArray_FromScalar(result, NULL)
    if PyArray_BASE(array) != NULL:
        array = PyArray_NewCopy(array, cnp.NPY_CORDER)  # a structured scalar is shown where it lies
    return make_standard(adopt(array))


cdef object standard_result(object ufunc, object first, object second):
    """What one of NumPy's own ufuncs gives of operands, one of them the standard's; MISSING where it takes the road.

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
    """`operand`, which gives a header of the standard's arrays as well: one made for the moment."""
    if not is_of_standard(value):
        return operand(value)
    if relaxed(&births_watched) != 0 or runs_code((<Array>value).descr) or has_doorkeeper(<Array>value):
        return None
    return open_header(<Array>value, READS, OPERATION)


cdef bint has_priority(object value) noexcept:
    """Whether __array_priority__ is above an array's. As for NumPy, what cannot be read as a number is none."""
    try:
        return float(getattr(value, "__array_priority__", 0)) > 0
    except Exception:
        return False
