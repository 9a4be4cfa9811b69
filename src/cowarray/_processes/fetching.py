"""Bases that another process holds for this one: a connection for each, which ends with it."""

import contextlib
import hmac
import os
import secrets
import socket
import time

from cowarray._processes.handshake import CHALLENGE, PROOF, is_name, is_same_user, new_socket, proof
from cowarray._processes.receiving import Descriptor, receive

__all__ = ["fetch", "tell_done"]

_PATIENCE = 30.0  # seconds: the sender's thread may wait for the GIL, or for other receivers

_open: set[socket.socket] = set()


def fetch(name: bytes, lease: bytes) -> Descriptor:
    """The descriptor of a lease's base. OSError: why there is none."""
    connection = new_socket()
    _open.add(connection)
    try:
        connection.settimeout(_PATIENCE)
        _connect(connection, name)
        return _take(connection, lease)
    except (ConnectionError, TimeoutError) as error:
        late = isinstance(error, TimeoutError)
        raise OSError("the sender does not answer" if late else "the sender has ended") from None
    finally:
        connection.close()
        _open.discard(connection)


def tell_done(name: bytes, lease: bytes) -> None:
    """Say that nothing is needed of a lease. Waits for nobody, and whether anybody hears it does not matter.

    Who can name the lease has received it, so nothing else has to be shown.
    """
    with contextlib.suppress(OSError), new_socket() as connection:
        connection.setblocking(False)
        if is_name(name):
            connection.connect(name)
            connection.send(b"done" + lease)


def _connect(connection: socket.socket, name: bytes) -> None:
    if not is_name(name):
        raise OSError(f"{name!r} is no sharer of this user")
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.connect(name)
        except BlockingIOError:  # many receivers wait
            if time.monotonic() > end:
                raise TimeoutError from None
            time.sleep(0.01)
        else:
            break
    if not is_same_user(connection):
        raise OSError("the sender is another user")


def _take(connection: socket.socket, lease: bytes) -> Descriptor:
    challenge = connection.recv(CHALLENGE + 1)
    own = secrets.token_bytes(CHALLENGE)
    connection.send(b"take" + lease + own + proof(b"fetch", challenge, own))
    packet, descriptor = receive(connection, 4 + PROOF)
    word, shown = packet[:4], packet[4:]
    if not packet and challenge:
        raise OSError("the sender has ended, or is of another family of processes: multiprocessing's authkey differs")
    if not hmac.compare_digest(shown, proof(b"share", own, challenge)):
        raise OSError("the sender is of another family of processes: multiprocessing's authkey differs")
    if word == b"late":
        raise OSError("it was taken already, or fetched too late")
    if descriptor is None:
        raise OSError("too many files are open")
    return descriptor


def _after_fork() -> None:
    while _open:  # fetches of the parent's other threads
        _open.pop().close()


os.register_at_fork(after_in_child=_after_fork)
