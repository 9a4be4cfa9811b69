"""What histories cost: changes, commits and checkouts of one element of a large array, beside a NumPy copy.

usage: histories.py [--mib N] [--versions N ...]

Medians in one process. A NumPy copy of the array is what each step would cost without a history.
"""

import argparse
import statistics
import time

import numpy as np
from report import show_bytes, show_time

import cowarray

PAGE = 4096


def timed(function, *args):
    start = time.perf_counter()
    result = function(*args)
    return time.perf_counter() - start, result


def median(times):
    return statistics.median(times)


def show_changes(x):
    y = x.by_page().copy()
    y[y.size // 3] += 1
    times = []
    for _ in range(50):
        taken, found = timed(cowarray.changes, x, y)
        assert found.size == 1
        times.append(taken)
    print(f"changes of two copies that differ in one element: {show_time(median(times))}")


def commit_one(history, rng):
    x = history.state
    x[rng.integers(x.size)] += 1
    taken, _ = timed(history.commit)
    return taken


def show_history(x, counts):
    rng = np.random.default_rng(28)
    history = cowarray.History(x)
    first = history.own_nbytes
    for count in counts:
        while len(history) < count:
            commit_one(history, rng)
        commits = [commit_one(history, rng) for _ in range(50)]
        tip = history.version
        backs = [timed(history.undo)[0] for _ in range(9)]
        forths = [timed(history.redo)[0] for _ in range(9)]
        far = [timed(history.checkout, number)[0] for number in (0, tip, tip // 2, tip)]
        own = (history.own_nbytes - first) / ((len(history) - 1) * PAGE)
        print(
            f"{len(history):,} versions: commit {show_time(median(commits))}, "
            f"neighbour {show_time(median(backs + forths))}, any {', '.join(map(show_time, far))}; "
            f"own memory {own:.2f} of the pages that changed, beside {show_bytes(first)} at first"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--versions", type=int, nargs="+", default=[10, 1000, 10_000])
    options = parser.parse_args()
    x = cowarray.ones(options.mib << 17)
    taken, _ = timed(np.copy, np.asarray(x))
    print(f"a NumPy copy of {show_bytes(x.nbytes)}: {show_time(taken)}")
    show_changes(x)
    show_history(x, options.versions)


if __name__ == "__main__":
    main()
