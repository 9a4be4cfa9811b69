"""Spills bytes in tests, and forks around them."""

import contextlib
import os
import sys


def read(spill, slot):
    found = bytearray(b"\xee" * slot.nbytes)
    spill.read_into(slot, found)
    return found


def size(spill):
    """Bytes of the file that now takes slots, after the next call has settled what was given up."""
    assert spill.write(b"") is not None
    return os.fstat(spill._file.held.number()).st_size


def in_a_child(function):
    """The process in which function runs; its status is 0 unless function raises."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function()
            status = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
    return child


def ended_well(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def open_here(directory):
    """How many files of a directory this process has open."""
    count = 0
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            count += os.readlink(f"/proc/self/fd/{name}").startswith(f"{directory}/")
    return count
