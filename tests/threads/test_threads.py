"""Across Storages threads synchronize nothing; within one they fill disjoint parts, as in NumPy.

Figures are the protocol's: N sharers that all write make N - 1 copies and one steal, in every interleaving.
"""

import multiprocessing
import os
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from processes import fork, wait
from support import threads
from support.limits import LONGEST

import cowarray as ca

pytestmark = [pytest.mark.threads, pytest.mark.usefixtures("quick_switches")]

THREADS = 8


def together(count, function):
    """Run function(i) in count threads that start at once; the first exception is raised here."""
    return threads.together(*[partial(function, i) for i in range(count)])


# ---- N sharers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [100, 10_000, 1 << 18])
@pytest.mark.parametrize("original", ["dropped", "writes", "stays"])
def test_threads_that_clone_one_array_and_write(n, original):
    for _ in range(20 if n < 1 << 18 else 5):
        x = ca.array(np.arange(float(n)))
        clones = together(THREADS, lambda i, x=x: x.copy())
        assert len({clone.storage.data_ptr for clone in clones}) == 1
        writers = clones
        if original == "writes":
            writers = [x, *clones]
        elif original == "dropped":
            del x
        ca.reset_stats()

        def write(i, writers=writers):
            writers[i][i] = -1
            return writers[i]

        written = together(len(writers), write)
        figures = ca.stats()
        assert figures["copies"] == len(writers) - (original != "stays")
        assert figures["steals"] == (original != "stays")
        assert figures["bytes_copied"] == figures["copies"] * n * 8
        expected = np.arange(float(n))
        for i, array in enumerate(written):
            old = expected[i]
            expected[i] = -1
            assert np.array_equal(array, expected)
            expected[i] = old
        if original == "stays":
            assert np.array_equal(x, expected)


def test_threads_that_clone_write_and_drop_in_one_go():
    n = 20_000
    x = ca.array(np.zeros(n))

    def work(i):
        for step in range(100):
            y = x.copy()
            y[step] = i
            y += 1
            z = y.reshape(-1, 2)
            z[0, 0] = 7
            assert (y[step], y.sum(), z[0, 0], x[step]) == (i + 1, n + i, 7, 0)

    together(THREADS, work)
    assert not x.any()
    assert x.storage.share_count == 1
    address = x.storage.data_ptr
    x[0] = 1
    assert x.storage.data_ptr == address


def test_overwriting_threads():
    for _ in range(50):
        x = ca.array(np.ones(10_000))
        clones = [x.copy() for _ in range(THREADS)]

        def write(i, clones=clones):
            if i % 2:
                clones[i].fill(i)
            else:
                clones[i] += i - 1

        together(THREADS, write)
        assert [clone.sum() for clone in clones] == [10_000 * i for i in range(THREADS)]
        assert x.sum() == 10_000


