# cython: freethreading_compatible=True
"""Wrappers of functions that leave no frame on the stack: the code that they wrap sees its real caller."""

import functools

import numpy as np

cimport cython
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF

from cowarray._c.python cimport assignment_of, objobjargproc

from cowarray._face.ndarray import ndarray

cdef object numpy_asarray = np.asarray
cdef object numpy_ndarray = np.ndarray
cdef object numpy_ndenumerate = np.ndenumerate


@cython.final
cdef class Followed:
    """A function that calls another, and passes its result through a third.

    first: rewrites the positional arguments beforehand.
    """

    cdef dict __dict__
    cdef object function, then, first

    def __init__(self, function, then, /, first=None):
        self.function = function
        self.then = then
        self.first = first
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        if self.first is not None:
            args = self.first(args)
        return self.then(self.function(*args, **kwargs), *args, **kwargs)

    def __reduce__(self):
        return self.__qualname__  # as functions are pickled


# How deep lists, tuples and dicts are searched; one that contains itself would have no end.
cdef enum:
    DEPTH = 16


def numpys(value, /):
    """Replace an array of cowarray's by NumPy's; also those in lists, tuples and dicts.

    NumPy's array is a snapshot, or an alias inside `aliasing`.
    """
    return shown(value, False, DEPTH)


def numpys_alone(value, /):
    """Replace an array of cowarray's by NumPy's, but not those in containers."""
    return numpy_asarray(value) if type(value) is ndarray else value


def numpys_in_own_order(value, /):
    """Do the same as `numpys`, in this machine's byte order."""
    return shown(value, True, DEPTH)


cdef object shown(object value, bint native, int depth):
    """Return a value with NumPy's arrays in place of cowarray's; the value itself if it has none."""
    cdef object made = None
    kind = type(value)
    if kind is ndarray:
        if native and not value.dtype.isnative:
            value = value.astype(value.dtype.newbyteorder("="))
        return numpy_asarray(value)
    if depth == 0:
        return value
    if kind is dict:
        for key, each in list((<dict>value).items()):
            other = shown(each, native, depth - 1)
            if other is not each:
                if made is None:
                    made = dict(<dict>value)
                made[key] = other
    elif kind is list or kind is tuple:
        for i, each in enumerate(list(value) if kind is list else value):
            other = shown(each, native, depth - 1)
            if other is not each:
                if made is None:
                    made = list(value)
                made[i] = other
        if kind is tuple and made is not None:
            made = tuple(made)
    return value if made is None else made


def numpys_to_write(value, /):
    """Return NumPy's alias of an array; raise if the array is read-only."""
    return value.to_numpy(writable=True) if type(value) is ndarray else value


def converting(function, convert=numpys, /):
    """Wrap a function or method so that `convert` is applied to each argument."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*[convert(value) for value in args], **{key: convert(kwargs[key]) for key in kwargs})

    return call


def converting_item(method, /):
    """Do the same for a ``__setitem__`` that may look at its object's reference count, which stays the same."""
    @functools.wraps(method)
    def call(self, key, value):
        key, value = numpys(key), numpys(value)
        Py_DECREF(self)  # the caller keeps it alive until this returns
        try:
            return method(self, key, value)
        finally:
            Py_INCREF(self)

    return call


