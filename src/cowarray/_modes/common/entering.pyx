# cython: freethreading_compatible=True
"""Context managers whose blocks hold in a context: in the thread or task that entered, and in tasks made there.

A context's variable has the innermost block that was entered there, which knows the one around it. Blocks may end in
any order, as those of generators do: one that ends before a block inside it is passed over from then on. A block that
ends where it was not entered is over in every context, and its end is refused with an error.

Until a block has ended, a copy of its context has it too, and keeps it.

It is compiled: the handler of a signal runs between the bytecodes of Python code, so it never comes in between a block
and its count.
"""

cimport cython

from cowarray._c.python cimport PyObject_Call

from cowarray._native.fork_locks import importing


@cython.final
cdef class Entry:
    """A block that has been entered."""


cdef Entry next_open(Entry entry):
    """The first that is not over, of an entry and those around it."""
    while entry is not None and entry.is_over:
        entry = entry.outer
    return entry


def holding(variable, /):
    """What holds in the blocks of the current context, as a list; innermost first, and each thing once."""
    cdef dict found = {}
    cdef Entry entry = next_open(variable.get())
    while entry is not None:
        found[id(entry.value)] = entry.value  # a block may have been entered again inside itself
        entry = next_open(entry.outer)
    return list(found.values())


def innermost(variable, /):
    """What holds in the innermost block of the current context; None outside of all."""
    cdef Entry entry = next_open(variable.get())
    return None if entry is None else entry.value


cdef class Mode:
    """A context manager and decorator that may be entered again, also in several contexts at once.

    Parameters
    ----------
    name : str
        For errors.
    variable : ContextVar
        Of the innermost `Entry` of a context.
    value : object
        What holds in its blocks.
    counters : tuple of tuple
        Functions, each with further arguments, that count a context in (1) or out (-1).
    blocks : module, optional
        `blocks`, where the variable is that one's. It is not imported here, for it turns on a GIL where there is none.
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
        # With tuples of arguments: to count out needs no memory.
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
            `function` cannot be called; or is a class; or a generator function, whose block would hold for its caller
            too between its steps.
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
            entry.token = self.variable.set(entry) if self.blocks is None else self.blocks.enter(entry)
        except BaseException:
            entry.is_over = True
            self.open.remove(entry)
            if self.variable.get() is entry:  # memory may be short when it has been set already
                self.variable.set(entry.outer)
            raise
        return 0

    def __exit__(self, kind=None, error=None, traceback=None, /):
        # With *exc it would be called with a tuple: where there is no memory for it, the block would stay open.
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
                self.variable.reset(entry.token)
            is_reset = is_innermost
            outer = self.variable.get()
            if is_reset and next_open(outer) is not outer:
                self.variable.set(next_open(outer))  # blocks that ended before this one
        except ValueError:
            is_here = False  # but in a copy of its context
        finally:
            entry.is_over |= not is_reset
            entry.token = None  # which has the entry before: one that stays in its variable keeps no others
            self.open.remove(entry)
            for number in range(len(self.counters) - 1, -1, -1):
                self.count_out(number)
        if not is_here:
            raise RuntimeError(f"{self.name}: the block was entered in another thread or context; it has ended")
