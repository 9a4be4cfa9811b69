"""What a history costs beside NumPy's copies: ``python bench/history.py [--mib 1024] [--versions 10 1000 10000]``.

One element at random of one array is written and committed, in memory and in a folder. Figures are medians of one run.
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
    """The times of the last thousand commits, and the bytes written for one."""
    times, before, start = [], 0, len(history)
    x = history.state
    for k in range(start, until):
        x[int(rng.integers(count))] = k
        if k == until - 1:
            before = written()
        times.append(timed(history.commit))
    return times[-1000:], written() - before


def measure(history, count, versions, rng, nbytes):
    for until in versions:
        times, wrote = commits(history, count, rng, until + 1)
        own = history.own_nbytes / (until * 4096)
        print(
            f"  {until:>7} versions: commit {ms(times)}, {wrote} bytes written, memory {own:.2f} of the changed pages"
        )
    tip = history.version
    print(f"  a neighbour: {ms([timed(history.undo), timed(history.redo), timed(history.undo), timed(history.redo)])}")
    far = timed(lambda: history.checkout(1))
    print(f"  from version {tip} to 1: {far * 1e3:.1f} ms, {far / tip * 1e6:.1f} us a page")
    history.checkout(tip)


def comparisons(x):
    a, b = x.copy(), x.copy()
    a[x.size // 2] = 2.0
    b[0] += 0.0
    return [timed(lambda: cowarray.changes(a, b)) for _ in range(9)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--versions", type=int, nargs="+", default=[10, 1000, 10000])
    parser.add_argument("--stored", type=int, nargs="+", default=[10, 1000])
    options = parser.parse_args()
    count = options.mib << 17
    rng = np.random.default_rng(0)
    plain = np.zeros(count)
    plain[:] = 1.0
    copies = [timed(plain.copy) for _ in range(3)]
    print(f"{options.mib} MiB; NumPy's copy of it: {ms(copies)}")
    x = cowarray.array(plain)
    del plain

    print(f"changes of two copies that differ in an element: {ms(comparisons(x.by_page()))}")
    print("in memory:")
    measure(cowarray.History(x), count, options.versions, rng, x.nbytes)
    with tempfile.TemporaryDirectory() as folder:
        print("in a folder:")
        with cowarray.History(folder, x) as history:
            measure(history, count, options.stored, rng, x.nbytes)
        print(f"  opened in {timed(lambda: cowarray.History(folder, mode='r').close()) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
