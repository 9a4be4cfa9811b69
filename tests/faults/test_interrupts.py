"""Ctrl-C in the middle of a big copy or write: old values or new ones, nothing shared twice, nothing locked or lost.

Where NumPy is at work on Python objects an interrupt stops it between two elements, and it leaves some of them written:
then each element is old or new. Everywhere else an array is all old or all new.
"""

import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from support.limits import LONGEST
from support.seeds import chosen_seed
from support.tracing import TracingAllocator

import cowarray

N = 1 << 19
OLD = np.arange(float(N)) % 1000


def numbers(values):
    """Python code for each element."""
    yield from values


class Slow:
    """A number that takes Python code to read: an interrupt comes in between two of them."""

    def __float__(self):
        return 7.0

    def __add__(self, other):
        return 7.0


SLOW = np.full(N, Slow())


def objects():
    return (OLD + 1).astype(object)


# Name -> (the write, whether NumPy may stop between two elements).
WRITES = {
    "materialize": (lambda x: x.materialize(), False),
    "item": (lambda x: x.__setitem__(0, 5.0), False),
    "x += 1": (lambda x: x.__iadd__(1.0), False),
    "x[...] =": (lambda x: x.__setitem__(..., OLD + 1), False),
    "big cast": (lambda x: x.__setitem__(..., np.arange(N, dtype="i2")), False),
    "out": (lambda x: np.add(x, 1.0, out=x), False),
    "sort": (lambda x: x.sort(), False),
    "partition": (lambda x: x.partition(N // 2), False),
    "byteswap": (lambda x: x.byteswap(True), False),
    "put": (lambda x: x.put(np.arange(N), OLD[::-1]), False),
    "mask": (lambda x: x.__setitem__(x > 500, 7.0), False),
    "list": (lambda x: x.__setitem__(..., list(numbers(OLD + 1))), False),
    "iterator": (lambda x: x.__setitem__(..., np.fromiter(numbers(OLD + 1), float)), False),
    "objects": (lambda x: x.__setitem__(..., objects()), True),
    "elements": (lambda x: x.__setitem__(..., SLOW), True),
    "elements, added": (lambda x: np.add(SLOW, 0.0, out=x, casting="unsafe"), True),
    "elements, in a view": (lambda x: x[::-1].__setitem__(..., SLOW), True),
    "part": (lambda x: x[::2].__setitem__(..., objects()[::2]), True),
    "frompyfunc": (lambda x: np.frompyfunc(lambda value: value + 1, 1, 1)(OLD, out=x, casting="unsafe"), True),
    "eager copy": (lambda x: x[::-1].copy(order="C"), False),
    "many copies": (lambda x: [x.reshape(64, -1).copy(order="F") for _ in range(4)], False),
}


def usable(array):
    """Whether another thread can write to array and clone it: no lock is held, no Storage is busy."""
    done = []

    def use():
        clone = array.copy()
        array[1] = array[1]
        done.append(clone[0] == array[0])

    thread = threading.Thread(target=use)
    thread.start()
    thread.join(LONGEST)
    return done == [True]


def interrupted(write, x, delay):
    """Whether SIGALRM, after delay, has stopped write."""

    def stop(number, frame):
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(delay, 1e-6))
        write(x)
        while signal.getitimer(signal.ITIMER_REAL)[0]:
            time.sleep(1e-4)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    return False


def duration(write):
    plain = cowarray.array(OLD)
    other = plain.copy()
    start = time.perf_counter()
    write(plain)
    del other
    return time.perf_counter() - start, plain.__array__(copy=True)


def check(x, view, other, shown, new, partial):
    values = x.__array__(copy=True)
    if partial:
        assert np.all((values == OLD) | (values == new))
    else:
        assert np.array_equal(values, OLD) or np.array_equal(values, new, equal_nan=True)
    assert view.storage is x.storage
    assert np.array_equal(view, values[1:], equal_nan=True)
    assert np.array_equal(other, OLD)
    assert np.array_equal(shown, OLD)
    # x still shares with the two others, or has bytes of its own.
    assert (x.storage.share_count, other.storage.share_count) in ((3, 3), (1, 2))
    assert cowarray.shares_bytes(x, other) == (x.storage.share_count == 3)
    assert not cowarray.explain(x).pinned


@pytest.mark.sampled
@pytest.mark.parametrize("write", WRITES)
def test_timer_in_the_middle(write):
    run_interrupts(*WRITES[write], 6)


@pytest.mark.long
@pytest.mark.parametrize("write", WRITES)
def test_timer_at_many_moments(write):
    run_interrupts(*WRITES[write], 300)


def run_interrupts(write, partial, rounds):
    seed = chosen_seed()
    moments = random.Random(seed)
    lasts, new = duration(write)
    stopped = 0
    with TracingAllocator() as tracing:
        for turn in range(rounds):
            x = cowarray.array(OLD)
            view, other, shown = x[1:], x.copy(), np.asarray(x)
            # The first comes at once, or nearly.
            stopped += interrupted(write, x, moments.uniform(0, lasts) if turn else 0)
            check(x, view, other, shown, new, partial)
            assert usable(other)
            assert usable(x)
            assert np.array_equal(shown, OLD)
            del x, view, other, shown
        gc.collect()
        report = tracing.report()
    assert (report["live_blocks"], report["faults"]) == (0, 0)
    assert stopped > 0


PROGRAM = """
import signal, sys
import numpy as np
sys.path[:0] = {path!r}
import test_interrupts as t
import cowarray
signal.signal(signal.SIGINT, signal.default_int_handler)
write, partial = t.WRITES[{name!r}]
_, new = t.duration(write)
x = cowarray.array(t.OLD)
stopped = False
try:
    print("ready", flush=True)
    while True:
        x = cowarray.array(t.OLD)
        view, other, shown = x[1:], x.copy(), np.asarray(x)
        write(x)
except KeyboardInterrupt:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stopped = True
assert stopped
names = ("view", "other", "shown")
if all(name in globals() for name in names) and view.storage is x.storage:
    t.check(x, view, other, shown, new, partial)
    assert t.usable(other)
assert t.usable(x)
print("whole", flush=True)
"""


@pytest.mark.sampled
@pytest.mark.parametrize("write", ["x += 1", "item", "list", "elements", "sort", "eager copy"])
def test_real_sigint(write):
    """In a process of its own, at a random moment of a loop of writes."""
    seed = chosen_seed()
    program = PROGRAM.format(path=[os.path.dirname(__file__), *sys.path], name=write)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(random.Random(seed).uniform(0, 0.1))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONGEST)
    finally:
        process.kill()
    assert (process.returncode, out) == (0, "whole\n"), err
