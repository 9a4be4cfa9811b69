"""Which block holds: that of the context, or another, for as long as an operation is done in a thread.

A context's variable is set where a block is entered, and nowhere else: an operation sets none. The collector may run
inside a variable's setting, and a finalizer that sets another one there ends some versions of Python.
"""

from contextvars import ContextVar

cimport cython

from cowarray._c.frames cimport get_current, set_current

cdef object variable = ContextVar("cowarray_block", default=None)
cdef object of_the_context = object()


@cython.final
cdef class Instead:
    """A block that holds in a thread in place of the context's, until `put_back`."""

    cdef object block
    cdef void *before


cpdef object current():
    """The block that holds: None where none does."""
    if get_current() != NULL:
        block = (<Instead>get_current()).block
        if block is not of_the_context:
            return block
    return variable.get()


def put_in(block, /):
    """Have a block hold in this thread, in place of the context's, for as long as an operation is done.

    Returns
    -------
    Instead
        To be kept, and given to `put_back`.
    """
    cdef Instead made = Instead.__new__(Instead)
    made.block = block
    made.before = get_current()
    set_current(<void *>made)
    return made


def put_back(Instead made not None, /):
    """Have hold what held before, if nobody else has put in another since."""
    if get_current() == <void *>made:
        set_current(made.before)


def enter(block, /):
    """Have a block hold in this context.

    Returns
    -------
    list
        For `leave`.
    """
    made = None
    entered = [None, None]  # which needs no memory once the block holds
    if get_current() != NULL:
        made = put_in(of_the_context)
    try:
        entered[0] = variable.set(block)
    except BaseException:
        if made is not None:
            put_back(made)
        raise
    entered[1] = made
    return entered


def leave(list entered not None, /):
    """Have hold in this context what held before a block was entered."""
    token, made = entered
    if made is not None:
        put_back(made)
    variable.reset(token)
