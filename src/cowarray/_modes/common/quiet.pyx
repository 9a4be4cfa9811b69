"""Warnings of what is only looked at, or done once more: nobody is told of them, for the operation itself tells.

NumPy warns through Python's `warnings`, whose filters belong to the whole process. To set and reset them would change
what other threads are told, and would have each line warn anew. So one filter stands in front for good, and asks
whether the thread that warns is one that is not to be heard.
"""

import warnings

cimport cython

from cowarray._modes.common.thread cimport this_thread, Thread

# Python 3.14 can have filters of a context in front of those of the process.
cdef object filters_now = getattr(warnings, "_get_filters", None)


@cython.final
cdef class Silence:
    """Stands in a filter where others have a pattern for the text of warnings."""

    def match(self, text, /):
        """Whether the thread that warns is not to be heard."""
        return this_thread().hushed > 0


cdef tuple silent = ("ignore", Silence(), Warning, None, 0)


cdef int hush(Thread thread) except -1:
    """Have warnings of this thread ignored, until `unhush`."""
    filters = warnings.filters if filters_now is None else filters_now()
    if not filters or filters[0] is not silent:
        # Somebody has put another one in front.
        if silent in filters:
            filters.remove(silent)
        filters.insert(0, silent)
    thread.hushed += 1
    return 0


cdef void unhush(Thread thread) noexcept:
    thread.hushed -= 1
