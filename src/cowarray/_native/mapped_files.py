"""Files that arrays are mapped from: writing to such a path writes a new file, and the arrays keep the old one."""

import contextlib
import os
import stat
from typing import Any

from cowarray._native.fork_locks import importing

__all__ = ["spare_maps"]


def spare_maps(file: Any, ending: str = "") -> None:
    """Replace a file that is about to be rewritten by a copy, if this process has mapped it.

    The writer, even if it fails, then only affects a file that nobody has mapped.

    Parameters
    ----------
    file : path or file object
        A file object is already open, so its file cannot be spared.
    ending : str
        The ending that the writer adds to a path without it.

    Raises
    ------
    OSError
        The copy cannot be put in place: nothing has changed.
    """
    if hasattr(file, "write"):
        return
    path = os.fsdecode(file)
    path = os.path.realpath(path if path.endswith(ending) else path + ending)
    try:
        status = os.stat(path)
    except OSError:
        return  # no such file
    if not stat.S_ISREG(status.st_mode) or not os.access(path, os.W_OK) or not _is_mapped(path, status):
        return
    with importing:
        import shutil
        import tempfile

    descriptor, beside = tempfile.mkstemp(ending, ".spared-", os.path.dirname(path))
    try:
        shutil.copyfile(path, beside)
        with contextlib.suppress(OSError):  # only the superuser can give a file away
            os.fchown(descriptor, status.st_uid, status.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
    finally:
        os.close(descriptor)


def _is_mapped(path: str, status: os.stat_result) -> bool:
    inode = b" %d " % status.st_ino
    device = b" %02x:%02x" % (os.major(status.st_dev), os.minor(status.st_dev))
    try:
        with open("/proc/self/maps", "rb") as maps:
            # A file system may report another device here than in `stat`.
            return any(inode in line and (device in line or line.rstrip().endswith(os.fsencode(path))) for line in maps)
    except OSError:
        return False  # unknown
