import socket
from typing import final

@final
class Descriptor:
    @property
    def number(self) -> int: ...

def receive(connection: socket.socket, most: int, /) -> tuple[bytes, Descriptor | None]: ...
