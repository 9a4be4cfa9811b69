"""`trace` and `no_copy`: modes in which a context observes copies, or forbids them.

Both live on context variables, so a mode applies to the code that entered it and the tasks it starts, not to other
threads. The native layer calls this module only while some context uses a mode.
"""

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import FrameType
from typing import Any, NamedTuple
from weakref import ref

from cowarray._modes.common.entering import Entry, Mode, holding
from cowarray._native.errors import CopyError
from cowarray._native.public import public
from cowarray._native.storage import Storage, Unread, count_modes, set_modes, share_allocation

__all__ = ["CopyError", "Sharer", "TraceEvent", "no_copy", "trace"]


@public
class TraceEvent(NamedTuple):
    """What happened to an array's bytes at a line, as collected by `trace`.

    Parameters
    ----------
    kind : {'copy', 'pages', 'steal', 'overwrite', 'eager', 'lost write'}
        In this order: a write to shared bytes that copied them first; one that copies the pages it touches (`paging`);
        one that kept them as the last sharer; one that replaced them all; a copy made at once; and a write to a lazy
        copy that was dropped before anybody read it. Later versions may add kinds.
    nbytes : int
        Bytes that were copied; 0 for a lost write, whose copy is in the event before it.
    reason : str
        Why.
    filename : str
        The file of the line that wrote or copied.
    lineno : int
        The line number.
    """

    kind: str
    nbytes: int
    reason: str
    filename: str
    lineno: int

    def __str__(self) -> Any:
        return f"{self.filename}:{self.lineno}: {self.kind}, {self.nbytes} bytes copied: {self.reason}"


@public
class Sharer(NamedTuple):
    """The line that made a Storage sharing an allocation, as named by `explain`.

    Parameters
    ----------
    kind : {'lazy copy', 'snapshot'}
    filename : str
        The file of the line that copied.
    lineno : int
        The line number.
    """

    kind: str
    filename: str
    lineno: int

    def __str__(self) -> Any:
        return f"a {self.kind}, made at {self.filename}:{self.lineno}"


_forbidden: ContextVar[Entry | None] = ContextVar("cowarray_no_copy", default=None)
_traces: ContextVar[Entry | None] = ContextVar("cowarray_traces", default=None)

# By id, for each Storage made inside a `trace` to share bytes: a weak reference and its `Sharer`. The references have
# no callback, so nothing runs when a Storage ends. Dead entries are removed when the dict has doubled.
_born: dict[int, Any] = {}
_most_born = 64

# Not pathlib: it would take a tenth of the import's time.
_own = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep


UNREAD = "a lazy copy was written, and dropped before anybody read it"


def forbids_copy() -> bool:
    """True if the current context is inside `no_copy`."""
    return bool(holding(_forbidden))


def forbids_eager() -> bool:
    """True if the current context is inside `no_copy(eager=True)`."""
    return any(holding(_forbidden))


def _caller() -> tuple[str, int]:
    """Return file and line of the innermost frame outside this library, NumPy and the module `copy`."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        module = frame.f_globals.get("__name__", "")
        if not name.startswith(_own) and module.partition(".")[0] not in ("numpy", "copy"):
            return name, frame.f_lineno
        frame = frame.f_back
    return "<unknown>", 0


def report(kind: str, nbytes: int, reason: str, unread: Unread | None = None) -> None:
    """Record an event in the current context's traces, and `unread`, a write that nobody has read yet."""
    traces = holding(_traces)
    if traces:
        event = TraceEvent(kind, nbytes, reason, *_caller())
        if unread is not None:
            unread.event = event._replace(kind="lost write", nbytes=0, reason=UNREAD)
        for events in traces:
            events.append(event)
            if unread is not None:
                events.append(unread)


def born(kind: str, storage: Storage) -> None:
    """Inside a `trace`, record the line that made a Storage sharing an allocation."""
    global _most_born
    traces = holding(_traces)
    if traces:
        if kind == "lazy copy":
            for events in traces:
                events.lazy_copies += 1
                events.lazy_nbytes += storage.nbytes
        if len(_born) >= _most_born:
            _living()
            _most_born = 2 * len(_born) + 64
        _born.pop(id(storage), None)  # a dead entry with the same id: the new one must come last
        _born[id(storage)] = (ref(storage), Sharer(kind, *_caller()))


def _living() -> Any:
    """Return the living Storages whose birth was recorded, each with its `Sharer`; remove dead entries."""
    living = []
    for key, (reference, sharer) in _born.copy().items():  # making a list of items may run the collector halfway
        storage = reference()
        if storage is None:
            _born.pop(key, None)
        else:
            living.append((storage, sharer))
    return living


