"""Files that a planned program has saved, but that were not written: their would-be contents, by path.

Only the command keeps files back: it asks for that, and provides the functions that read such files. Files on the disk
stay as they are, so only the same plan knows what was saved. Writing, moving or removing such a file afterwards makes
the plan forget it.
"""

import errno
import itertools
import os
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

__all__ = ["Kept", "Raw", "Saved", "Text", "any_kept", "begin", "find", "keep"]


class Raw(NamedTuple):
    """Elements without a header.

    Parameters
    ----------
    nbytes : int
    """

    nbytes: int


class Text(NamedTuple):
    """Lines of numbers.

    Parameters
    ----------
    head : str
    row : str
        Occurs `times` times.
    times : int
    foot : str
    """

    head: str
    row: str
    times: int
    foot: str

    @property
    def nbytes(self) -> int:
        """int: The size in bytes, one for each character."""
        return len(self.head) + len(self.row) * self.times + len(self.foot)

    def lines(self) -> Iterator[str]:
        """Return the lines of the file, in which all numbers are equal.

        Returns
        -------
        iterator of str
        """
        if self.row.endswith("\n"):
            parts = (self.head.splitlines(True), self.row.splitlines(True) * self.times, self.foot.splitlines(True))
            return itertools.chain(*parts)
        return iter((self.head + self.row * self.times + self.foot).splitlines(True))


Saved: TypeAlias = tuple[tuple[int, ...], np.dtype, str] | np.ndarray  # shape, dtype, order; or an array with bytes
Kept: TypeAlias = Saved | dict[str, Saved] | Raw | Text

_State: TypeAlias = tuple[int, int, int] | None  # of the file on the disk: None if there is none

_kept: dict[str, tuple[Kept, _State]] | None = None  # None: files are written


def begin() -> None:
    """From now on, in this process, keep back files of arrays without bytes."""
    global _kept
    _kept = {}


def any_kept() -> bool:
    """Tell whether a file has been kept back.

    Returns
    -------
    bool
    """
    return bool(_kept)


def keep(file: Any, value: Kept, ending: str = "") -> bool:
    """Keep a file back; return False if it has no name, or files are written.

    Parameters
    ----------
    file : object
        A path, or an open file.
    value : Kept
        The would-be contents.
    ending : str, default ""
        Appended to a name that does not end in it.

    Returns
    -------
    bool

    Raises
    ------
    OSError
        Such a file cannot be written.
    """
    if _kept is None or not isinstance(file, str | bytes | os.PathLike):
        return False
    if type(file) is bytes and (ending or isinstance(value, Text)):
        return False  # NumPy's functions that add an ending or write text refuse such names
    name = _named(file, ending)
    _assert_writable(name)
    path = os.path.realpath(name)
    _kept[path] = value, _state(path)
    return True


def find(file: Any) -> Kept | None:
    """Return a file's would-be contents; None if it is not kept back, or has been written since.

    Parameters
    ----------
    file : object

    Returns
    -------
    Kept or None
    """
    if not _kept or not isinstance(file, str | bytes | os.PathLike):
        return None
    path = os.path.realpath(os.fsdecode(file))
    value, state = _kept.get(path, (None, None))
    return value if value is not None and state == _state(path) else None


def _state(path: str) -> _State:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _named(file: Any, ending: str) -> str:
    name = os.fsdecode(file)
    return name if name.endswith(ending) else f"{name}{ending}"


def _assert_writable(name: str) -> None:
    """Raise the error of opening a file for writing, if there would be one."""
    number = 0
    try:
        os.stat(os.path.join(os.path.dirname(name), "."))
    except OSError as error:
        number = error.errno or errno.EIO
    if os.path.isdir(name):
        number = errno.EISDIR
    elif not number and not os.access(name if os.path.exists(name) else os.path.dirname(name) or ".", os.W_OK):
        number = errno.EACCES
    if number:
        raise OSError(number, os.strerror(number), name)
