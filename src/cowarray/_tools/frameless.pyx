# cython: freethreading_compatible=True
"""Functions in place of others that leave no frame on the stack: what those run sees its caller as ever."""

import functools

import numpy as np

cimport cython
from cpython.ref cimport Py_DECREF, Py_INCREF

from cowarray._face.ndarray import ndarray

cdef object numpy_asarray = np.asarray


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


def converting(function, convert, /):
    """A function, or a method, like this one, called with what another function makes of each argument."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*[convert(value) for value in args], **{key: convert(kwargs[key]) for key in kwargs})

    return call


def converting_item(method, convert, /):
    """The same of a ``__setitem__``, which may look how often its object is referred to: as often as ever."""
    @functools.wraps(method)
    def call(self, key, value):
        key, value = convert(key), convert(value)
        Py_DECREF(self)  # the caller holds it until this returns
        try:
            return method(self, key, value)
        finally:
            Py_INCREF(self)

    return call


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
