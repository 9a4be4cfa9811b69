"""What the slowest of many writes cost, beside NumPy: mixed writes to copies of large arrays, in one process.

usage: mixed_writes.py [--steps N] [--mib N] [--rounds N]

A step takes one of a few arrays at random, copies it, and writes to the copy, or to the array itself: an element, a
slice, some rows, scattered elements, a tenth of it, or all of it. Copies take the place of others, so some are kept for
long and some not at all. Each step is done by NumPy and by cowarray, in turn, on arrays of their own, and both are
timed; at the end both have the same values. Every round is a process of its own, in the default mode.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from report import show_time

import cowarray

__all__ = ["main", "measure", "percentile"]

MIB = 1 << 20
LIVE = 4
LIMIT = 2.0  # of NumPy's 99th percentile


def a_write(chance, n):
    """A write at random: a function of an array of n numbers."""
    value = chance.randrange(1, 1000)
    start = chance.randrange(n)
    kind = chance.choices(range(6), weights=(40, 25, 10, 20, 4, 1))[0]
    if kind == 0:
        return lambda x: x.__setitem__(start, value)
    if kind == 1:
        return lambda x: x.__setitem__(slice(start, start + 1000), value)
    if kind == 2:
        return lambda x: x.__setitem__(slice(start % 4096, start % 4096 + 40 * 4096, 4096), value)
    if kind == 3:
        places = np.array(sorted(chance.sample(range(n), 20)))
        return lambda x: x.__setitem__(places, value)
    if kind == 4:
        return lambda x: x[start // 2 : start // 2 + n // 10].__iadd__(value)
    return lambda x: x.fill(value)


def measure(steps, mib, seed):
    """Seconds of each step.

    Parameters
    ----------
    steps, mib, seed : int

    Returns
    -------
    dict
        ``"numpy"`` and ``"cowarray"``: a list of float.
    """
    n = mib * MIB // 8
    chance = random.Random(seed)
    live = {who: [make(np.arange(float(n))) for _ in range(LIVE)] for who, make in MAKERS.items()}
    seconds = {who: [] for who in MAKERS}
    for number in range(steps):
        one, other = chance.randrange(LIVE), chance.randrange(LIVE)
        to_source, write = chance.random() < 0.2, a_write(chance, n)
        for who in list(MAKERS)[:: -1 if number % 2 else 1]:
            arrays = live[who]
            begun = time.perf_counter()
            made = arrays[one].copy()
            write(arrays[one] if to_source else made)
            arrays[other] = made
            del made
            seconds[who].append(time.perf_counter() - begun)
    for ours, theirs in zip(live["cowarray"], live["numpy"], strict=True):
        np.testing.assert_array_equal(np.asarray(ours), theirs)
    return seconds


MAKERS = {"numpy": np.copy, "cowarray": cowarray.array}


def percentile(values, part):
    """The value below which a part of them lies, between 0 and 1."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def in_a_process(steps, mib, seed):
    command = [sys.executable, Path(__file__), "--measure", json.dumps([steps, mib, seed])]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--mib", type=int, nargs="+", default=[8, 64])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*json.loads(options.measure))))
        return 0
    print("| MiB | steps | who | median | 99th percentile | slowest | all |\n" + "|---" * 7 + "|")
    missed = False
    for mib in options.mib:
        ratios = []
        for seed in range(options.rounds):
            found = in_a_process(options.steps, mib, seed)
            for who, seconds in found.items():
                cells = [statistics.median(seconds), percentile(seconds, 0.99), max(seconds), sum(seconds)]
                print(f"| {mib} | {len(seconds)} | {who} | {' | '.join(map(show_time, cells))} |", flush=True)
            ratios.append(percentile(found["cowarray"], 0.99) / percentile(found["numpy"], 0.99))
        print(
            f"\n{mib} MiB: 99th percentile {statistics.median(ratios):.2f} of NumPy's (at most {LIMIT})\n", flush=True
        )
        missed |= statistics.median(ratios) > LIMIT
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
