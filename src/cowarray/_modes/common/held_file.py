"""Open files of the library's own, which the program may close under it.

A program may close descriptors that it does not know (`os.closerange`, daemons) and open its own files under their
numbers. So a number is looked at before each use, and it is a high one: small numbers are the program's.
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
HIGH = 512  # above what programs close in one go, and below the usual limit of 1,024


def _moved_up(descriptor: int) -> int:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    least = HIGH if soft in (-1, resource.RLIM_INFINITY) else min(HIGH, soft // 4 * 3)
    try:
        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, least)
    except OSError:  # all of those are taken
        return descriptor
    os.close(descriptor)
    return high


class HeldFile:
    """A descriptor that is used only while it still leads to its file. At the end it is closed, or left to another.

    Parameters
    ----------
    descriptor : int
        Another number may take its place.
    is_shared : bool, default False
        Others have the same open file, which is then left as it is.
    """

    # For each number, which of these had it last. Where another gets one's number, the first has lost its file.
    _holders: ClassVar[dict[int, object]] = {}

    def __init__(self, descriptor: int, is_shared: bool = False) -> None:
        self._number = _moved_up(descriptor)
        self._mark = self._holders[self._number] = object()
        # A file without a name leaves its inode to the next one. This tells an open file from those of the program, and
        # does nothing: nobody asks for signals of it.
        if not is_shared and _GET_SIGNAL is not None:
            with contextlib.suppress(OSError):
                fcntl.fcntl(self._number, fcntl.F_SETSIG, signal.SIGIO)
        self._identity = self._identify()

    def is_itself(self) -> bool:
        """Whether it is open, and still leads to its file."""
        if self._holders.get(self._number) is not self._mark:
            return False
        try:
            return self._identify() == self._identity
        except OSError:
            return False

    def number(self) -> int:
        """The descriptor.

        Raises
        ------
        OSError
            The program has closed it.
        """
        if not self.is_itself():
            raise OSError(errno.EBADF, "the program has closed a descriptor that was not its own")
        return self._number

    def close(self) -> None:
        """Close the descriptor, if it still leads to its file. A second time does nothing.

        Raises
        ------
        OSError
            The system could not write what it still had to.
        """
        if self.is_itself():
            del self._holders[self._number]
            self._close(self._number)

    def __del__(self) -> None:
        try:  # noqa: SIM105 - the module's names may be gone
            self.close()
        except OSError:
            pass

    # With names of its own: a file may be closed when those of the module are gone.
    _close = staticmethod(os.close)

    def _identify(self, fstat: Any = os.fstat, control: Any = fcntl.fcntl, get: Any = _GET_SIGNAL) -> object:
        status = fstat(self._number)
        return status.st_dev, status.st_ino, get and control(self._number, get)
