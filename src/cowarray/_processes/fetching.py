"""Bases that another process holds for this one. Connections stay open, for the next one."""

import contextlib
import hmac
import os
import secrets
import socket
import threading
from collections import OrderedDict
from collections.abc import Generator

from cowarray._processes.handshake import CHALLENGE, PROOF, is_name, is_same_user, new_socket, proof

__all__ = ["close_connections", "fetch", "tell_done"]

_MOST_CONNECTIONS = 16
_PATIENCE = 10.0  # seconds, for each step of a fetch

_lock = threading.Lock()
_connections: OrderedDict[bytes, socket.socket] = OrderedDict()


def fetch(name: bytes, lease: bytes) -> int:
    """A descriptor of a lease's base, which is the caller's. OSError: why there is none."""
    with _lock, _dropped_on_failure(name):
        connection = _connected(name)
        connection.send(b"take" + lease)
        word, descriptors, _, _ = socket.recv_fds(connection, 4, 1)
        if word == b"here" and descriptors:
            return descriptors[0]
        for descriptor in descriptors:
            os.close(descriptor)
        if word == b"late":
            raise OSError("it was taken already, or fetched too late")
        if word in (b"here", b"none"):
            raise OSError("too many files are open")
        raise OSError("the sender has ended")


def tell_done(name: bytes, lease: bytes) -> None:
    """Say that nothing is needed of a lease. Whether anybody hears it does not matter."""
    with contextlib.suppress(OSError), _lock, _dropped_on_failure(name):
        _connected(name).send(b"done" + lease)


@contextlib.contextmanager
def _dropped_on_failure(name: bytes) -> Generator[None]:
    """A connection of which a packet may be under way serves nobody else."""
    try:
        yield
    except BaseException:
        connection = _connections.pop(name, None)
        if connection is not None:
            connection.close()
        raise


def _connected(name: bytes) -> socket.socket:
    """With the lock."""
    if name in _connections:
        _connections.move_to_end(name)
        return _connections[name]
    if not is_name(name):
        raise OSError(f"{name!r} is no sharer of this user")
    connection = new_socket()
    try:
        connection.settimeout(_PATIENCE)
        try:
            connection.connect(name)
        except ConnectionRefusedError:
            raise OSError("the sender has ended") from None
        _greet(connection)
        while len(_connections) >= _MOST_CONNECTIONS:
            _connections.popitem(last=False)[1].close()
        _connections[name] = connection
    except BaseException:
        connection.close()
        raise
    return connection


def _greet(connection: socket.socket) -> None:
    if not is_same_user(connection):
        raise OSError("the sender is another user")
    challenge = connection.recv(CHALLENGE + 1)
    own = secrets.token_bytes(CHALLENGE)
    connection.send(own + proof(b"fetch", challenge, own))
    if not hmac.compare_digest(connection.recv(PROOF + 1), proof(b"share", own, challenge)):
        raise OSError("the sender is of another family of processes: multiprocessing's authkey differs")


def close_connections() -> None:
    """Close those that wait for the next fetch."""
    with _lock:
        while _connections:
            _connections.popitem()[1].close()


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    while _connections:  # the parent's
        _connections.popitem()[1].close()


os.register_at_fork(after_in_child=_after_fork)
