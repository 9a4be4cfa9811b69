"""What kept generations cost: ``python bench/kept_generations.py [--mib 1024] [--counts 10 100 1000]``.

An array, of which one element at random is written in each generation, and all generations are kept: as lazy copies
(``kept.append(x.copy()); x[i] = v``, in the mode "eager", so that the mechanism alone is shown), and as versions of a
`History`, which has no window for a version that nobody looks at. Times of steps are by the thread's own clock: the
median, and the longest, of the fifty before the count. Memory is what the process has beyond its start, each base once.
"""

import argparse
import random
import statistics
import time

import numpy as np

import cowarray

MIB = 1 << 20
FREE = 6 << 30  # bytes that are left to others: more is not kept


def free():
    """Bytes that the system can still give."""
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) * 1024


def copies(nbytes):
    """Steps that keep lazy copies."""
    x = cowarray.array(np.ones(nbytes // 8))
    kept = []

    def step(at):
        kept.append(x.copy())
        x[at] = -1.0

    return step


def versions(nbytes):
    """Steps that keep versions of a history."""
    history = cowarray.History({"x": cowarray.array(np.ones(nbytes // 8))})
    x = history.state["x"]

    def step(at):
        x[at] = -1.0
        history.commit()

    return step


def show(way, nbytes, counts):
    """A row for each count."""
    chance, step = random.Random(1), way(nbytes)
    step(0)  # makes the base
    start, before, seconds = time.monotonic(), cowarray.paging_memory(), []
    for number in range(1, max(counts) + 1):
        at = chance.randrange(nbytes // 8)
        begun = time.thread_time()
        step(at)
        seconds.append(time.thread_time() - begun)
        if number in counts:
            last, now = seconds[-50:], cowarray.paging_memory()
            took = f"{statistics.median(last) * 1e3:.3f} ms | {max(last) * 1e3:.3f} ms"
            memory = f"{(now['resident'] - before['resident']) / MIB:.0f} MiB"
            print(f"| {way.__name__} | {number} | {took} | {memory} | {now['maps']} | {now['files']} |", flush=True)
        if number % 10 == 0 and free() < FREE:
            print(f"| {way.__name__} | {number}: no more memory after {time.monotonic() - start:.0f} s | | | | |")
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--counts", type=int, nargs="+", default=[10, 100, 300, 1000])
    options = parser.parse_args()
    cowarray.paging("eager")
    print("| kept as | generations | a step | longest | memory | maps | files |\n" + "|---" * 7 + "|")
    for way in (copies, versions):
        show(way, options.mib * MIB, options.counts)


if __name__ == "__main__":
    main()
