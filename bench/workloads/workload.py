"""Runs a workload in its ways, each time in a process of its own, and compares time, memory, bytes copied and results.

A workload is a module with `WAYS` and ``job(library, small, ...)``. `WAYS` maps names, whose first word is the
library's, to the other arguments of the job. The job is a generator: what comes before its only ``yield`` makes the
data and is not measured; what it returns, when called, gives the results that must be equal.
"""

import argparse
import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
import zlib
from pathlib import Path

__all__ = ["in_a_process", "main", "run"]

FOLDER = Path(__file__).parent


class NumPy:
    """Defensive copies, counted where they are made."""

    copied = 0

    def begin(self):
        self.copied = 0

    def array(self, n):
        return n

    def copy(self, a):
        self.copied += a.nbytes
        return a.copy()


class Cowarray:
    """The same program on lazy copies; the library counts."""

    def __init__(self):
        import cowarray

        self.cowarray = cowarray

    def array(self, n):
        return self.cowarray.array(n)

    def begin(self):
        self.cowarray.reset_stats()

    def copy(self, a):
        return a.copy()

    @property
    def copied(self):
        return self.cowarray.stats()["bytes_copied"]


class Torch:
    """torch's lazy clones. torch does not report what it copies."""

    copied = None

    def __init__(self):
        import torch

        self.torch = torch

    def array(self, n):
        # What from_numpy gives cannot be cloned lazily.
        return self.torch.from_numpy(n).clone()

    def begin(self):
        pass

    def copy(self, a):
        return a._lazy_clone()


LIBRARIES = {"numpy": NumPy, "cowarray": Cowarray, "torch": Torch}


def checksum(array):
    """The checksum of an array's bytes, from any library."""
    import numpy as np

    return zlib.crc32(memoryview(np.ascontiguousarray(array)).cast("B"))


def run(module, way, small=False):
    """Run one way here.

    Parameters
    ----------
    module : module
    way : str
        Of the module's `WAYS`.
    small : bool
        A few kilobytes, for a smoke test.

    Returns
    -------
    dict
        ``seconds``, ``peak_bytes`` (beyond the data that the job started with), ``bytes_copied`` (None: unknown),
        ``result``.
    """
    library = LIBRARIES[way.split()[0]]()
    job = module.job(library, small=small, **module.WAYS[way])
    next(job)
    library.begin()
    before = start_peak()
    start = time.perf_counter()
    try:
        next(job)
        raise AssertionError(f"{module.__name__}: the job yields twice")
    except StopIteration as end:
        seconds, peak, copied = time.perf_counter() - start, peak_since(before), library.copied
        result = end.value()
    return {"seconds": seconds, "peak_bytes": peak, "bytes_copied": copied, "result": result}


def start_peak():
    """Begin to watch the peak of resident memory; the bytes resident now."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return most_resident()


def peak_since(before):
    """Bytes by which resident memory has exceeded its earlier size."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return max(0, int(line.split()[1]) * 1024 - before)
    except OSError:
        pass
    return max(0, most_resident() - before)


def most_resident():
    # Kilobytes, but bytes on macOS. Includes what the process was before it became this program: the parent is kept
    # small.
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


# When several threads clone a tensor lazily, torch 2.13 raises this now and then, or its heap is damaged and it aborts:
# the program, which holds nothing of ours, is run again.
TORCH_LOST = "Expected storage != nullptr to be true"
TRIES = 5


def in_a_process(name, way, small=False):
    """`run` in a new process.

    Parameters
    ----------
    name : str
        The workload: ``"cache"``, ``"undo"``, ``"ensemble"``.
    way : str
    small : bool

    Returns
    -------
    dict
        As `run`.
    """
    command = [sys.executable, str(FOLDER / f"{name}.py"), "--way", way, *(["--small"] if small else [])]
    for _ in range(TRIES):
        done = subprocess.run(command, capture_output=True, text=True)
        if way != "torch" or not (TORCH_LOST in done.stderr or done.returncode < 0):
            break
    if done.returncode != 0:
        raise RuntimeError(f"{name}, {way}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def main(name):
    """The command line of a workload: without arguments a table of all ways, with --way the figures of one as JSON."""
    module = importlib.import_module(name)
    parser = argparse.ArgumentParser(description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=module.WAYS, help="run this one, once, and print JSON")
    parser.add_argument("--rounds", type=int, default=5, help="how often each way runs, in turn (default: 5)")
    parser.add_argument("--small", action="store_true", help="a few kilobytes only")
    arguments = parser.parse_args()
    if arguments.way:
        print(json.dumps(run(module, arguments.way, arguments.small)))
        return 0
    print(module.__doc__.partition("\n")[0])
    found = {way: [] for way in module.WAYS}
    for _ in range(arguments.rounds):
        for way in list(found):
            try:
                found[way].append(in_a_process(name, way, arguments.small))
            except RuntimeError as error:
                print(f"not run: {str(error).splitlines()[0]}: {str(error).splitlines()[-1]}")
                del found[way]
    print(f"{'':<24}{'time':>10}{'of NumPy':>10}{'memory':>12}{'copied':>12}")
    for way, runs in found.items():
        ratio = statistics.median(a["seconds"] / b["seconds"] for a, b in zip(runs, found["numpy"], strict=True))
        seconds = statistics.median(each["seconds"] for each in runs)
        memory = f"{runs[-1]['peak_bytes'] / 1e6:.1f} MB"
        copied = runs[-1]["bytes_copied"]
        copied = "not told" if copied is None else f"{copied / 1e6:.1f} MB"
        print(f"{way:<24}{seconds:>8.3f} s{ratio:>10.2f}{memory:>12}{copied:>12}")
    results = {json.dumps(each["result"]) for runs in found.values() for each in runs}
    print("All results are equal." if len(results) == 1 else "WRONG: the results differ.")
    return 0 if len(results) == 1 else 1
