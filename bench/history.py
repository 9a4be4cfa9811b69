"""What a history costs beside NumPy's copies: ``python bench/history.py [--mib 1024] [--versions 10 1000 100000]``.

One element at random of one array is written and committed, in memory and in a folder. Times of commits are the median
and the 99th percentile of the last thousand.
"""

import argparse
import statistics
import tempfile
import time

import numpy as np

import cowarray


def timed(function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def ms(seconds):
    return f"{statistics.median(seconds) * 1e3:.3f} ms"


def written():
    """Bytes that the process has handed to the system."""
    with open("/proc/self/io") as lines:
        return int(dict(line.split(": ") for line in lines.read().splitlines())["wchar"])


def commits(history, count, rng, until):
    """The times of the last thousand commits, and the bytes written for each of them."""
    times, before, start = [], written(), len(history)
    x = history.state
    for k in range(start, until):
        if k == until - 1000:
            before = written()
        x[int(rng.integers(count))] = -k
        times.append(timed(history.commit))
    return times[-1000:], (written() - before) // min(1000, until - start)


def measure(history, count, versions, rng):
    print(f"  {'versions':>8}  {'median':>9}  {'99 %':>9}  {'written':>8}  memory of the changed bytes")
    for until in versions:
        times, wrote = commits(history, count, rng, until + 1)
        own = history.own_nbytes / (until * 4096)
        worst = float(np.quantile(times, 0.99))
        print(f"  {until:>8}  {ms(times):>9}  {ms([worst]):>9}  {wrote:>8}  {own:.2f}", flush=True)
        steps = [timed(step) for _ in range(5) for step in (history.undo, history.redo)]
        print(f"            undo, redo: {ms(steps)}")
        there = [timed(lambda to=to: history.checkout(to)) for to in (1, until, 1, until)]
        pages = history_pages(history, 1, until)
        print(
            f"            from one end to the other: {ms(there)}, {pages} pages: {there[-1] / pages * 1e6:.1f} us each"
        )


def history_pages(history, a, b):
    return max(1, history._tree.between(a, b)[0].size)


def comparisons(x):
    a, b = x.copy(), x.copy()
    a[x.size // 2] = 2.0
    b[0] += 0.0
    return [timed(lambda: cowarray.changes(a, b)) for _ in range(9)]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--versions", type=int, nargs="*", default=[10, 1000, 100_000])
    parser.add_argument("--stored", type=int, nargs="*", default=[10, 1000, 100_000])
    parser.add_argument("--folder", help="where the folder is made; /dev/shm shows what is not the disk's")
    options = parser.parse_args(arguments)
    count = options.mib << 17
    rng = np.random.default_rng(0)
    plain = np.zeros(count)
    plain[:] = 1.0
    copies = [timed(plain.copy) for _ in range(3)]
    print(f"{options.mib} MiB; NumPy's copy of it: {ms(copies)}")
    x = cowarray.array(plain)
    del plain

    print(f"changes of two copies that differ in an element: {ms(comparisons(x.by_page()))}")
    print("in memory:", flush=True)
    if options.versions:
        measure(cowarray.History(x), count, options.versions, rng)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        print("in a folder:", flush=True)
        with cowarray.History(folder, x) as history:
            measure(history, count, options.stored, rng)
        del history
        opened = [timed(lambda: cowarray.History(folder, mode="r").close()) for _ in range(3)]
        print(f"  opened in {ms(opened)}")


if __name__ == "__main__":
    main()
