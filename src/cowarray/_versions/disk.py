"""Names and bytes that are safe on the disk."""

import os
from pathlib import Path
from typing import Any

__all__ = ["make_folder", "sync_folder", "write_all"]


def sync_folder(path: Path) -> None:
    """Wait until the names in a folder are safe."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(path: Path) -> None:
    """Make a folder whose name is safe on the disk, with those above it that there are not."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync_folder(path.parent)


def write_all(descriptor: int, data: Any) -> None:
    """Write all of a buffer, however few bytes the system takes at once."""
    view = memoryview(data).cast("B")
    while view:
        view = view[os.write(descriptor, view[: 1 << 24]) :]
