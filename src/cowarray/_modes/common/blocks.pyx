"""The block in force: that of the context, or another one while a thread runs an operation.

A context variable is set only where a block is entered, never by an operation.
"""

from contextvars import ContextVar

from cpython.contextvars cimport get_value

from cowarray._c.variables cimport reset_variable, set_variable
from cowarray._modes.common.entering cimport Entry, next_open
from cowarray._modes.common.thread cimport Instead, this_thread, Thread

from cowarray._ops.operands import watch_births

# The innermost `Entry` of a context.
variable = ContextVar("cowarray_block", default=None)
cdef object block_variable = variable
cdef object of_the_context = object()


cpdef object current():
    """Return the block in force, or None."""
    return current_in(this_thread())


cdef object current_in(Thread thread):
    cdef Entry entry
    while thread.instead is not None and thread.instead.is_over:
        thread.instead = thread.instead.before
    if thread.instead is not None and thread.instead.block is not of_the_context:
        return thread.instead.block
    entry = next_open(get_value(block_variable))
    return None if entry is None else entry.value


cdef Instead put_in(Thread thread, object block):
    cdef Instead instead = Instead.__new__(Instead)
    instead.block = block
    instead.before = thread.instead
    thread.instead = instead
    return instead


cdef void take_out(Thread thread, Instead instead) noexcept:
    """Take a block out. One that was put in later and is not over stays in force: it was entered inside."""
    instead.is_over = True
    if thread.instead is instead:
        thread.instead = instead.before


cpdef object call_in(object block, object function, tuple args, dict kwargs, bint bearing=False):
    """Call a function for an operation, with a block in force in this thread in place of the context's.

    Parameters
    ----------
    block : object
        None for no block.
    function : callable
    args : tuple
    kwargs : dict
    bearing : bool, default False
        Whether all operations are dispatched meanwhile, whatever their arguments.

    Returns
    -------
    object
        The function's result.
    """
    cdef Thread thread = this_thread()
    cdef Instead instead = put_in(thread, block)
    try:
        if bearing:
            watch_births(1)
        try:
            result = function(*args, **kwargs)
        finally:
            if bearing:
                watch_births(-1)
    finally:
        take_out(thread, instead)
    return result


def enter(entry, /):
    """Put a block in force in this context, by its `Entry`.

    Returns
    -------
    list
        For `leave`.
    """
    cdef Thread thread = this_thread()
    cdef Instead instead = None
    entered = [None, None]  # allocated before the block is in force
    current_in(thread)
    if thread.instead is not None:
        instead = put_in(thread, of_the_context)
    try:
        entered[0] = set_variable(block_variable, entry)
    except BaseException:
        if instead is not None:
            take_out(thread, instead)
        raise
    entered[1] = instead
    return entered


def leave(list entered not None, bint is_innermost, /):
    """End a block in this context; if it is the innermost, restore the block before it."""
    token, instead = entered
    if instead is not None:
        take_out(this_thread(), <Instead?>instead)
    if is_innermost:
        reset_variable(block_variable, token)
