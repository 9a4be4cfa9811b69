# cython: freethreading_compatible=True
"""Context managers whose blocks are in force in a context: in the thread or task that entered, and in tasks made there.

A context variable holds the innermost block entered there, which links to the one around it. Blocks may end in any
order, as those of generators do: a block that ends before one inside it is skipped from then on. Ending a mode's only
open block where it was not entered ends it in every context, and raises.

A copy of a context made before the block has ended keeps the block.

This module is compiled: signal handlers run between bytecodes of Python code, so none can run between the entering of
a block and its count.
"""

cimport cython

from cowarray._c.python cimport PyObject_Call
from cowarray._c.variables cimport reset_variable, set_variable

from cowarray._native.fork_locks import importing


@cython.final
cdef class Entry:
    """A block that has been entered."""


cdef Entry next_open(Entry entry):
    """Return the first entry that is not over: this one or one around it."""
    while entry is not None and entry.is_over:
        entry = entry.outer
    return entry


def holding(variable, /):
    """Return the values of the current context's open blocks as a list: innermost first, each once."""
    cdef dict found = {}
    cdef Entry entry = next_open(variable.get())
    while entry is not None:
        found[id(entry.value)] = entry.value  # a block may have been entered again inside itself
        entry = next_open(entry.outer)
    return list(found.values())


def innermost(variable, /):
    """Return the value of the current context's innermost block; None outside all blocks."""
    cdef Entry entry = next_open(variable.get())
    return None if entry is None else entry.value


cdef class Mode:
    """A reentrant context manager and decorator, which several contexts may enter at once.

    Parameters
    ----------
    name : str
        For errors.
    variable : ContextVar
        Holds the innermost `Entry` of a context.
    value : object
        The value in force inside its blocks.
    counters : tuple of tuple
        Functions, each with further arguments, that count a context in (1) or out (-1).
    blocks : module, optional
        The module `blocks`, if it owns the variable. Importing it here would turn on the GIL where there is none.
    """

    def __cinit__(self, *args, **kwargs):
        if args and callable(args[0]):
            name = type(self).__name__
            raise TypeError(
                f"{name}: a function is decorated by an instance, not by the class (got {args[0]!r}); "
                f"write @cowarray.{name}()"
            )

    def __init__(self, str name not None, variable, value, tuple counters not None, blocks=None):
        self.name = name
        self.variable = variable
        self.value = value
        # The tuples of arguments are made in advance, so counting out allocates nothing.
        self.counters = tuple([(function, (1, *rest), (-1, *rest)) for function, *rest in counters])
        self.blocks = blocks
        self.open = []

    def __enter__(self):
        cdef Entry entry
        cdef Py_ssize_t counted = 0
        try:
            entry = Entry.__new__(Entry)
            entry.value = self.value
            entry.outer = next_open(self.variable.get())
            while counted < len(self.counters):
                self.count_in(counted)
                counted += 1
            self.put(entry)
        except BaseException:
            while counted:
                counted -= 1
                self.count_out(counted)
            raise
        return self

    def __call__(self, function, /):
        """Wrap a function, or a coroutine function, so that each call is a block.

        Parameters
        ----------
        function : callable

        Returns
        -------
        callable

        Raises
        ------
        TypeError
            `function` is not callable, is a class, or is a generator function, whose block would stay in force for the
            caller between its steps.
        """
        importing.acquire()
        try:
            from cowarray._modes.common.decorating import in_blocks  # not at the top: the import stays quick
        finally:
            importing.release()
        return in_blocks(self, self.name, function)

    def __repr__(self):
        return f"<cowarray.{self.name}>"

    cdef int count_in(self, Py_ssize_t number) except -1:
        PyObject_Call(self.counters[number][0], self.counters[number][1], NULL)
        return 0

    cdef int count_out(self, Py_ssize_t number) except -1:
        PyObject_Call(self.counters[number][0], self.counters[number][2], NULL)
        return 0

    cdef int put(self, Entry entry) except -1:
        self.open.append(entry)
        try:
            entry.token = set_variable(self.variable, entry) if self.blocks is None else self.blocks.enter(entry)
        except BaseException:
            entry.is_over = True
            self.open.remove(entry)
            if self.variable.get() is entry:  # memory may run out after it has been set
                set_variable(self.variable, entry.outer)
            raise
        return 0

    def __exit__(self, kind=None, error=None, traceback=None, /):
        # *exc would need a tuple for each call: if that could not be allocated, the block would stay open.
        cdef Entry entry = next_open(self.variable.get()), outer
        cdef bint is_here, is_innermost, is_reset = False
        cdef Py_ssize_t number
        while entry is not None and entry not in self.open:
            entry = next_open(entry.outer)
        is_here = entry is not None
        if not is_here:
            if not self.open:
                raise RuntimeError(f"{self.name}: it has no open block")
            if len(self.open) > 1:
                raise RuntimeError(
                    f"{self.name}: its blocks were entered in other threads or contexts; none of them has ended"
                )
            entry = <Entry>self.open[0]
        is_innermost = self.variable.get() is entry
        try:
            if self.blocks is not None:
                self.blocks.leave(entry.token, is_innermost)
            elif is_innermost:
                reset_variable(self.variable, entry.token)
            is_reset = is_innermost
            outer = self.variable.get()
            if is_reset and next_open(outer) is not outer:
                set_variable(self.variable, next_open(outer))  # skip blocks that ended before this one
        except ValueError:
            is_here = False  # this is a copy of the context that entered
        finally:
            entry.is_over |= not is_reset
            entry.token = None  # it refers to the previous entry: an entry left in its variable keeps no others alive
            self.open.remove(entry)
            for number in range(len(self.counters) - 1, -1, -1):
                self.count_out(number)
        if not is_here:
            raise RuntimeError(f"{self.name}: the block was entered in another thread or context; it has ended")