# ---- one Storage -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [64, 80_000, 1 << 21])
@pytest.mark.parametrize("sharer", ["kept", "dropped", "written"])
def test_threads_that_fill_disjoint_parts_of_a_shared_array(n, sharer):
    for _ in range(30 if n < 1 << 20 else 4):
        out = ca.array(np.zeros(n))
        other = [out.copy()]
        parts = np.split(out, THREADS)

        def fill(i, parts=parts, other=other):
            if i == 0 and sharer == "dropped":
                other.clear()
            elif i == 0 and sharer == "written":
                other[0][...] = -1
            if i % 3 == 0:
                parts[i][...] = i + 1
            elif i % 3 == 1:
                parts[i] += i + 1
            else:
                for k in range(0, len(parts[i]), max(1, len(parts[i]) // 8)):
                    parts[i][k : k + max(1, len(parts[i]) // 8)] = i + 1

        together(THREADS, fill)
        assert np.array_equal(out, np.repeat(np.arange(1.0, THREADS + 1), n // THREADS))
        if other:
            assert np.unique(other[0]).tolist() == [-1 if sharer == "written" else 0]


def test_threads_that_write_items_of_one_shared_array():
    for _ in range(30):
        out = ca.array(np.zeros(20_000, "i8"))
        other = out.copy()

        def fill(i, out=out):
            for k in range(i, 200, THREADS):
                out[k] = k + 1

        together(THREADS, fill)
        assert out[:200].tolist() == list(range(1, 201))
        assert not other.any()
        assert not out[200:].any()


# ---- writers beside readers ------------------------------------------------------------------------------------------


def test_snapshots_taken_while_another_thread_writes_elsewhere():
    x = ca.array(np.arange(50_000.0))
    total = x.sum()
    running = threading.Event()
    running.set()

    def write():
        rounds = 0
        while running.is_set() or rounds < 10:
            y = x.copy()
            y[...] = -1
            z = x.copy()
            z[0] = 5
            np.negative(z, out=z)
            rounds += 1
        return rounds

    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write) for _ in range(2)]
        kept = []
        for _ in range(200):
            shown = np.asarray(x)
            assert shown.sum() == total
            with memoryview(x) as view:
                assert view[3] == 3
            kept.append(shown)
        running.clear()
        assert all(writer.result(timeout=LONGEST) >= 10 for writer in writers)
    assert all(shown.sum() == total for shown in kept)


def test_snapshots_stay_while_their_array_is_written():
    x = ca.array(np.zeros(50_000))
    lock = threading.Lock()

    def work(i):
        for _ in range(50):
            with lock:
                shown = np.asarray(x)
                value = shown[0]
            assert (shown == value).all()
            with lock:
                x[...] = x[0] + 1
                other = x.copy()
            value = other[0]
            other[0] = -1
            assert (other[1:] == value).all()

    together(4, work)
    assert (x == 200).all()


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x[1:].__iadd__(x[:-1]),
        lambda x: x.__setitem__(slice(1, None), x[:-1]),
        lambda x: x.__setitem__(slice(1, None), x[:-1] + x[1:]),
        lambda x: np.add(x[1:], x[:-1], out=x[1:]),
        lambda x: np.copyto(x[1:], x[:-1]),
        lambda x: x.__iadd__(x[::-1]),
        lambda x: x.__setitem__((x[: 1 << 20] * 0).astype(int), x[: 1 << 20]),
    ],
    ids=["+=", "=", "= sum", "np.add", "copyto", "reversed", "index"],
)
def test_right_hand_side_of_ones_own_is_safe_from_another_sharer_that_steals(write):
    """Once x has left the shared bytes, the other sharer may write to them at any time: x must not read them."""
    n = 1 << 22
    plain = np.arange(float(n))
    write(plain)
    for _ in range(3):
        x = ca.array(np.arange(float(n)))
        y = x.copy()
        stop = threading.Event()

        def steal(y=y, stop=stop):
            while y.storage.share_count > 1 and not stop.is_set():
                time.sleep(0)
            y.to_numpy(writable=True).fill(-1)

        thread = threading.Thread(target=steal)
        thread.start()
        write(x)
        stop.set()
        thread.join()
        assert np.array_equal(x, plain)
        assert y.min() == y.max() == -1


# ---- the GIL ---------------------------------------------------------------------------------------------------------


def test_big_copy_lets_other_threads_run(whole_copies):
    x = np.zeros(1 << 25, like=ca.array(0.0))  # 256 MiB
    x[...] = 1
    sys.setswitchinterval(10)  # nobody is asked to let go: only a copy without the GIL lets the other thread in
    counts, stop, started = [0], threading.Event(), threading.Event()

    def count():
        started.set()
        while not stop.is_set():
            counts[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    started.wait()
    progress = [0]
    # Handing over once is 1; a copy of 256 MiB takes tens of milliseconds. A busy machine may give none of them away.
    while max(progress) <= 20 and len(progress) < 100:
        y = x.copy()
        before = counts[0]
        y[0] = 2
        progress.append(counts[0] - before)
    stop.set()
    thread.join()
    assert max(progress) > 20, progress


def test_copies_run_at_the_same_time(whole_copies):
    """Two threads are inside their copies at once: each finds the other's Storage shared while it copies."""
    x = np.zeros(1 << 24, like=ca.array(0.0))
    x[...] = 1
    ca.reset_stats()

    def write(i):
        y = x.copy()
        begin = time.perf_counter()
        y[i] = 5
        return begin, time.perf_counter()

    # A busy machine may give the threads one core in turns: try until they met.
    rounds = overlapped = 0
    deadline = time.monotonic() + LONGEST
    while not overlapped and time.monotonic() < deadline:
        (a, b), (c, d) = together(2, write)
        overlapped += max(a, c) < min(b, d)
        rounds += 1
    assert overlapped > 0, rounds
    assert ca.stats()["copies"] == 2 * rounds


# ---- fork ------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_while_others_copy():
    n = 100_000
    x = ca.array(np.arange(float(n)))
    views = [ca.array(np.zeros(n)) for _ in range(3)]
    stop = threading.Event()

    def copy(i):
        rounds = 0
        while not stop.is_set() or not rounds:
            y = x.copy()
            y[i] = rounds
            keep = views[i].copy()
            views[i][rounds % n] = rounds  # its Storage is copied again and again
            del keep
            rounds += 1
        return rounds

    def check():
        y = x.copy()
        y[0] = -1
        z = x.reshape(-1, 2)
        z += 1
        good = (x[0], y[0], z[0, 0]) == (0, -1, 1) and bool((np.asarray(x) == np.arange(float(n))).all())
        for view in views:
            clone = view.copy()
            view[3] = -3
            good = good and view[3] == -3 and clone[3] != -3
        x[1] = 8
        return good and x[1] == 8 and z[0, 1] == 2

    with ThreadPoolExecutor(3) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 on: fork in a process with threads
        copiers = [pool.submit(copy, i) for i in range(3)]
        results = [wait(fork(check)) for _ in range(25)]
        stop.set()
        assert all(copier.result(timeout=LONGEST) > 0 for copier in copiers)
    assert results == [0] * 25
    assert np.array_equal(x, np.arange(float(n)))


def double(x):
    x *= 2
    y = x.copy()
    y[0] = -1
    return x


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pool_of_processes(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    x = ca.array(np.arange(10_000.0))
    parts = [x[i::4] for i in range(4)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with multiprocessing.get_context(method).Pool(2) as pool:
            doubled = pool.map(double, parts)
    for i, part in enumerate(doubled):
        assert type(part) is ca.ndarray
        assert np.array_equal(part, np.arange(10_000.0)[i::4] * 2)
        part[0] = 3
    assert np.array_equal(x, np.arange(10_000.0))
