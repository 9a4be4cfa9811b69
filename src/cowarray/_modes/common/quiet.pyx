"""Suppress warnings of operations that are only rehearsed or repeated: the operation itself warns.

NumPy warns through Python's `warnings`, whose filters belong to the whole process. Setting and resetting them would
change the warnings of other threads, and make each line warn again. So while any thread is hushed, one filter stands
first, which matches only warnings of hushed threads. It stands in a new list that replaces the program's, because
`warnings` walks the list by index and runs Python code on the way: removing a filter meanwhile would make it skip the
next. Others read the filters and pass them to other processes, so this one contains nothing but a category of warnings.
"""

import warnings

from cowarray._modes.common.thread cimport this_thread, Thread

# Python 3.14 can have filters of a context, ahead of those of the process.
cdef object context_now = getattr(warnings, "_get_context", None)

cdef int hushes = 0  # of all threads, now
# The last list installed with the filter first, and the list it replaced. Both stay alive: Python walks a list that it
# does not own.
cdef object ours = None
cdef object theirs = None


class OfHushedThreads(type):
    """The type of a category that includes every warning of a hushed thread."""

    def __subclasscheck__(cls, category):
        return this_thread().hushed > 0


class Hushed(Warning, metaclass=OfHushedThreads):
    """A warning in a hushed thread."""


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
    """True if `filters` is the silent filter followed by `others`. Allocates nothing, so it cannot fail."""
    cdef Py_ssize_t i
    if type(others) is not list or len(filters) != len(<list>others) + 1:
        return False
    for i in range(1, len(filters)):
        if filters[i] is not (<list>others)[i - 1]:
            return False
    return True


cdef int hush(Thread thread) except -1:
    """Ignore warnings of this thread until `unhush`."""
    global hushes, ours, theirs
    filters = filters_now()
    while not filters or filters[0] is not silent:
        # Again if other code has put a filter first, or replaced the list.
        if filters is not theirs or not is_silent_before(ours, theirs):
            made = [silent, *without(filters)]
            if filters_now() is not filters:  # a garbage collection ran other code
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
