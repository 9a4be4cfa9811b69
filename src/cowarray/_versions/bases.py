"""The arrays of a history's folder as first committed: .npy files whose pages are the arrays' pages."""

import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cowarray._face.ndarray import ndarray
from cowarray._files.npy import load
from cowarray._ops.conversion import array
from cowarray._versions.database import Base, damage_of
from cowarray._versions.disk import sync_folder, write_all
from cowarray._versions.records import BASE_HEADER
from cowarray._versions.tracked import LEAST

__all__ = ["Stored", "read_base", "see_base", "write_base"]


@dataclass(frozen=True)
class Stored:
    """An array as it was first committed."""

    number: int
    first: int  # the first of its pages
    array: ndarray[Any, Any]
    in_file: bool  # it is a private map of its file


def _header_of(x: NDArray[Any]) -> bytes:
    """Return a .npy header that fills a page."""
    text = repr({"descr": np.lib.format.dtype_to_descr(x.dtype), "fortran_order": False, "shape": x.shape})
    magic = b"\x93NUMPY\x01\x00" + struct.pack("<H", BASE_HEADER - 10)
    if len(text) + len(magic) >= BASE_HEADER:
        raise ValueError(f"History: the dtype {x.dtype!r} is too long for the header of a file")
    return magic + text.encode("latin-1").ljust(BASE_HEADER - len(magic) - 1) + b"\n"


def _checksum_of(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 22):
            checksum = zlib.crc32(chunk, checksum)
    return checksum


def write_base(path: Path, x: NDArray[Any]) -> Base:
    """Write an array to a new file, in memory order. The file gets its name only when it is complete."""
    axes = tuple(sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]) if x.shape[axis] > 1 else 0))
    ordered = x.transpose(axes)
    header, content = _header_of(ordered), ordered.reshape(-1).view(np.uint8).data
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)  # left by a killed process: it may be read-only
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        write_all(descriptor, header)
        write_all(descriptor, content)
        os.fchmod(descriptor, 0o444)
        os.fsync(descriptor)
        status = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    part.rename(path)
    sync_folder(path.parent)
    checksum = zlib.crc32(content, zlib.crc32(header))
    return Base(path.name, axes, status.st_size, status.st_ino, status.st_mtime_ns, checksum)


def see_base(path: Path, base: Base) -> None:
    """Refuse a file whose bytes have changed since it was written."""
    if path.stat().st_size != base.size or _checksum_of(path) != base.checksum:
        raise ValueError(f"History: {path} was changed after it was written")


def read_base(path: Path, base: Base, number: int, first: int) -> Stored:
    """Return the array of a file, if the file is as it was written."""
    now = path.stat()
    # In a copy of the folder, inodes and times differ, but bytes do not.
    if (now.st_size, now.st_ino, now.st_mtime_ns) != (base.size, base.inode, base.time):
        see_base(path, base)
    large = base.size >= LEAST + BASE_HEADER
    stored = load(path, pages=True) if large else array(np.load(path))
    if stored.ndim != len(base.axes):
        raise damage_of(path.parent.parent, f"{path.name} has {stored.ndim} axes, and its row {len(base.axes)}")
    return Stored(number, first, stored.transpose(np.argsort(base.axes)), large)
