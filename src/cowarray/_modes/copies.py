"""What a context may ask of writes: to be told of them (`trace`), or that none copies (`no_copy`).

Both live on context variables, so a mode holds for the code that asked for it (and the tasks it starts), not for other
threads. The native layer looks here only while some context uses a mode.
"""

import os
import sys
from contextvars import ContextVar
from typing import NamedTuple

from cowarray._native.errors import CopyError
from cowarray._native.storage import count_modes, set_modes

__all__ = ["CopyError", "Materialization", "no_copy", "trace"]


class Materialization(NamedTuple):
    """One array that got bytes of its own because of a write: what `trace` collects.

    Parameters
    ----------
    kind : {'copy', 'steal', 'overwrite'}
        Whether shared bytes were copied first, kept by the last sharer, or all of them replaced.
    nbytes : int
        Bytes that were copied.
    filename : str
        The file of the line that wrote.
    lineno : int
        Its number.
    """

    kind: str
    nbytes: int
    filename: str
    lineno: int

    def __str__(self):
        return f"{self.filename}:{self.lineno}: {self.kind}, {self.nbytes} bytes copied"


# Each holds what was entered, outermost first, as lists of one item. The item is removed where the variable cannot be
# reset, because memory has run out or the block ends in another context than it began in.
_forbidden = ContextVar("cowarray_no_copy", default=())
_traces = ContextVar("cowarray_traces", default=())

_own = os.path.dirname(os.path.dirname(__file__)) + os.sep  # pathlib would be a tenth of the time that the import takes


def forbids_copy():
    """Whether the current context is inside `no_copy`."""
    return any(_forbidden.get())


def _caller():
    """File and line of the innermost frame outside this library and NumPy."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        module = frame.f_globals.get("__name__", "")
        if not name.startswith(_own) and module.partition(".")[0] != "numpy":
            return name, frame.f_lineno
        frame = frame.f_back
    return "<unknown>", 0


def report(kind, nbytes):
    """Tell the current context's traces of a materialization."""
    traces = [events for entered in _traces.get() for events in entered]
    if traces:
        event = Materialization(kind, nbytes, *_caller())
        for events in traces:
            events.append(event)


class _Mode:
    """A context manager that adds to one context variable; each entering has an item of its own."""

    # Counts a context in (1) or out (-1), and returns how many there are. Not a name of the module: those are gone when
    # a mode ends with the interpreter.
    _count_users = staticmethod(count_modes)

    def __init__(self):
        self._entered = []

    def _enter(self, variable, value):
        entered = [value]
        record = [variable, entered, None]
        self._entered.append(record)
        self._count_users(1)
        try:
            record[2] = variable.set((*filter(None, variable.get()), entered))
        except BaseException:
            entered.clear()
            self._entered.remove(record)
            self._count_users(-1)
            raise

    def __exit__(self, *exc):
        variable, entered, token = self._entered.pop()
        try:
            variable.reset(token)
        except (MemoryError, ValueError):
            entered.clear()  # over in every context that has it, also in one that cannot be reached from here
            raise
        finally:
            self._count_users(-1)


class no_copy(_Mode):
    """Context manager in which a write raises `CopyError` instead of copying shared bytes first.

    Steals and whole overwrites, which copy nothing, go through. The array whose write was refused is unchanged. Holds
    for the current context only.

    See Also
    --------
    explain : Says beforehand what a write would copy.
    trace : Tells of copies and lets them happen.

    Examples
    --------
    >>> import numpy as np, cowarray
    >>> x = cowarray.array(np.zeros(3))
    >>> y = x.copy()
    >>> with cowarray.no_copy():
    ...     y[0] = 1
    Traceback (most recent call last):
        ...
    cowarray.CopyError: no_copy: this write would copy 24 bytes, because 2 Storages share them; ...
    """

    def __enter__(self):
        self._enter(_forbidden, True)
        return self


class trace(_Mode):
    """Context manager that collects each materialization of the current context, with its file and line.

    Iterate over it, inside or after the block, for `Materialization` tuples ``(kind, nbytes, filename, lineno)``.

    See Also
    --------
    no_copy : Refuses copies.
    stats : Counts copies in the whole process.

    Examples
    --------
    >>> import numpy as np, cowarray
    >>> x = cowarray.array(np.zeros(1000))
    >>> y = x.copy()
    >>> with cowarray.trace() as seen:
    ...     y[0] = 1
    >>> [(event.kind, event.nbytes) for event in seen]
    [('copy', 8000)]
    """

    def __init__(self):
        super().__init__()
        self._events = []

    def __enter__(self):
        self._enter(_traces, self._events)
        return self

    def __iter__(self):
        return iter(list(self._events))

    def __len__(self):
        return len(self._events)

    def __repr__(self):
        return f"<cowarray.trace of {len(self._events)} materializations>"


set_modes(sys.modules[__name__])
