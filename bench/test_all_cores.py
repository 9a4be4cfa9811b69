"""What do threads cost that clone, write and drop at once? Their arrays are distinct and share one allocation."""

import os
import sys
import threading
import time

import numpy as np
import pytest
from paired import GIB, KIB, MIB, Way, numbers, pick, show, sizes
from peers import ours, torch_of

CORES = os.cpu_count() or 1
THREADS = sorted({1, 2, 4, CORES, 2 * CORES})
FREE_THREADED = not getattr(sys, "_is_gil_enabled", lambda: True)()


def in_threads(count, work):
    """Run work(i) in count threads that start together.

    Returns
    -------
    float
        Seconds from the start to the end of the last one.
    """
    ready = threading.Barrier(count + 1)
    failed = []

    def one(i):
        ready.wait()
        try:
            work(i)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    ready.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - start
    if failed:
        raise failed[0]
    return took


class Threads(Way):
    """A way whose clock runs from the moment at which all threads are there; a job is one clone in one thread.

    Parameters
    ----------
    count : int
        Threads.
    jobs : int
        In all.
    work : callable
        ``work(i, times)`` does a job that often in thread i.
    """

    def __init__(self, count, jobs, work):
        super().__init__("pass", once=True)
        self.count, self.times, self.work = count, max(1, jobs // count), work

    def seconds(self, calls):
        return in_threads(self.count, lambda i: self.work(i, self.times)) / (self.times * self.count)

    def result(self):
        in_threads(self.count, lambda i: self.work(i, self.times))


def cloners(sources, clone, write):
    def work(i, times):
        source = sources[i]
        for _ in range(times):
            y = clone(source)
            if write:
                y[0] = i
            del y

    return work


@pytest.mark.parametrize("size", sizes(64 * KIB, MIB, 64 * MIB, arrays=4 * CORES))
@pytest.mark.parametrize("threads", pick(THREADS, [2]))
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch", "torch clone"])
def test_clone_write_drop(compare, who, threads, size):
    """The ratio is that of the time per job in all threads: that of NumPy's throughput to ours."""
    jobs = pick(max(4 * threads, min(4000, GIB // 4 // size)), 2)

    def ways():
        n = numbers(size)
        x, t = ours(n), torch_of(n)
        own = [x.lazy_clone() for _ in range(threads)]
        lazy = [] if t is None else [t._lazy_clone() for _ in range(threads)]
        return {
            "cowarray": Threads(threads, jobs, cloners(own, lambda a: a.lazy_clone(), True)),
            "numpy": Threads(threads, jobs, cloners([n] * threads, np.copy, True)),
            "torch": Threads(threads, jobs, cloners(lazy, lambda a: a._lazy_clone(), True)),
            "torch clone": Threads(threads, jobs, cloners([t] * threads, lambda a: a.clone(), True)),
        }

    targets = {"numpy": 1.0} if threads >= CORES else {}
    case = f"{threads} thread{'s' if threads > 1 else ''}, {show(size)}"
    compare(
        who,
        ways,
        question="clone, write, drop in threads",
        case=case,
        targets=targets,
        threads=threads,
        size=size,
        seconds=3.0,
    )


@pytest.mark.parametrize("source", ["distinct arrays", "one array"])
@pytest.mark.parametrize("who", ["cowarray", "cowarray in one thread", "numpy views", "torch"])
def test_lazy_clones_from_two_threads(compare, who, source):
    """Time per clone in all, against one thread. There is a target only without a GIL: with one, two do no more."""
    jobs = pick(100_000, 2)

    def ways():
        n = numbers(MIB)
        x, t = ours(n), torch_of(n)
        distinct = source == "distinct arrays"
        own = [x.lazy_clone() if distinct else x for _ in range(2)]
        lazy = [None if t is None else t._lazy_clone() if distinct else t for _ in range(2)]

        def clone(a):
            return a.lazy_clone()

        return {
            "cowarray": Threads(2, jobs, cloners(own, clone, False)),
            "cowarray in one thread": Threads(1, jobs, cloners(own, clone, False)),
            "numpy views": Threads(2, jobs, cloners([n[:], n[:]] if distinct else [n, n], lambda a: a[:], False)),
            "torch": Threads(2, jobs, cloners(lazy, lambda a: a._lazy_clone(), False)),
        }

    # 1.7 times as many clones in a given time take 1 / 1.7 of the time each.
    target = 1 / 1.7 if source == "distinct arrays" else 1 / 0.5
    targets = {"cowarray in one thread": target} if FREE_THREADED else {}
    compare(who, ways, question="lazy clones from two threads", case=source, targets=targets, threads=2, seconds=3.0)
