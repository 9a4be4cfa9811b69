"""What a context may ask of copies: to be told of them (`trace`), or that none is made (`no_copy`).

Both live on context variables, so a mode holds for the code that asked for it (and the tasks it starts), not for other
threads. The native layer looks here only while some context uses a mode.
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
    """What became of an array's bytes at a line: what `trace` collects.

    Parameters
    ----------
    kind : {'copy', 'pages', 'steal', 'overwrite', 'eager', 'lost write'}
        A write to shared bytes that copied them first, that copies the pages it touches (`paging`), that kept them as
        the last sharer, or that replaced all of them;
        a copy that was made at once; or a write to a lazy copy that was dropped before anybody read it. There may be
        other kinds in later versions.
    nbytes : int
        Bytes that were copied. Of a lost write 0: what it copied stands in the event before it.
    reason : str
        Why.
    filename : str
        The file of the line that wrote or copied.
    lineno : int
        Its number.
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
    """Where a Storage was made that shares an allocation: what `explain` names.

    Parameters
    ----------
    kind : {'lazy copy', 'snapshot'}
    filename : str
        The file of the line that copied.
    lineno : int
        Its number.
    """

    kind: str
    filename: str
    lineno: int

    def __str__(self) -> Any:
        return f"a {self.kind}, made at {self.filename}:{self.lineno}"


_forbidden: ContextVar[Entry | None] = ContextVar("cowarray_no_copy", default=None)
_traces: ContextVar[Entry | None] = ContextVar("cowarray_traces", default=None)

# Of each Storage that was made to share bytes inside a `trace`, by its id: a weak reference, and where that was. The
# references have no callback: nothing runs when a Storage ends. What has ended goes when there is twice as much.
_born: dict[int, Any] = {}
_most_born = 64

# pathlib would be a tenth of the time that the import takes.
_own = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep


UNREAD = "a lazy copy was written, and dropped before anybody read it"


def forbids_copy() -> bool:
    """Whether the current context is inside `no_copy`."""
    return bool(holding(_forbidden))


def forbids_eager() -> bool:
    """Whether the current context is inside `no_copy(eager=True)`."""
    return any(holding(_forbidden))


def _caller() -> tuple[str, int]:
    """File and line of the innermost frame outside this library, NumPy and the module `copy`."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        module = frame.f_globals.get("__name__", "")
        if not name.startswith(_own) and module.partition(".")[0] not in ("numpy", "copy"):
            return name, frame.f_lineno
        frame = frame.f_back
    return "<unknown>", 0


def report(kind: str, nbytes: int, reason: str, unread: Unread | None = None) -> None:
    """Tell the current context's traces what became of an array's bytes, and of a write that nobody has read yet."""
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
    """Note, inside a `trace`, where a Storage was made that shares an allocation."""
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
        _born.pop(id(storage), None)  # of one that has ended: the new one comes last
        _born[id(storage)] = (ref(storage), Sharer(kind, *_caller()))


def _living() -> Any:
    """Each Storage whose birth was noted and that is still there, with its `Sharer`."""
    living = []
    for key, (reference, sharer) in _born.copy().items():  # a list of items can run the collector halfway
        storage = reference()
        if storage is None:
            _born.pop(key, None)
        else:
            living.append((storage, sharer))
    return living


def known_sharers(storage: Storage) -> tuple[Sharer, ...]:
    """Of the others that share a Storage's allocation, those whose birth was noted; oldest first."""
    found = []
    if _born:
        for other, sharer in _living():
            if other is not storage and share_allocation(storage, other):
                found.append(sharer)
    return tuple(found)


@public
class no_copy(Mode):
    """Context manager and decorator in which a write raises `CopyError` instead of copying shared bytes first.

    Steals and whole overwrites, which copy nothing, go through. The array whose write was refused is unchanged. Holds
    for the current context only.

    Parameters
    ----------
    eager : bool, default False
        Whether to refuse copies that are made at once, too: of small parts, of pinned arrays, in another memory layout,
        of foreign memory. (`explain` lists the reasons.) What NumPy computes is no copy.

    Raises
    ------
    TypeError
        `eager` is not a bool.

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

    def __init__(self, *, eager: bool = False) -> None:
        if type(eager) is not bool:
            raise TypeError(f"no_copy: eager must be True or False (got {eager!r})")
        super().__init__("no_copy", _forbidden, eager, ((count_modes,),))


class _Events(list[Any]):
    """What a trace collects, and how much was not copied at once."""

    lazy_copies = 0
    lazy_nbytes = 0


def _as_a_mode(initialize: Callable[["trace"], None]) -> Callable[["trace"], None]:
    """Let an error tell those who mean NumPy's function of that name what to call."""

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
    """Context manager and decorator that collects copies of its context, and writes to shared bytes, with their lines.

    Iterate over it, inside or after the block, for `TraceEvent` tuples ``(kind, nbytes, reason, filename, lineno)``.
    Their bytes add up to what `stats` counts as copied. While it is in force, lazy copies and snapshots note where they
    were made, and `explain` names them.

    `lazy_copies` and `lazy_nbytes` count the lazy copies of the block, and the bytes that eager ones would have copied.

    A lazy copy that is written, and dropped before anybody reads it, was written for nothing: a program that NumPy
    gives a view there relies on that view. Such a ``'lost write'`` appears once the copy is dropped, also after the
    block, and stands where it was written.

    See Also
    --------
    no_copy : Refuses copies.
    stats : Counts copies in the whole process.
    explain : Says who shares an array's bytes.

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
        return sum(map(_is_known, self._events))

    @property
    def lazy_copies(self) -> int:
        """int: How many copies were lazy."""
        return self._events.lazy_copies

    @property
    def lazy_nbytes(self) -> int:
        """int: Bytes that those would have copied at once."""
        return self._events.lazy_nbytes

    def __repr__(self) -> Any:
        known = len(self)
        return f"<cowarray.trace of {known} event{'s' * (known != 1)}>"


def _is_known(event: Any) -> Any:
    """Whether an item of a trace is an event by now, and no write that may yet be read."""
    return type(event) is not Unread or event.is_lost


set_modes(sys.modules[__name__])
