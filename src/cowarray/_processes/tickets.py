"""Tickets, which stand in a pickle for arrays whose bytes the receiver fetches or already has.

A Storage is one object in a message, so its views stay views of one Storage. A failed fetch does not raise during
unpickling, where that could end a pool's thread: it gives an array whose first use raises.
"""

import contextlib
import os
import struct
from collections import Counter
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cowarray._face.pickles import array_on, parts_of
from cowarray._native.storage import Base, Storage, lost_storage, on_base
from cowarray._ops.conversion import array
from cowarray._processes.fetching import Fetch, tell_done
from cowarray._processes.handshake import host
from cowarray._processes.sharing import LEASE, sharer

__all__ = ["counted", "lease_time", "reduce_array", "reduce_storage"]

LEAST = 4 << 20  # smaller Storages are not paged

counted: Counter[str] = Counter()
lease_time = [3600.0]  # seconds, of leases from now on
_host: list[str] = []  # read once


class _Ticket(NamedTuple):
    version: int
    host: str
    process: int
    name: bytes  # of the sender's socket
    lease: bytes
    identity: bytes  # of the base
    base_nbytes: int
    start: int  # of the Storage in the base
    nbytes: int
    runs: bytes  # 64-bit starts and stops of the runs that differ from the base
    contents: bytes


def _this_host() -> str:
    if not _host:
        _host.append(host())
    return _host[0]


# ---- sending ---------------------------------------------------------------------------------------------------------


def reduce_array(x: Any) -> Any:
    """Reduce for a pickler: a large array to a layout on its Storage, any other as usual."""
    parts = parts_of(x) if x.nbytes >= LEAST else None
    if parts is None or 2 * x.nbytes < parts[0].nbytes:
        return x.__reduce_ex__(4)
    return _array, parts


def reduce_storage(storage: Storage) -> Any:
    """Reduce for a pickler: to a ticket, or to the bytes if no base is available."""
    try:
        here = _this_host()
        base, start, runs, contents = on_base(storage)
        name, lease = sharer().lease(base, lease_time[0])
    except (BufferError, MemoryError, OSError, RuntimeError):
        counted["sent_as_bytes"] += 1
        whole = array_on(storage, (0, (storage.nbytes,), (1,), "|u1", False, False))
        return _storage_of, (whole.to_numpy(),)
    counted["sent"] += 1
    flat = [bound for run in runs for bound in run]
    ticket = _Ticket(
        1, here, os.getpid(), name, lease, base.identity, base.nbytes, start, storage.nbytes,
        struct.pack(f"<{len(flat)}q", *flat), contents,
    )  # fmt: skip
    return _storage, tuple(ticket)


# ---- receiving -------------------------------------------------------------------------------------------------------


def _array(storage: Storage, layout: Any) -> Any:
    if type(storage) is not Storage:
        raise ValueError(f"unpickle: expected a Storage (got {type(storage).__name__})")
    return array_on(storage, layout)


def _storage_of(value: Any) -> Storage:
    parts = parts_of(array(np.ascontiguousarray(value).reshape(-1)))
    if parts is None:
        raise ValueError("unpickle: expected plain bytes")
    return parts[0]


def _storage(*parts: Any) -> Storage:
    """Make a Storage from a ticket. ValueError: the parts are not a ticket."""
    ticket, runs = _checked(parts)
    asking = Fetch(ticket.name, ticket.lease)
    make = partial(_made, ticket, runs, asking)
    try:
        return make()
    except OSError as error:
        counted["lost"] += 1
        return lost_storage(ticket.nbytes, str(error), make if isinstance(error, TimeoutError) else None)
    except BaseException:  # from a signal: nobody will get the array
        asking.close()
        _let_go(ticket)
        raise


def _made(ticket: _Ticket, runs: list[tuple[int, int]], asking: Fetch) -> Storage:
    """Make the Storage. TimeoutError: not yet. Another OSError: it will never come."""
    try:
        with asking.lock:  # a thread that waited for it finds the base
            base = Base.find(ticket.identity)
            if base is None:
                made = _fetched(ticket, runs, asking)
                counted["fetched"] += 1
            else:
                _let_go(ticket)
                made = base.storage(ticket.start, ticket.nbytes, runs, ticket.contents)
                counted["held"] += 1
        return made
    except (OSError, RuntimeError, MemoryError) as error:
        kind = TimeoutError if isinstance(error, TimeoutError) else OSError
        raise kind(f"the array that process {ticket.process} has sent cannot be used: {error or 'no memory'}") from None


def _checked(parts: tuple[Any, ...]) -> tuple[_Ticket, list[tuple[int, int]]]:
    kinds = (int, str, int, bytes, bytes, bytes, int, int, int, bytes, bytes)
    if tuple(map(type, parts)) != kinds or parts[0] != 1:
        raise ValueError("unpickle: no ticket of version 1")
    ticket = _Ticket(*parts)
    within = ticket.start >= 0 and ticket.nbytes > 0 and ticket.start + ticket.nbytes <= ticket.base_nbytes < 2**62
    if len(ticket.lease) != LEASE or not within or len(ticket.runs) % 16:
        raise ValueError("unpickle: a ticket with an impossible place or lease")
    bounds = struct.unpack(f"<{len(ticket.runs) // 8}q", ticket.runs)
    edges = (0, *bounds, ticket.nbytes)
    runs = list(zip(bounds[::2], bounds[1::2], strict=True))
    total = sum(stop - start for start, stop in runs)
    if any(a > b for a, b in pairwise(edges)) or total != len(ticket.contents):
        raise ValueError("unpickle: a ticket whose runs are not in order, or have no contents")
    return ticket, [run for run in runs if run[0] < run[1]]


def _fetched(ticket: _Ticket, runs: list[tuple[int, int]], asking: Fetch) -> Storage:
    if ticket.host != _this_host():
        raise OSError("it came from another machine, or from another network namespace")
    descriptor = asking.descriptor()
    try:
        base = Base.receive(descriptor.number, ticket.identity, ticket.base_nbytes)
        return base.storage(ticket.start, ticket.nbytes, runs, ticket.contents)
    except (RuntimeError, MemoryError):  # too many files or maps
        return _copied(descriptor.number, ticket, runs)


def _copied(descriptor: int, ticket: _Ticket, runs: list[tuple[int, int]]) -> Storage:
    """Copy the bytes to this process's memory, keeping nothing open."""
    x = np.empty(ticket.nbytes, np.uint8)
    into, at = x.data, 0
    while at < ticket.nbytes:
        some = os.preadv(descriptor, [into[at : at + (1 << 30)]], ticket.start + at)
        if some == 0:
            raise OSError("its file is shorter than was said")
        at += some
    at = 0
    for start, stop in runs:
        into[start:stop] = ticket.contents[at : at + stop - start]
        at += stop - start
    return _storage_of(x)


def _let_go(ticket: _Ticket) -> None:
    with contextlib.suppress(OSError):
        if not sharer().end(ticket.lease) and ticket.host == _this_host():
            tell_done(ticket.name, ticket.lease)
