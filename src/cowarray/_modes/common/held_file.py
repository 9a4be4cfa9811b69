"""Open files of this library, which the program may close behind its back.

A program may close descriptors that it does not know (`os.closerange`, daemons) and open its own files under the same
numbers. So each use first checks the descriptor, and the library takes high numbers: low ones are the program's.
"""

import contextlib
import errno
import fcntl
import os
import resource
import signal
from typing import Any, ClassVar

__all__ = ["HeldFile"]

_GET_SIGNAL = getattr(fcntl, "F_GETSIG", None)  # Linux
HIGH = 512  # above the numbers that programs close in one go, below the usual limit of 1,024


def _moved_up(descriptor: int) -> int:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    least = HIGH if soft in (-1, resource.RLIM_INFINITY) else min(HIGH, soft // 4 * 3)
    try:
        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, least)
    except OSError:  # no high number is free
        return descriptor
    os.close(descriptor)
    return high


class HeldFile:
    """A descriptor, used only while it still refers to its file. It is closed at the end unless its number was reused.

    Parameters
    ----------
    descriptor : int
        It may be moved to another number.
    is_shared : bool, default False
        Whether others use the same open file; its settings then stay unchanged.
    """

    # The mark of the last holder of each number. A holder whose number has passed to another has lost its file.
    _holders: ClassVar[dict[int, object]] = {}

    def __init__(self, descriptor: int, is_shared: bool = False) -> None:
        self._number = _moved_up(descriptor)
        self._mark = self._holders[self._number] = object()
        # The inode of an unnamed file is reused by the next one. This mark tells the open file from the program's own.
        # It has no other effect: nobody requests signals for the file.
        if not is_shared and _GET_SIGNAL is not None:
            with contextlib.suppress(OSError):
                fcntl.fcntl(self._number, fcntl.F_SETSIG, signal.SIGIO)
        self._identity = self._identify()

    def is_itself(self) -> bool:
        """True if the descriptor is open and still refers to its file."""
        if self._holders.get(self._number) is not self._mark:
            return False
        try:
            return self._identify() == self._identity
        except OSError:
            return False

    def number(self) -> int:
        """Return the descriptor.

        Raises
        ------
        OSError
            The program has closed it.
        """
        if not self.is_itself():
            raise OSError(errno.EBADF, "the program has closed a descriptor that was not its own")
        return self._number

    def close(self) -> None:
        """Close the descriptor if it still refers to its file. A second call does nothing.

        Raises
        ------
        OSError
            The system could not write pending data.
        """
        if self.is_itself():
            del self._holders[self._number]
            self._close(self._number)

    def __del__(self) -> None:
        try:  # noqa: SIM105 - the module's names may be gone
            self.close()
        except OSError:
            pass

    # Names are bound here: a file may be closed when the module's names are gone.
    _close = staticmethod(os.close)

    def _identify(self, fstat: Any = os.fstat, control: Any = fcntl.fcntl, get: Any = _GET_SIGNAL) -> object:
        status = fstat(self._number)
        return status.st_dev, status.st_ino, get and control(self._number, get)
