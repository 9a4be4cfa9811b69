"""NumPy's arrays that lie in a mapped file, taken by the page: the file is opened again and mapped privately."""

import os
import stat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cowarray._array.imports import array_of_file
from cowarray._face.ndarray import ndarray

__all__ = ["LEAST", "mapped_privately"]

LEAST = 4 << 20  # bytes of an array that goes by the page


def _map_of(address: int, nbytes: int) -> tuple[int, tuple[int, int], int] | None:
    """Of the map that has these bytes: its file's inode and device, and where in the file they lie. None: no file's, or
    one that somebody may have written to: the pages of a private map may differ from its file."""
    try:
        with open("/proc/self/maps", "rb") as lines:
            for line in lines:
                span, rights, offset, device, inode, *_ = line.split(None, 5)
                start, end = (int(bound, 16) for bound in span.split(b"-"))
                if start <= address < end:
                    if end < address + nbytes or rights[1:2] == b"w" or inode == b"0":
                        return None
                    major, minor = (int(part, 16) for part in device.split(b":"))
                    return int(inode), (major, minor), int(offset, 16) + address - start
    except OSError:
        pass
    return None


def _file_of(x: NDArray[Any]) -> str | None:
    """The name of the file that a read-only array lies in, as far as it is known."""
    base: Any = x
    while isinstance(base, np.ndarray):
        name = getattr(base, "filename", None)
        if isinstance(base, np.memmap) and name is not None:
            return os.fspath(name)
        base = base.base
    return None


def mapped_privately(x: NDArray[Any]) -> ndarray[Any, Any] | None:
    """An array of ours with the values of a read-only one that lies in a mapped file; its writes cost pages.

    Parameters
    ----------
    x : numpy.ndarray

    Returns
    -------
    ndarray or None
        None where that cannot be: fewer than 4 MiB, elements that are not contiguous or not plain bytes, memory of no
        file, a map that can be written to, or a name that is another file's by now. As in any map, pages that nobody
        has written show what others write to the file.
    """
    fortran = x.flags.f_contiguous and not x.flags.c_contiguous
    contiguous = fortran or x.flags.c_contiguous
    if x.nbytes < LEAST or x.flags.writeable or not contiguous or x.dtype.hasobject or x.dtype.kind == "T":
        return None
    name = _file_of(x)
    place = None if name is None else _map_of(x.__array_interface__["data"][0], x.nbytes)
    if name is None or place is None:
        return None
    inode, device, offset = place
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        now = os.fstat(descriptor)
        same = (now.st_ino, (os.major(now.st_dev), os.minor(now.st_dev))) == (inode, device)
        if not same or not stat.S_ISREG(now.st_mode) or now.st_size < offset + x.nbytes or offset % x.itemsize:
            return None
        return array_of_file(descriptor, offset, x.shape, x.dtype, fortran)
    except (OSError, ValueError, MemoryError):
        return None
    finally:
        os.close(descriptor)
