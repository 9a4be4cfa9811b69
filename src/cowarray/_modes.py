"""What a context may ask of writes: to be told of them (`trace`), or that none copies (`no_copy`).

Both live on context variables, so a mode holds for the code that asked for it (and the tasks it starts), not for other
threads. The native layer looks here only while some context uses a mode.
"""

import os
import sys
import threading
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

__all__ = ["CopyError", "Materialization", "no_copy", "trace"]


class CopyError(RuntimeError):
    """A write inside `no_copy` would have had to copy shared bytes first."""


class Materialization(NamedTuple):
    """One array that got bytes of its own because of a write."""

    kind: str  # "copy", "steal" or "overwrite"
    nbytes: int  # copied
    filename: str
    lineno: int

    def __str__(self):
        return f"{self.filename}:{self.lineno}: {self.kind}, {self.nbytes} bytes copied"


_forbidden = ContextVar("cowarray_no_copy", default=False)
_traces = ContextVar("cowarray_traces", default=())

_own = str(Path(__file__).parent) + os.sep


class _Users:
    """Counts the contexts that use a mode, and tells the native layer whether there are any.

    Looks nothing up in this module, whose names are gone when a mode ends with the interpreter.
    """

    def __init__(self):
        self.lock = threading.Lock()
        self.count = 0
        self.tell = None

    def change(self, by):
        """Count a context in (1) or out (-1)."""
        if self.tell is None:
            from cowarray import _native

            self.tell = _native._set_modes_in_use
        with self.lock:
            self.count += by
            self.tell(self.count > 0)


def forbids_copy():
    """Whether the current context is inside `no_copy`."""
    return _forbidden.get()


def _caller():
    """File and line of the innermost frame that is neither ours nor NumPy's."""
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
    traces = _traces.get()
    if traces:
        event = Materialization(kind, nbytes, *_caller())
        for found in traces:
            found.append(event)


class _Mode:
    """A context manager that sets one context variable; each entering has a token of its own."""

    _users = _Users()

    def __init__(self):
        self._tokens = []

    def _enter(self, variable, value):
        self._users.change(1)
        self._tokens.append((variable, variable.set(value)))

    def __exit__(self, *exc):
        variable, token = self._tokens.pop()
        try:
            variable.reset(token)
        finally:
            self._users.change(-1)


class no_copy(_Mode):
    """Context manager in which a write raises `CopyError` instead of copying shared bytes first.

    Steals and whole overwrites, which copy nothing, go through. The array whose write was refused is unchanged. Holds
    for the current context only.

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
        self._enter(_traces, (*_traces.get(), self._events))
        return self

    def __iter__(self):
        return iter(list(self._events))

    def __len__(self):
        return len(self._events)

    def __repr__(self):
        return f"<cowarray.trace of {len(self._events)} materializations>"
