# cython: freethreading_compatible=True
"""Whether copies in meaning are aliases in the current context: inside a block, or in the whole process.

The value of an `aliasing` block is None; that of a `simulate` block is its `Run`.
"""

from contextvars import ContextVar

from cpython.contextvars cimport get_value

from cowarray._array.copies cimport set_alias_question
from cowarray._c.atomics cimport add, relaxed
from cowarray._modes.common.entering cimport Entry, next_open

from cowarray._array.copies import alias_copies

# The innermost `Entry` of a context.
variable = ContextVar("cowarray_aliasing", default=None)
cdef object block_variable = variable
cdef int started = 0


cdef bint aliases_here() except -1:
    return relaxed(&started) != 0 or next_open(<Entry>get_value(block_variable)) is not None


set_alias_question(aliases_here)


cdef object block_here():
    """Return the value of the current context's innermost block whose value is not None; else None."""
    cdef Entry entry = next_open(<Entry>get_value(block_variable))
    while entry is not None and entry.value is None:
        entry = next_open(entry.outer)
    return None if entry is None else entry.value


def alias_everywhere(int change, /):
    """Start (1) or stop (-1) aliasing in every context and thread.

    Parameters
    ----------
    change : {1, -1}

    Raises
    ------
    RuntimeError
        It was stopped more often than started.
    """
    if add(&started, change) < 0:
        add(&started, 1)
        raise RuntimeError("aliasing.stop: it has not been started, or has been stopped already")
    alias_copies(change)
