"""Bases that this process holds for others, each until it is fetched: leases.

One thread answers. It lives while somebody may ask: while `by_descriptor` holds, or a lease is open. A lease ends when
its base is fetched, when whoever fetches goes away meanwhile, when the receiver says that it needs nothing, or when its
time is over. The end of the process waits for that, for a while.
"""

import contextlib
import hmac
import os
import secrets
import selectors
import socket
import threading
import time
from typing import NamedTuple

from cowarray._native.storage import Base
from cowarray._processes.handshake import CHALLENGE, PROOF, is_same_user, new_name, new_socket, proof

__all__ = ["LEASE", "Sharer", "sharer"]

LEASE = 16  # bytes of the name of a lease
_MOST_CONNECTIONS = 64


class _Lease(NamedTuple):
    base: Base
    end: float  # by time.monotonic


class _Guest:
    """A connection. It has shown that it has the key once it has no challenge."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.challenge: bytes | None = secrets.token_bytes(CHALLENGE)

    def fileno(self) -> int:
        return self.connection.fileno()


class Sharer:
    """The leases of a process."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._leases: dict[bytes, _Lease] = {}
        self._wanted = False
        self._name: bytes | None = None  # while the thread runs
        self._wake: int | None = None
        self._thread: threading.Thread | None = None
        self._sockets: set[socket.socket] = set()

    # ---- for the process's own threads

    @property
    def count(self) -> int:
        """How many leases are open."""
        with self._changed:
            self._drop_late()
            return len(self._leases)

    def want(self, wanted: bool) -> None:
        """Say whether more leases may come. Without, the thread ends with the last one, or here."""
        with self._changed:
            self._wanted = wanted
            self._rouse()
            ends = not wanted and not self._leases
        if ends and self._thread is not None:
            self._thread.join(1.0)

    def lease(self, base: Base, seconds: float) -> tuple[bytes, bytes]:
        """Hold a base until it is fetched: the name to ask at, and the lease's."""
        lease = secrets.token_bytes(LEASE)
        with self._changed:
            if self._name is None:
                self._start()
            assert self._name is not None
            self._leases[lease] = _Lease(base, time.monotonic() + seconds)
            if len(self._leases) == 1:
                self._rouse()
            return self._name, lease

    def end(self, lease: bytes) -> None:
        """Drop a lease, if it is open."""
        with self._changed:
            ended = self._leases.pop(lease, None)
            if ended is not None:
                self._changed.notify_all()
                self._rouse()

    def wait(self, seconds: float) -> None:
        """Wait until no lease is open, for so long at most."""
        end = time.monotonic() + seconds
        with self._changed:
            while self._leases and time.monotonic() < end:
                self._changed.wait(min(1.0, end - time.monotonic()))
                self._drop_late()

    def leave_to_parent(self) -> None:
        """In a forked child: close what is the parent's, whose thread is not here."""
        for connection in self._sockets:
            connection.close()
        if self._wake is not None:
            os.close(self._wake)

    # ---- the thread

    def _start(self) -> None:
        """With the lock."""
        name = new_name()
        listener = new_socket()
        try:
            listener.bind(name)
            listener.listen(64)
            listener.setblocking(False)
            self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
            thread = threading.Thread(target=self._serve, args=(listener, self._wake), name="cowarray", daemon=True)
            self._sockets.add(listener)
            self._name, self._thread = name, thread
            thread.start()
        except BaseException:
            listener.close()
            self._sockets.discard(listener)
            if self._wake is not None:
                os.close(self._wake)
            self._name = self._wake = self._thread = None
            raise

    def _rouse(self) -> None:
        """With the lock."""
        if self._wake is not None:
            os.eventfd_write(self._wake, 1)

    def _drop_late(self) -> None:
        """With the lock: a base that goes runs no Python code."""
        now = time.monotonic()
        late = [name for name, lease in self._leases.items() if lease.end <= now]
        for name in late:
            del self._leases[name]
        if late:
            self._changed.notify_all()

    def _pause(self) -> float | None:
        """With the lock: how long nothing needs to be done but to answer."""
        ends = [lease.end for lease in self._leases.values()]
        return max(0.0, min(ends) - time.monotonic()) if ends else None

    def _serve(self, listener: socket.socket, wake: int) -> None:
        guests: set[_Guest] = set()
        with selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            selector.register(wake, selectors.EVENT_READ)
            while True:
                with self._changed:
                    self._drop_late()
                    if not self._wanted and not self._leases:
                        self._name = self._wake = None
                        break
                    pause = self._pause()
                for key, _ in selector.select(pause):
                    if key.fileobj is listener:
                        self._admit(listener, selector, guests)
                    elif isinstance(key.fileobj, _Guest):
                        if not self._answer(key.fileobj):
                            self._dismiss(key.fileobj, selector, guests)
                    else:
                        with contextlib.suppress(BlockingIOError):
                            os.eventfd_read(wake)
            for guest in list(guests):
                self._dismiss(guest, selector, guests)
        self._close(listener)
        os.close(wake)

    def _close(self, connection: socket.socket) -> None:
        self._sockets.discard(connection)
        connection.close()

    def _admit(self, listener: socket.socket, selector: selectors.BaseSelector, guests: set[_Guest]) -> None:
        try:
            connection, _ = listener.accept()
        except OSError:  # gone already, or too many files are open: it will be told by its socket's end
            return
        connection.setblocking(False)
        guest = _Guest(connection)
        try:
            welcome = len(guests) < _MOST_CONNECTIONS and is_same_user(connection)
            if welcome and guest.challenge is not None:
                connection.send(guest.challenge)
                selector.register(guest, selectors.EVENT_READ)
        except OSError:
            welcome = False
        if not welcome:
            connection.close()
            return
        self._sockets.add(connection)
        guests.add(guest)

    def _dismiss(self, guest: _Guest, selector: selectors.BaseSelector, guests: set[_Guest]) -> None:
        selector.unregister(guest)
        guests.discard(guest)
        self._close(guest.connection)

    def _answer(self, guest: _Guest) -> bool:
        """Answer one packet. False: the connection has ended, or shall end."""
        try:
            packet = guest.connection.recv(256)
            if guest.challenge is not None:
                return self._greet(guest, packet)
            if len(packet) != 4 + LEASE:
                return False
            if packet[:4] == b"done":
                self.end(packet[4:])
                return True
            return packet[:4] == b"take" and self._give(guest.connection, packet[4:])
        except BlockingIOError:
            return False  # it does not read its answers
        except OSError:
            return False

    @staticmethod
    def _greet(guest: _Guest, packet: bytes) -> bool:
        challenge = guest.challenge
        assert challenge is not None
        other, shown = packet[:CHALLENGE], packet[CHALLENGE:]
        if len(packet) != CHALLENGE + PROOF or not hmac.compare_digest(shown, proof(b"fetch", challenge, other)):
            return False
        guest.challenge = None
        guest.connection.send(proof(b"share", other, challenge))
        return True

    def _give(self, connection: socket.socket, lease: bytes) -> bool:
        with self._changed:
            found = self._leases.get(lease)
        if found is None:
            connection.send(b"late")
            return True
        try:
            descriptor = found.base.descriptor()
        except OSError:
            connection.send(b"none")
            return True
        try:
            socket.send_fds(connection, [b"here"], [descriptor])
        finally:
            os.close(descriptor)
            self.end(lease)  # taken, or whoever wanted it is gone
        return True


_the_sharer = Sharer()


def sharer() -> Sharer:
    """That of this process."""
    return _the_sharer


def _after_fork() -> None:
    global _the_sharer
    former = _the_sharer
    _the_sharer = Sharer()
    _the_sharer._wanted = former._wanted
    former.leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)
