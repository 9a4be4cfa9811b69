"""Limits to what the process of a test may take."""

import contextlib
import resource
from pathlib import Path

__all__ = ["LONGEST", "NO_BLOCKS_ARE_KEPT", "little_memory"]

LONGEST = 600  # seconds: what has not ended by then hangs, however busy the machine is

# Why no freed blocks are kept here; "" where they are.
NO_BLOCKS_ARE_KEPT = "under a limit on memory, as of `ulimit -v`, no freed blocks are kept"
if {*resource.getrlimit(resource.RLIMIT_AS), *resource.getrlimit(resource.RLIMIT_DATA)} == {resource.RLIM_INFINITY}:
    NO_BLOCKS_ARE_KEPT = ""


@contextlib.contextmanager
def little_memory(more=2 << 30):
    """Lets the process grow by `more` bytes only: a few bytes of a pickle ask Python for all the memory there is."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    statm = Path("/proc/self/statm")
    if statm.exists():
        used = int(statm.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
