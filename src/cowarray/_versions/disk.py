"""Writing names and bytes safely to the disk."""

import os
from pathlib import Path
from typing import Any

__all__ = ["close_own", "identity_of", "make_folder", "sync_folder", "write_all"]


def identity_of(descriptor: int) -> tuple[int, int]:
    """Return the identity of the file that a descriptor refers to."""
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


def close_own(descriptor: int, identity: tuple[int, int]) -> None:
    """Close a descriptor, unless the program has closed it, and perhaps uses its number for another file."""
    try:
        if identity_of(descriptor) == identity:
            os.close(descriptor)
    except OSError:
        pass  # it is closed already


def sync_folder(path: Path) -> None:
    """Wait until the names in a folder are safe on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(path: Path) -> None:
    """Make a folder, and missing folders above it, whose names are safe on the disk."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync_folder(path.parent)


def write_all(descriptor: int, data: Any) -> None:
    """Write all of a buffer, however few bytes the system takes at a time."""
    view = memoryview(data).cast("B")
    while view:
        view = view[os.write(descriptor, view[: 1 << 24]) :]
