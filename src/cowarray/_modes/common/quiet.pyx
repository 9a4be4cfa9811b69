"""Warnings of what is only looked at, or done once more: nobody is told of them, for the operation itself tells.

NumPy warns through Python's `warnings`, whose filters belong to the whole process. To set and reset them would change
what other threads are told, and would have each line warn anew. So while any thread is not to be heard, one filter
stands in front, and asks whether the thread that warns is such a one. Others read the filters, and give them to other
processes: this one has nothing in it but a category of warnings.
"""

import warnings

from cowarray._modes.common.thread cimport this_thread, Thread

# Python 3.14 can have filters of a context in front of those of the process.
cdef object filters_now = getattr(warnings, "_get_filters", None)

cdef int hushes = 0  # of all threads, under way
cdef object placed = None  # the list in which the filter was put last


class OfHushedThreads(type):
    """Of a category to which all warnings belong, in a thread that is not to be heard."""

    def __subclasscheck__(cls, category):
        return this_thread().hushed > 0


class Hushed(Warning, metaclass=OfHushedThreads):
    """A warning in a thread that is not to be heard."""


cdef tuple silent = ("ignore", None, Hushed, None, 0)


cdef int take_out(object filters) except -1:
    cdef Py_ssize_t i
    for i in range(len(filters) - 1, -1, -1):
        if filters[i] is silent:
            del filters[i]
    return 0


cdef int hush(Thread thread) except -1:
    """Have warnings of this thread ignored, until `unhush`."""
    global hushes, placed
    filters = warnings.filters if filters_now is None else filters_now()
    if not filters or filters[0] is not silent:
        # Somebody has put another one in front, or another list in its place.
        take_out(filters)
        filters.insert(0, silent)
        if placed is not None and placed is not filters:
            take_out(placed)
        placed = filters
    hushes += 1
    thread.hushed += 1
    return 0


cdef void unhush(Thread thread) noexcept:
    global hushes, placed
    thread.hushed -= 1
    hushes -= 1
    if hushes:
        return
    filters = warnings.filters if filters_now is None else filters_now()
    take_out(filters)
    if placed is not None and placed is not filters:
        take_out(placed)
    placed = None
