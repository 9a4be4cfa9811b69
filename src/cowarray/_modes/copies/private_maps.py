"""`private_map`: maps a mapped file once more for one call, so that writes go to private pages.

The file is opened again; device and inode of the map in `/proc/self/maps` tell whether it is the same one. It is found
by its name, or by a descriptor of this process or its parent. The parent's descriptors lead a Ray worker to the node's
store, whose file has no name. `/proc/self/map_files` would lead to every file, but only for privileged processes.
"""

import bisect
import contextlib
import itertools
import os
import stat
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from cowarray._array.imports import array_of_map, large_foreign
from cowarray._face.ndarray import ndarray

__all__ = ["Maps", "private_map"]


class _Region(NamedTuple):
    """A map of a file, as the kernel lists it."""

    first: int
    end: int
    offset: int  # in the file, of its first byte
    file: tuple[int, int]  # device and inode
    name: bytes


class Maps:
    """The process's maps, read on first use: that takes some hundred microseconds.

    They stay valid while the arrays that lie in them live.

    Attributes
    ----------
    kept : list of ndarray
        For the caller: an array that shares with one of these writes to pages where it writes little, and to fresh
        memory where it replaces much, which is cheaper than one page after another.
    """

    def __init__(self) -> None:
        self.kept: list[ndarray[Any, Any]] = []
        self._lines: list[bytes] | None = None

    def at(self, address: int) -> _Region | None:
        """Return the map there; None if it has no file, or may differ from it: a private map with pages of its own."""
        if self._lines is None:
            self._lines = _read_maps()
        at = bisect.bisect_right(self._lines, address, key=lambda line: int(line[: line.index(b"-")], 16)) - 1
        fields = self._lines[at].split(None, 5) if at >= 0 else []
        if len(fields) < 6:
            return None
        if fields[1].endswith(b"p") and (b"w" in fields[1] or _was_written(fields[0])):
            return None
        first, end = (int(bound, 16) for bound in fields[0].split(b"-"))
        major, minor = (int(part, 16) for part in fields[3].split(b":"))
        file = os.makedev(major, minor), int(fields[4])
        return _Region(first, end, int(fields[2], 16), file, fields[5].replace(rb"\012", b"\n"))


def _read_maps() -> list[bytes]:
    try:
        with open("/proc/self/maps", "rb") as file:
            return file.read().split(b"\n")[:-1]
    except OSError:
        return []


def _was_written(bounds: bytes) -> bool:
    """Tell whether the map has, or may have, pages that are not its file's: it may have been writable before."""
    try:
        with open("/proc/self/smaps", "rb") as file:
            here = itertools.dropwhile(lambda line: not line.startswith(bounds + b" "), file)
            sizes = dict(line.split()[:2] for line in itertools.takewhile(lambda line: b"VmFlags" not in line, here))
    except OSError:
        return True
    return sizes.get(b"Anonymous:") != b"0" or sizes.get(b"Swap:") != b"0"


def private_map(value: object, maps: Maps) -> ndarray[Any, Any] | None:
    """Return an array of a mapped file's bytes that writes to private pages.

    Parameters
    ----------
    value : ndarray or numpy.ndarray
    maps : Maps
        Read while `value` existed.

    Returns
    -------
    ndarray or None
        Laid out like `value`, which it keeps alive. None if `value` is small, if `asarray` would not share its memory,
        or if that does not come from a file that this process can open.

    Raises
    ------
    ValueError
        The file has been truncated: reading past its end would kill the process.
    """
    array = large_foreign(value)
    if array is None:
        return None
    low, high = np.lib.array_utils.byte_bounds(array)
    region = maps.at(low)
    descriptor = None if region is None or high > region.end else _open_again(region)
    if region is None or descriptor is None:
        return None
    offset = region.offset + low - region.first
    try:
        held = os.fstat(descriptor).st_size
        if held < offset + high - low:
            raise ValueError(
                f"isolated: the file {os.fsdecode(region.name)!r} was cut short: an array lies in bytes {offset} to "
                f"{offset + high - low}, and it has {held}"
            )
        with contextlib.suppress(MemoryError):  # the process may have no maps left
            return array_of_map(descriptor, offset, array, value)
    finally:
        os.close(descriptor)
    return None


def _open_again(region: _Region) -> int | None:
    """Open the same file for reading; return the descriptor, or None."""
    for name in itertools.chain([region.name], _descriptors("self"), _descriptors(str(os.getppid()))):
        with contextlib.suppress(OSError):
            if not _is_file(os.stat(name), region):
                continue
            descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            if _is_file(os.fstat(descriptor), region):
                return descriptor
            os.close(descriptor)
    return None


def _is_file(found: os.stat_result, region: _Region) -> bool:
    return (found.st_dev, found.st_ino) == region.file and stat.S_ISREG(found.st_mode)


def _descriptors(process: str) -> Iterator[bytes]:
    with contextlib.suppress(OSError):
        for number in os.listdir(f"/proc/{process}/fd"):
            yield os.fsencode(f"/proc/{process}/fd/{number}")
