"""How a process that shares a base and one that fetches it meet and authenticate each other.

They talk over a sequenced-packet socket. Its name is abstract, so no file is left behind. Both must belong to one user,
and each proves that it has the authkey of multiprocessing's family of processes (HMAC, RFC 2104, over the challenges
of both sides).
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
QUIET = socket.MSG_NOSIGNAL  # sending to a dead peer fails without SIGPIPE

_NAME = re.compile(rb"\0cowarray-([0-9]{1,10})-[0-9a-f]{32}")
_CREDENTIALS = struct.Struct("3i")  # process, user, group


def new_name() -> bytes:
    """Return a unique socket name."""
    return f"\0cowarray-{os.geteuid()}-{secrets.token_hex(16)}".encode()


def is_name(name: bytes) -> bool:
    """True if the name may belong to a sharer of this user."""
    match = _NAME.fullmatch(name)
    return match is not None and int(match[1]) == os.geteuid()


def host() -> str:
    """Identify this boot of this machine and the network namespace: a name means nothing in any other."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = file.read().strip()
    return f"{boot}/{os.stat('/proc/self/ns/net').st_ino}"


def new_socket() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)


def is_same_user(connection: socket.socket) -> bool:
    """True if the process at the other end belongs to this user."""
    answer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return int(_CREDENTIALS.unpack(answer)[1]) == os.geteuid()


def proof(side: bytes, challenge: bytes, other: bytes) -> bytes:
    """Answer two challenges, as only a holder of the key can."""
    with importing:
        from multiprocessing.process import current_process

    return hmac.digest(bytes(current_process().authkey), side + challenge + other, "sha256")
