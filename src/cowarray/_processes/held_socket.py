"""A socket that the program may close under its holder."""

import errno
import os
import socket

__all__ = ["HeldSocket"]


class HeldSocket:
    """A socket that is used, and at the end closed, only while its descriptor still refers to it.

    The socket object itself holds the descriptor: an interrupt at any bytecode leaks none.

    Parameters
    ----------
    made : socket.socket
    """

    def __init__(self, made: socket.socket) -> None:
        self._socket = made
        self._identity = os.fstat(made.fileno())

    def is_itself(self) -> bool:
        """True if the socket is open and its descriptor still refers to it."""
        try:
            return os.path.samestat(os.fstat(self._socket.fileno()), self._identity)
        except (OSError, ValueError):  # a closed one's descriptor is -1
            return False

    @property
    def is_closed(self) -> bool:
        """True once `close` was called."""
        return self._socket.fileno() < 0

    def number(self) -> int:
        """The descriptor.

        Raises
        ------
        OSError
            The program has closed it.
        """
        return self.socket().fileno()

    def socket(self) -> socket.socket:
        """The socket, for one call.

        Raises
        ------
        OSError
            The program has closed it.
        """
        if not self.is_itself():
            raise OSError(errno.EBADF, "the program has closed a descriptor that was not its own")
        return self._socket

    def close(self) -> None:
        """Close the socket if its descriptor still refers to it."""
        if self.is_itself():
            self._socket.close()
        else:
            self._socket.detach()

    def __del__(self) -> None:
        try:  # noqa: SIM105 - the module's names may be gone
            self.close()
        except AttributeError:  # half-constructed: the socket closes itself
            pass
