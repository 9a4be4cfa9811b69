"""How a process that shares a base and one that fetches it meet: by what name, and how each knows the other.

They speak over a sequenced socket, which keeps packets whole. The name is abstract: it leaves nothing behind. Both must
be of one user, and each shows the other that it has the key of multiprocessing's family of processes (HMAC, RFC 2104,
over a challenge of either side).
"""

import hmac
import os
import re
import secrets
import socket
import struct

from cowarray._native.fork_locks import importing

__all__ = ["CHALLENGE", "PROOF", "QUIET", "host", "is_name", "is_same_user", "new_name", "new_socket", "proof"]

CHALLENGE = 32  # bytes
PROOF = 32
QUIET = socket.MSG_NOSIGNAL  # a send to who is gone fails, and ends no process, whatever it does at SIGPIPE

_NAME = re.compile(rb"\0cowarray-([0-9]{1,10})-[0-9a-f]{32}")
_CREDENTIALS = struct.Struct("3i")  # process, user, group


def new_name() -> bytes:
    """A name for a socket that nobody else has."""
    return f"\0cowarray-{os.geteuid()}-{secrets.token_hex(16)}".encode()


def is_name(name: bytes) -> bool:
    """Whether it may be that of a sharer of this user."""
    match = _NAME.fullmatch(name)
    return match is not None and int(match[1]) == os.geteuid()


def host() -> str:
    """What machine, since when it runs, and what network namespace: where these differ, no name is found."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = file.read().strip()
    return f"{boot}/{os.stat('/proc/self/ns/net').st_ino}"


def new_socket() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)


def is_same_user(connection: socket.socket) -> bool:
    """Whether the process at the other end is of this user."""
    answer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return int(_CREDENTIALS.unpack(answer)[1]) == os.geteuid()


def proof(side: bytes, challenge: bytes, other: bytes) -> bytes:
    """What only who has the key can say of two challenges."""
    with importing:
        from multiprocessing.process import current_process

    return hmac.digest(bytes(current_process().authkey), side + challenge + other, "sha256")
