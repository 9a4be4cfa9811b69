"""Leases: bases that this process keeps for others, each until it is fetched.

One thread answers requests. It lives while any may come: while a `by_descriptor` block or a lease is open. A lease ends
when its base is fetched, when the fetching process goes away meanwhile, when the receiver declines the base, or when
its time is over; a fetched or declined lease restarts the base's other leases. At exit the process waits a while for
them.
"""

import contextlib
import errno
import hmac
import os
import secrets
import select
import socket
import threading
import time
from typing import NamedTuple

from cowarray._native.storage import Base
from cowarray._processes.handshake import CHALLENGE, PROOF, QUIET, is_same_user, new_name, new_socket, proof
from cowarray._processes.held_socket import HeldSocket

__all__ = ["LEASE", "Sharer", "sharer"]

LEASE = 16  # bytes of the name of a lease
_MOST_GUESTS = 64  # others wait in the listener's queue
_REOPENING = 1.0  # seconds: the longest wait for a door that the program has closed to reopen
_MOST_SECONDS = 5.0  # for a guest's question while others wait


class _Lease(NamedTuple):
    base: Base
    seconds: float
    end: float  # by time.monotonic

    def renewed(self) -> "_Lease":
        return self._replace(end=time.monotonic() + self.seconds)


class _Guest:
    """A connection for one question."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = HeldSocket(connection)
        self.challenge = secrets.token_bytes(CHALLENGE)
        self.since = time.monotonic()


class _Door:
    """The listening socket of the thread, and the guests it has admitted."""

    def __init__(self) -> None:
        self.name = new_name()
        self.guests: dict[_Guest, None] = {}  # in order of arrival
        self._listener = self._opened()

    def _opened(self) -> HeldSocket:
        listener = new_socket()
        try:
            listener.bind(self.name)
            listener.listen(512)
            listener.setblocking(False)
        except BaseException:
            listener.close()
            raise
        return HeldSocket(listener)

    def is_itself(self) -> bool:
        """True if the door is open: the program may have closed it."""
        return self._listener.is_itself()

    def wait(self, seconds: float) -> list[_Guest]:
        """Wait for input, admit new guests, and return the guests that have sent something.

        If the program has closed the door, open another of the same name. OSError: the program closes it meanwhile.
        """
        if not self.is_itself():
            self._listener = self._opened()
        for guest in list(self.guests):
            if not guest.connection.is_itself():
                self.dismiss(guest)
        has_room = self._has_room()
        poll = select.poll()
        by_number = {guest.connection.number(): guest for guest in self.guests}
        for number in by_number:
            poll.register(number, select.POLLIN)
        if has_room:
            poll.register(self._listener.number(), select.POLLIN)
        ready = [number for number, _ in poll.poll(1000 * (seconds if has_room else min(seconds, 1.0)))]
        heard = [by_number[number] for number in ready if number in by_number]
        if len(heard) < len(ready):
            self._admit()
        return heard

    def _has_room(self) -> bool:
        """True if there is room for a guest; a guest that is slow to ask is dismissed to make room."""
        if len(self.guests) >= _MOST_GUESTS:
            oldest = next(iter(self.guests))
            if time.monotonic() - oldest.since > _MOST_SECONDS:
                self.dismiss(oldest)
        return len(self.guests) < _MOST_GUESTS

    def _admit(self) -> None:
        try:
            connection, _ = self._listener.socket().accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                time.sleep(0.05)  # the guest stays in the queue
            return
        with contextlib.suppress(OSError):  # the guest may be gone, having sent something before
            connection.setblocking(False)
            if not is_same_user(connection):
                connection.close()
                return
            guest = _Guest(connection)
            self.guests[guest] = None
            guest.connection.socket().send(guest.challenge, QUIET)

    def dismiss(self, guest: _Guest) -> None:
        self.guests.pop(guest, None)
        guest.connection.close()

    def rouse(self) -> None:
        """Wake the thread with a guest that says nothing."""
        with contextlib.suppress(OSError), new_socket() as guest:
            guest.setblocking(False)
            guest.connect(self.name)

    def close(self) -> None:
        for guest in list(self.guests):
            guest.connection.close()
        self._listener.close()


class Sharer:
    """The leases of a process."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._leases: dict[bytes, _Lease] = {}
        self._wanted = False
        self._door: _Door | None = None  # while the thread runs
        self._thread: threading.Thread | None = None

    # ---- for the process's own threads

    @property
    def count(self) -> int:
        """How many leases are open."""
        with self._changed:
            self._drop_late()
            return len(self._leases)

    def want(self, wanted: bool) -> None:
        """Say whether more leases may come; if not, the thread ends with the last lease, or now."""
        with self._changed:
            self._wanted = wanted
            self._rouse()
            ends = not wanted and not self._leases
            thread = self._thread
        if ends and thread is not None:
            thread.join(1.0)

    def lease(self, base: Base, seconds: float) -> tuple[bytes, bytes]:
        """Keep a base until it is fetched; return the socket's name and the lease's."""
        lease = secrets.token_bytes(LEASE)
        os.close(base.descriptor())  # raises if the program has closed the base's: nobody could fetch it
        with self._changed:
            self._see_door()
            if self._door is None:
                self._start()
            assert self._door is not None
            self._leases[lease] = _Lease(base, seconds, 0.0).renewed()
            return self._door.name, lease

    def end(self, lease: bytes) -> bool:
        """Drop a lease if it is open and belongs to this process; return whether it did."""
        with self._changed:
            ended = self._leases.pop(lease, None)
            if ended is not None:
                identity = ended.base.identity
                for name, other in self._leases.items():
                    if other.base.identity == identity:
                        self._leases[name] = other.renewed()
                self._changed.notify_all()
                self._rouse()
            return ended is not None

    def wait(self, seconds: float) -> None:
        """Wait until no lease is open, but at most for that many seconds."""
        end = time.monotonic() + seconds
        with self._changed:
            while self._leases and time.monotonic() < end:
                self._changed.wait(min(1.0, end - time.monotonic()))
                self._drop_late()

    def heir(self) -> "Sharer":
        """Return a forked child's sharer, which has neither the leases nor the thread."""
        made = Sharer()
        made._wanted = self._wanted
        self._leases.clear()
        if self._door is not None:
            self._door.close()
        return made

    # ---- the thread

    def _start(self) -> None:
        """With the lock."""
        door = _Door()
        try:
            self._thread = threading.Thread(target=self._serve, args=(door,), name="cowarray", daemon=True)
            self._door = door
            self._thread.start()
        except BaseException:
            self._door = self._thread = None
            door.close()
            raise

    def _see_door(self) -> None:
        """With the lock: if the program has closed the door, have the thread, still waiting at it, reopen it."""
        end = time.monotonic() + _REOPENING
        while self._door is not None and not self._door.is_itself() and time.monotonic() < end:
            self._door.rouse()
            self._changed.wait(0.01)

    def _rouse(self) -> None:
        """With the lock."""
        if self._door is not None and self._thread is not threading.current_thread():
            self._door.rouse()

    def _drop_late(self) -> None:
        """With the lock, which is safe: releasing a base runs no Python code."""
        now = time.monotonic()
        late = [name for name, lease in self._leases.items() if lease.end <= now]
        for name in late:
            del self._leases[name]
        if late:
            self._changed.notify_all()
            self._rouse()

    def _serve(self, door: _Door) -> None:
        try:
            closed = 0  # failures in a row
            while not self._is_over(door):
                try:
                    guests = door.wait(1.0 if self._leases else 60.0)
                except OSError:
                    closed += 1
                    if closed > 100 * _REOPENING:
                        raise
                    time.sleep(0.01)
                    continue
                closed = 0
                for guest in guests:
                    if not self._hear(guest):
                        door.dismiss(guest)
        finally:
            with self._changed:
                self._leave(door)

    def _is_over(self, door: _Door) -> bool:
        """True if nobody may ask any more; the door is then closed, and the next lease opens another."""
        with self._changed:
            self._drop_late()
            if self._wanted or self._leases:
                return False
            self._leave(door)
            return True

    def _leave(self, door: _Door) -> None:
        """With the lock."""
        if self._door is door:
            self._door = None
            door.close()

    def _hear(self, guest: _Guest) -> bool:
        """Handle one packet; return False if the guest is done."""
        try:
            packet = _packet(guest.connection.socket())
        except BlockingIOError:
            return True
        except OSError:
            return False
        if packet[:4] == b"done" and len(packet) == 4 + LEASE:
            self.end(packet[4:])
        if packet[:4] == b"take" and len(packet) == 4 + LEASE + CHALLENGE + PROOF:
            lease, other, shown = packet[4:20], packet[20 : 20 + CHALLENGE], packet[20 + CHALLENGE :]
            if hmac.compare_digest(shown, proof(b"fetch", guest.challenge, other)):
                self._give(guest.connection, lease, proof(b"share", other, guest.challenge))
        return False

    def _give(self, connection: HeldSocket, lease: bytes, shown: bytes) -> None:
        with self._changed:
            found = self._leases.get(lease)
        try:
            if found is None:
                connection.socket().send(b"late" + shown, QUIET)
                return
            descriptor = found.base.descriptor()
            try:
                socket.send_fds(connection.socket(), [b"here" + shown], [descriptor], QUIET)
            finally:
                os.close(descriptor)
        except OSError:
            pass  # the receiver is gone, or no file can be opened
        self.end(lease)


def _packet(connection: socket.socket) -> bytes:
    try:
        return connection.recv(256)
    except ConnectionResetError:  # the guest left its challenge unread; its packet comes after the error
        return connection.recv(256)


_the_sharer = Sharer()


def sharer() -> Sharer:
    """Return this process's sharer."""
    return _the_sharer


def _after_fork() -> None:
    global _the_sharer
    _the_sharer = _the_sharer.heir()


os.register_at_fork(after_in_child=_after_fork)
