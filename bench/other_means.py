"""A version of a large array with one element changed, by whatever means there are: copies, private maps, a fork.

Usage: python bench/other_means.py [--mib 1024] [--means NAME ...] [--rounds 5] [--steps 20]

A step makes the version, writes to it, and drops it. Means take turns, each round in a process of its own; printed are
the median of all steps, and the median of the rounds' ratios to NumPy's copy. The source must be as it was.
"""

import argparse
import importlib.util
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from report import show_time

FIRST = 12  # steps before those that count: what a first write costs beyond is in docs/concepts.md


def copied(library, copy):
    """Steps by copies of the library's array."""

    def begin(n):
        source = library(n)

        def step(at):
            version = copy(source)
            version[at] = -1.0

        return step, lambda at: float(source[at])

    return begin


def by_cowarray(n):
    import cowarray

    return copied(cowarray.array, lambda x: x.copy())(n)


def by_torch(n):
    import torch

    return copied(lambda n: torch.from_numpy(n).clone(), lambda x: x._lazy_clone())(n)


def by_pandas(n):
    import pandas

    return copied(lambda n: pandas.Series(n, copy=False), lambda x: x.copy(deep=False))(n)


def by_private_map(n):
    """Of a file: `np.memmap`'s mode "c"."""
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "n.bin")
    n.tofile(path)

    def step(at):
        version = np.memmap(path, "f8", mode="c", shape=n.shape)
        version[at] = -1.0

    return step, lambda at: float(np.memmap(path, "f8", mode="r", shape=n.shape)[at]) + 0.0 * len(folder.name)


def write(x, at):
    x[at] = -1.0


def by_joblib(n):
    """A task that is handed the array, which joblib has written to a file."""
    import joblib

    parallel = joblib.Parallel(n_jobs=2, mmap_mode="c").__enter__()
    return lambda at: parallel([joblib.delayed(write)(n, at)]), lambda at: float(n[at])


def by_fork(n):
    """The child writes, and ends."""

    def step(at):
        child = os.fork()
        if child == 0:
            n[at] = -1.0
            os._exit(0)
        os.waitpid(child, 0)

    return step, lambda at: float(n[at])


MEANS = {
    "numpy": copied(lambda n: n, lambda n: n.copy()),
    "cowarray": by_cowarray,
    "torch _lazy_clone": by_torch,
    "pandas copy(deep=False)": by_pandas,
    'np.memmap, mode "c"': by_private_map,
    'joblib, mmap_mode="c"': by_joblib,
    "fork": by_fork,
}
NEEDS = {"torch _lazy_clone": "torch", "pandas copy(deep=False)": "pandas", 'joblib, mmap_mode="c"': "joblib"}


def measure(name, mib, steps):
    """Seconds of each step, in this process."""
    n = np.arange(mib << 17, dtype="f8")
    step, value = MEANS[name](n)
    seconds = []
    for number in range(FIRST + steps):
        at = 4099 * number % n.size
        began = time.perf_counter()
        step(at)
        seconds.append(time.perf_counter() - began)
        if value(at) != at:
            raise AssertionError(f"{name}: the source has changed")
    return seconds[FIRST:]


def in_a_process(name, mib, steps):
    command = [sys.executable, __file__, "--measure", json.dumps([name, mib, steps])]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{name}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main(words=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--means", action="append", choices=MEANS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    chosen = parser.parse_args(words)
    if chosen.measure:
        print(json.dumps(measure(*json.loads(chosen.measure))), flush=True)
        return
    found = {name: [] for name in chosen.means or MEANS}
    for name in [name for name in found if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None]:
        print(f"{name}: left out: {NEEDS[name]} is not installed")
        del found[name]
    for number in range(chosen.rounds):
        for name in list(found)[:: -1 if number % 2 else 1]:
            found[name].append(in_a_process(name, chosen.mib, chosen.steps))
    print(f"| {chosen.mib} MiB, an element changed | a step | of NumPy's copy |\n|---|---|---|")
    for name, rounds in found.items():
        pairs = zip(rounds, found.get("numpy", ()), strict=False)
        ratios = [statistics.median(a) / statistics.median(b) for a, b in pairs]
        ratio = f"{statistics.median(ratios):.2g}" if ratios else ""
        print(f"| {name} | {show_time(statistics.median(itertools.chain(*rounds)))} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
