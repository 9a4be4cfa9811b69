"""Limits to what the process of a test may take, and what it takes."""

import contextlib
import resource
import tracemalloc
from pathlib import Path

__all__ = ["LONGEST", "NO_BLOCKS_ARE_KEPT", "little_memory", "taken_by"]

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


@contextlib.contextmanager
def taken_by(*files):
    """Trace memory, and give a function that returns how many bytes the code in the files has taken and not freed.

    What is called from a line without a frame of its own, as compiled code is, counts as that line's. Other threads do
    not count: one of pytest-xdist's takes memory whenever it hears of more tests to run.
    """
    theirs = [tracemalloc.Filter(True, file) for file in files]

    def taken():
        return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces(theirs).traces)

    tracemalloc.start()
    try:
        yield taken
    finally:
        tracemalloc.stop()
