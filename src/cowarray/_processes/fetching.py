"""Bases that another process keeps for this one, each fetched over its own connection.

The sender keeps the base while the connection is open. So the receiver can wait again for a slow sender, and a sender
that finds the connection closed knows that nobody waits.
"""

import contextlib
import hmac
import os
import secrets
import socket
import threading
import time
import weakref

from cowarray._processes.handshake import CHALLENGE, PROOF, QUIET, is_name, is_same_user, new_socket, proof
from cowarray._processes.held_socket import HeldSocket
from cowarray._processes.receiving import Descriptor, receive

__all__ = ["Fetch", "tell_done"]

_PATIENCE = 30.0  # seconds: the sender's thread may wait for the GIL, or for other receivers

_REOPENING = 2.0  # seconds

_open: weakref.WeakSet["Fetch"] = weakref.WeakSet()


class Fetch:
    """A request for the base of a lease.

    Attributes
    ----------
    lock : RLock
        Held while asking. A forked child has another.
    """

    def __init__(self, name: bytes, lease: bytes) -> None:
        self.lock = threading.RLock()
        self._name = name
        self._lease = lease
        self._connection: HeldSocket | None = None
        self._asked: HeldSocket | None = None  # the same, once the request is sent
        self._is_late = False  # timed out: tell the sender if nobody asks again
        self._challenge = self._own = b""
        _open.add(self)

    def descriptor(self) -> Descriptor:
        """Return the base's descriptor. TimeoutError: not yet, ask again. Another OSError: it will never come."""
        try:
            found = self._answer(self._asked or self._ask())
        except TimeoutError:
            self._is_late = True
            raise TimeoutError("the sender does not answer") from None
        except ConnectionError:
            self.close()
            raise OSError("the sender has ended") from None
        except OSError:
            self.close()
            raise
        self.close()
        self._is_late = False
        return found

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def __del__(self) -> None:
        self.close()
        if self._is_late:
            tell_done(self._name, self._lease)

    def after_fork(self) -> None:
        self.lock = threading.RLock()
        self.close()
        self._is_late = False

    def _ask(self) -> HeldSocket:
        end = 0.0
        while True:
            try:
                connection = self._meet()
                break
            except ConnectionError as error:
                # If the sender's program has closed the door, waiting guests are cut off, and the door reopens.
                if not end and isinstance(error, ConnectionResetError):
                    end = time.monotonic() + _REOPENING
                if time.monotonic() > end:
                    raise
            time.sleep(0.01)
        self._own = secrets.token_bytes(CHALLENGE)
        asked = b"take" + self._lease + self._own + proof(b"fetch", self._challenge, self._own)
        connection.socket().send(asked, QUIET)
        self._asked = connection
        return connection

    def _meet(self) -> HeldSocket:
        """Return a connection on which the challenge has arrived."""
        self.close()
        self._connection = connection = HeldSocket(new_socket())
        connection.socket().settimeout(_PATIENCE)
        _connect(connection.socket(), self._name)
        self._challenge = connection.socket().recv(CHALLENGE + 1)
        return connection

    def _answer(self, connection: HeldSocket) -> Descriptor:
        if connection.is_closed:
            raise OSError("the process that forked has asked for it")
        packet, descriptor = receive(connection.socket(), 4 + PROOF)
        word, shown = packet[:4], packet[4:]
        if not packet and self._challenge:
            raise OSError(
                "the sender has ended, or is of another family of processes: multiprocessing's authkey differs"
            )
        if not hmac.compare_digest(shown, proof(b"share", self._own, self._challenge)):
            raise OSError("the sender is of another family of processes: multiprocessing's authkey differs")
        if word == b"late":
            raise OSError("it was taken already, or fetched too late")
        if descriptor is None:
            raise OSError("too many files are open")
        return descriptor


def tell_done(name: bytes, lease: bytes) -> None:
    """Tell the sender that a lease is not needed. Never waits; the message may get lost.

    Knowing the lease's name proves that the caller has received it, so no other proof is needed.
    """
    with contextlib.suppress(OSError), new_socket() as connection:
        connection.setblocking(False)
        if is_name(name):
            connection.connect(name)
            connection.send(b"done" + lease, QUIET)


def _connect(connection: socket.socket, name: bytes) -> None:
    if not is_name(name):
        raise OSError(f"{name!r} is no sharer of this user")
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.connect(name)
        except BlockingIOError:  # many receivers are waiting
            if time.monotonic() > end:
                raise TimeoutError from None
            time.sleep(0.01)
        else:
            break
    if not is_same_user(connection):
        raise OSError("the sender is another user")


def _after_fork() -> None:
    for each in list(_open):  # the parent keeps using them
        each.after_fork()


os.register_at_fork(after_in_child=_after_fork)
