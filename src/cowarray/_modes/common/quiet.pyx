"""Warnings of what is only looked at, or done once more: nobody is told of them, for the operation itself tells.

NumPy warns through Python's `warnings`, whose filters belong to the whole process. To set and reset them would change
what other threads are told, and would have each line warn anew. So while any thread is not to be heard, one filter
stands in front, and asks whether the thread that warns is such a one. It stands in a list of our own in the program's
place, for who is being told something goes through the list by its places, and runs Python code: a filter taken out
meanwhile would have it miss the next. Others read the filters, and give them to other processes: this one has nothing
in it but a category of warnings.
"""

import warnings

from cowarray._modes.common.thread cimport this_thread, Thread

# Python 3.14 can have filters of a context in front of those of the process.
cdef object context_now = getattr(warnings, "_get_context", None)

cdef int hushes = 0  # of all threads, under way
# The list with the filter in front that was put last, and the one in whose place: both stay, for Python goes through a
# list that it does not own.
cdef object ours = None
cdef object theirs = None


class OfHushedThreads(type):
    """Of a category to which all warnings belong, in a thread that is not to be heard."""

    def __subclasscheck__(cls, category):
        return this_thread().hushed > 0


class Hushed(Warning, metaclass=OfHushedThreads):
    """A warning in a thread that is not to be heard."""


cdef tuple silent = ("ignore", None, Hushed, None, 0)


cdef object filters_now():
    return warnings.filters if context_now is None else context_now()._filters


cdef int put(object filters) except -1:
    if context_now is None or filters_now() is warnings.filters:
        warnings.filters = filters
    else:
        context_now()._filters = filters
    return 0


cdef list without(object filters):
    return [each for each in filters if each is not silent]


cdef bint is_silent_before(list filters, object others) noexcept:
    """Whether filters are the silent one and the others, in their order. Without an allocation, that could fail."""
    cdef Py_ssize_t i
    if type(others) is not list or len(filters) != len(<list>others) + 1:
        return False
    for i in range(1, len(filters)):
        if filters[i] is not (<list>others)[i - 1]:
            return False
    return True


cdef int hush(Thread thread) except -1:
    """Have warnings of this thread ignored, until `unhush`."""
    global hushes, ours, theirs
    filters = filters_now()
    while not filters or filters[0] is not silent:
        # Also when somebody has put another one in front, or another list in its place.
        if filters is not theirs or not is_silent_before(ours, theirs):
            made = [silent, *without(filters)]
            if filters_now() is not filters:  # a collection has run others' code
                filters = filters_now()
                continue
            theirs, ours = filters, made
        put(ours)
        filters = filters_now()
    hushes += 1
    thread.hushed += 1
    return 0


cdef void unhush(Thread thread) noexcept:
    global hushes
    thread.hushed -= 1
    hushes -= 1
    if hushes:
        return
    filters = filters_now()
    if filters is ours and is_silent_before(ours, theirs):
        put(theirs)
    elif silent in filters:
        put(without(filters))