def known_sharers(storage: Storage) -> tuple[Sharer, ...]:
    """Return the recorded births of the other Storages that share a Storage's allocation; oldest first."""
    found = []
    if _born:
        for other, sharer in _living():
            if other is not storage and share_allocation(storage, other):
                found.append(sharer)
    return tuple(found)


@public
class no_copy(Mode):
    """Context manager and decorator in which a write raises `CopyError` instead of copying shared bytes first.

    Steals and whole overwrites copy nothing and are allowed. An array whose write was refused is unchanged. The block
    applies to the current context only.

    Parameters
    ----------
    eager : bool, default False
        Whether to refuse eager copies as well: of small parts, of pinned arrays, in another memory layout, of foreign
        memory. (`explain` lists the reasons.) Results that NumPy computes do not count as copies.

    Raises
    ------
    TypeError
        `eager` is not a bool.

    See Also
    --------
    explain : Tells beforehand what a write would copy.
    trace : Records copies and lets them happen.

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

    def __init__(self, *, eager: bool = False) -> None:
        if type(eager) is not bool:
            raise TypeError(f"no_copy: eager must be True or False (got {eager!r})")
        super().__init__("no_copy", _forbidden, eager, ((count_modes,),))


class _Events(list[Any]):
    """The events of a trace, and counts of its lazy copies."""

    lazy_copies = 0
    lazy_nbytes = 0


def _as_a_mode(initialize: Callable[["trace"], None]) -> Callable[["trace"], None]:
    """Raise an error for arguments that tells callers of NumPy's `trace` what to call."""

    @functools.wraps(initialize)
    def initialized(self: "trace", *args: object, **kwargs: object) -> None:
        if args or kwargs:
            raise TypeError(
                "trace: takes no arguments, as `cowarray.trace()` collects copies; "
                "for NumPy's function, call x.trace() or cowarray.linalg.trace(x)"
            )
        initialize(self)

    return initialized


@public
class trace(Mode):
    """Context manager and decorator that collects its context's copies and writes to shared bytes, with their lines.

    Iterate over it, inside or after the block, for `TraceEvent` tuples ``(kind, nbytes, reason, filename, lineno)``.
    Their bytes add up to the bytes that `stats` counts as copied. Lazy copies and snapshots made in the block record
    their lines, and `explain` names them.

    `lazy_copies` and `lazy_nbytes` count the lazy copies of the block, and the bytes that eager ones would have copied.

    A lazy copy that is written, then dropped before anybody reads it, was written in vain: where NumPy returns a view,
    the program relies on that view. Such a ``'lost write'`` appears once the copy is dropped, possibly after the block,
    with the write's line and in the write's place.

    See Also
    --------
    no_copy : Refuses copies.
    stats : Counts copies in the whole process.
    explain : Tells which arrays share an array's bytes.

    Examples
    --------
    >>> import numpy as np, cowarray
    >>> x = cowarray.array(np.zeros(1000))
    >>> y = x.copy()
    >>> with cowarray.trace() as seen:
    ...     y[0] = 1
    >>> [(event.kind, event.nbytes) for event in seen]
    [('copy', 8000)]
    >>> with cowarray.trace() as seen:
    ...     part = y[:3].copy()
    >>> [(event.kind, event.nbytes) for event in seen]
    [('eager', 24)]
    >>> seen
    <cowarray.trace of 1 event>
    >>> with cowarray.trace() as seen:
    ...     y.reshape(-1)[3] = 1
    >>> [event.kind for event in seen]
    ['copy', 'lost write']
    """

    @_as_a_mode
    def __init__(self) -> None:
        self._events = _Events()
        super().__init__("trace", _traces, self._events, ((count_modes,),))

    def __iter__(self) -> Iterator[TraceEvent]:
        known = filter(_is_known, list(self._events))
        return iter([event.event if type(event) is Unread else event for event in known])

    def __len__(self) -> int:
        return sum(map(_is_known, list(self._events)))

    @property
    def lazy_copies(self) -> int:
        """int: The number of lazy copies."""
        return self._events.lazy_copies

    @property
    def lazy_nbytes(self) -> int:
        """int: The bytes that eager copies would have copied in their place."""
        return self._events.lazy_nbytes

    def __repr__(self) -> Any:
        known = len(self)
        return f"<cowarray.trace of {known} event{'s' * (known != 1)}>"


def _is_known(event: Any) -> Any:
    """True if an item of a trace is an event, not a write that may yet be read."""
    return type(event) is not Unread or event.is_lost


set_modes(sys.modules[__name__])
