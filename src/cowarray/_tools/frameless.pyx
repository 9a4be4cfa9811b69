# cython: freethreading_compatible=True
"""Functions in place of others that leave no frame on the stack: what those run sees its caller as ever."""

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
    """Calls a function, and has another one give the result once it has returned.

    first: rewrites the positional arguments.
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


# How deep lists, tuples and dicts are looked into; one that contains itself has no end.
cdef enum:
    DEPTH = 16


def numpys(value, /):
    """NumPy's array in place of one of ours, and of those in lists, tuples and dicts.

    It is a snapshot, or an alias in `aliasing`.
    """
    return shown(value, False, DEPTH)


def numpys_alone(value, /):
    """The same of an array, and not of those in a list."""
    return numpy_asarray(value) if type(value) is ndarray else value


def numpys_in_own_order(value, /):
    """The same as `numpys`, in the order of bytes that this machine has."""
    return shown(value, True, DEPTH)


cdef object shown(object value, bint native, int depth):
    """A value with NumPy's arrays for ours; itself if it has none."""
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
    """NumPy's alias of an array; an error if the array is read-only."""
    return value.to_numpy(writable=True) if type(value) is ndarray else value


def converting(function, convert=numpys, /):
    """A function, or a method, like this one, called with what another function makes of each argument."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*[convert(value) for value in args], **{key: convert(kwargs[key]) for key in kwargs})

    return call


def converting_item(method, /):
    """The same of a ``__setitem__``, which may look how often its object is referred to: as often as ever."""
    @functools.wraps(method)
    def call(self, key, value):
        key, value = numpys(key), numpys(value)
        Py_DECREF(self)  # the caller holds it until this returns
        try:
            return method(self, key, value)
        finally:
            Py_INCREF(self)

    return call


def lending_aliases(function, /):
    """A function like this one, for which NumPy's arrays stand for ours: what it writes it writes to ours."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        cdef list lent = []
        shown = [alias_over(value, lent, 3) for value in args]
        named = {key: alias_over(kwargs[key], lent, 3) for key in kwargs}
        if not lent:  # a list may be kept, as the parameter of a callback
            return function(*args, **kwargs)
        return given_back(function(*shown, **named), lent)

    return call


def lending_written(function, places, /):
    """A function like this one, for which NumPy's aliases stand for those of our arrays that it writes.

    places: the positions of those parameters, by their names.
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
    """An array, with NumPy's arrays in place of those of ours that are its elements: netCDF4 takes each for NumPy's."""
    cdef object made = None
    if isinstance(value, numpy_ndarray) and value.dtype.hasobject:
        for place, each in numpy_ndenumerate(value):
            if type(each) is ndarray:
                if made is None:
                    made = value.copy()
                numpy_asarray(made)[place] = numpy_asarray(each)  # of a masked array, which keeps its mask
    return value if made is None else made


cdef dict assignments = {}  # by type: where its own way of assigning items lies, in place of which `assign` stands


cdef int assign(PyObject *self, PyObject *key, PyObject *value) except -1:
    """Assign to items, or delete them (value: NULL), with NumPy's arrays in place of ours."""
    cdef size_t own = next(assignments[kind] for kind in type(<object>self).__mro__ if kind in assignments)
    cdef object shown_key = numpys(<object>key)
    cdef object shown = None if value == NULL else with_numpys_elements(numpys(<object>value))
    return (<objobjargproc>own)(self, <PyObject *>shown_key, NULL if value == NULL else <PyObject *>shown)


def convert_assigned(type kind, /):
    """Have a compiled class, which takes no other ``__setitem__``, be assigned NumPy's arrays in place of ours."""
    cdef objobjargproc *place = assignment_of(kind)
    if kind not in assignments:
        assignments[kind] = <size_t>place[0]
        place[0] = assign


@cython.final
cdef class Unbound:
    """A function that is no method where it is an attribute of a class, as functions of C are none."""

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
    """NumPy's alias in place of one of ours, and of those in lists and tuples down to a depth."""
    kind = type(value)
    if kind is ndarray:
        alias = value.to_numpy(writable=value.flags.writeable)
        lent.append((value, alias))
        return alias
    if depth and (kind is list or kind is tuple):
        return kind([alias_over(each, lent, depth - 1) for each in value])
    return value


cdef object given_back(object result, list lent):
    """A result, with ours in place of the aliases that it has."""
    if type(result) is tuple:
        return tuple([given_back(each, lent) for each in result])
    for value, alias in lent:
        if alias is result:
            return value
    return result


def with_lent(function, tuple args, dict kwargs, taken_in=None, /):
    """Call a function with NumPy's arrays over ours.

    Parameters
    ----------
    function : callable
    args : tuple
    kwargs : dict
    taken_in : callable, optional
        What becomes of the result. An argument that comes back is the argument.

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
    """Calls `__wrapped__` by `with_lent`, once it has noted the name."""

    def __call__(self, /, *args, **kwargs):
        self._note(self._name)
        return with_lent(self.__wrapped__, args, kwargs, self._taken_in)
