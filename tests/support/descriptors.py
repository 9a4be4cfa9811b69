"""What tests of `by_descriptor` share: another process, what a queue would send, and what may be left behind."""

import contextlib
import multiprocessing as mp
import os
import subprocess
import sys
import textwrap
import time
from multiprocessing.reduction import ForkingPickler

import numpy as np
from support.limits import LONGEST
from support.workers import serve

import cowarray as ca
from cowarray._processes.sharing import sharer

N = 1 << 20  # elements of 8 bytes


def left():
    """Leases, frozen files, and sockets of this process that have our names."""
    with open("/proc/net/unix", encoding="ascii") as file:
        ours = {line.split()[6] for line in file if "@cowarray-" in line}
    held = set()
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            held.add(os.readlink(f"/proc/self/fd/{number}"))
    return sharer().count, ca.paging_memory()["files"], sum(f"socket:[{inode}]" in held for inode in ours)


def wait_until(done):
    end = time.monotonic() + LONGEST / 5
    while not done():
        assert time.monotonic() < end, left()
        time.sleep(0.01)


@contextlib.contextmanager
def worker(method="fork"):
    """A function that calls another one in another process."""
    context = mp.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs,))
    process.start()
    theirs.close()

    def call(function, *arguments):
        ours.send((function, arguments))
        answer = ours.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    try:
        with ca.by_descriptor():
            yield call
    finally:
        ours.send(None)
        ours.close()
        process.join(LONGEST)
        assert process.exitcode == 0


def message_of(*values):
    """What a queue would send."""
    return bytes(ForkingPickler.dumps(values[0] if len(values) == 1 else values))


def numbers(n=N):
    return ca.array(np.arange(n, dtype="f8"))


def run(code):
    path = os.pathsep.join(path for path in sys.path if path)
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