def lending_aliases(function, /):
    """Wrap a function so that it gets NumPy's aliases of cowarray's arrays: its writes reach the originals."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        cdef list lent = []
        shown = [alias_over(value, lent, 3) for value in args]
        named = {key: alias_over(kwargs[key], lent, 3) for key in kwargs}
        if not lent:  # the function may keep a list, as a callback's parameter
            return function(*args, **kwargs)
        return given_back(function(*shown, **named), lent)

    return call


def lending_written(function, places, /):
    """Wrap a function so that it gets NumPy's aliases of those arrays of cowarray's that it writes.

    places: the positions of those parameters, by name.
    """
    @functools.wraps(function)
    def call(*args, **kwargs):
        cdef list lent = []
        cdef list shown = None
        for name, place in (<dict>places).items():
            if name in kwargs:
                kwargs[name] = alias_over(kwargs[name], lent, 0)
            elif place < len(args) and type(args[place]) is ndarray:
                if shown is None:
                    shown = list(args)
                shown[place] = alias_over(args[place], lent, 0)
        return given_back(function(*(args if shown is None else shown), **kwargs), lent)

    return call


cdef object with_numpys_elements(object value):
    """Replace elements of an array that are cowarray's arrays by NumPy's: netCDF4 takes each for NumPy's."""
    cdef object made = None
    if isinstance(value, numpy_ndarray) and value.dtype.hasobject:
        for place, each in numpy_ndenumerate(value):
            if type(each) is ndarray:
                if made is None:
                    made = value.copy()
                numpy_asarray(made)[place] = numpy_asarray(each)  # a masked array keeps its mask
    return value if made is None else made


cdef dict assignments = {}  # by type: the address of its own item assignment, which `assign` replaces


cdef int assign(PyObject *self, PyObject *key, PyObject *value) except -1:
    """Assign to items, or delete them (value: NULL), with NumPy's arrays in place of cowarray's."""
    cdef size_t own = next(assignments[kind] for kind in type(<object>self).__mro__ if kind in assignments)
    cdef object shown_key = numpys(<object>key)
    cdef object shown = None if value == NULL else with_numpys_elements(numpys(<object>value))
    return (<objobjargproc>own)(self, <PyObject *>shown_key, NULL if value == NULL else <PyObject *>shown)


def convert_assigned(type kind, /):
    """Make item assignment of a compiled class, whose ``__setitem__`` cannot be replaced, get NumPy's arrays."""
    cdef objobjargproc *place = assignment_of(kind)
    if kind not in assignments:
        assignments[kind] = <size_t>place[0]
        place[0] = assign


@cython.final
cdef class Unbound:
    """A function that, like a C function, does not become a method as an attribute of a class."""

    cdef dict __dict__
    cdef object function

    def __init__(self, function, /):
        self.function = function
        functools.update_wrapper(self, function)
        self.__wrapped__ = function.__wrapped__

    def __call__(self, /, *args, **kwargs):
        return self.function(*args, **kwargs)

    def __get__(self, instance, owner):
        return self

    def __reduce__(self):
        return self.__qualname__  # as functions are pickled


cdef object alias_over(object value, list lent, int depth):
    """Replace an array of cowarray's by NumPy's alias; also those in lists and tuples down to a depth."""
    kind = type(value)
    if kind is ndarray:
        alias = value.to_numpy(writable=value.flags.writeable)
        lent.append((value, alias))
        return alias
    if depth and (kind is list or kind is tuple):
        return kind([alias_over(each, lent, depth - 1) for each in value])
    return value


cdef object given_back(object result, list lent):
    """Return a result with cowarray's arrays in place of the aliases in it."""
    if type(result) is tuple:
        return tuple([given_back(each, lent) for each in result])
    for value, alias in lent:
        if alias is result:
            return value
    return result


def with_lent(function, tuple args, dict kwargs, taken_in=None, /):
    """Call a function with NumPy's arrays over cowarray's.

    Parameters
    ----------
    function : callable
    args : tuple
    kwargs : dict
    taken_in : callable, optional
        Converts the result. An argument that comes back is returned as it was passed.

    Returns
    -------
    object
    """
    cdef list lent = []
    result = function(*[over(value, lent) for value in args], **{key: over(kwargs[key], lent) for key in kwargs})
    for value, array in lent:
        if array is result:
            return value
    return result if taken_in is None else taken_in(result)


cdef object over(object value, list lent):
    if type(value) is not ndarray:
        return value
    array = numpy_asarray(value)
    lent.append((value, array))
    return array


cdef class Lending:
    """A function that notes its name, and calls `__wrapped__` by `with_lent`."""

    def __call__(self, /, *args, **kwargs):
        self._note(self._name)
        return with_lent(self.__wrapped__, args, kwargs, self._taken_in)
