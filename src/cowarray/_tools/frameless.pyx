# cython: freethreading_compatible=True
"""Functions in place of others that leave no frame on the stack: what those run sees its caller as ever."""

import functools

cimport cython


@cython.final
cdef class Followed:
    """Calls a function, and has another one give the result once it has returned."""

    cdef dict __dict__
    cdef object function, then

    def __init__(self, function, then, /):
        self.function = function
        self.then = then
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        return self.then(self.function(*args, **kwargs), *args, **kwargs)

    def __reduce__(self):
        return self.__qualname__  # as functions are pickled
