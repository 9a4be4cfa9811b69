"""Warnings of what is only looked at, or done once more: nobody is told of them, for the operation itself tells.

NumPy warns through Python's `warnings`, whose filters belong to the whole process. To set and reset them would change
what other threads are told, and would have each line warn anew. So one filter stands in front for good, and asks
whether the thread that warns is one that is not to be heard.
"""

import warnings

cimport cython

from cowarray._c.frames cimport get_current, set_current

# Python 3.14 can have filters of a context in front of those of the process.
cdef object filters_now = getattr(warnings, "_get_filters", None)


@cython.final
cdef class Silence:
    """Stands in a filter where others have a pattern for the text of warnings."""

    def match(self, text, /):
        """Whether the thread that warns is not to be heard."""
        return get_current() != NULL


cdef tuple silent = ("ignore", Silence(), Warning, None, 0)


cdef void *hush() except? NULL:
    """Have warnings of this thread ignored. Returns what `unhush` takes."""
    cdef void *before = get_current()
    filters = warnings.filters if filters_now is None else filters_now()
    if not filters or filters[0] is not silent:
        # Somebody has put another one in front.
        if silent in filters:
            filters.remove(silent)
        filters.insert(0, silent)
    set_current(<void *>silent)
    return before


cdef void unhush(void *before) noexcept:
    set_current(before)
