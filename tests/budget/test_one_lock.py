"""Threads that make each other's arrays never wait for each other: one lock is for all that is made, and made again.

Each program runs in a process of its own, which is ended if it does not end: only a failure takes that long.
"""

import subprocess
import sys

import pytest
from support.limits import LONGEST

from cowarray._modes.budget import runs
from cowarray._modes.record.repeating import making

BEGIN = """
import gc
import sys
import threading
import numpy as np
import cowarray

sys.setswitchinterval(1e-5)
N = 2000
failures = []


def side_by_side(*functions):
    barrier = threading.Barrier(len(functions))

    def run(function):
        try:
            barrier.wait()
            function()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(each,)) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failures, failures
"""

# Arrays of each run are made from the other's, and all of them are away.
TWO_RUNS = """
for _ in range(150):
    x = cowarray.ones(N)
    with cowarray.budget("1 GiB", small=0) as one:
        a = x + 1
    with cowarray.budget("1 GiB", small=0) as other:
        b = x + 2
        c = a * 3
    with one:
        d = b * 4
        e = c + d
    with other:
        f = d + c
    made = a, b, c, d, e, f
    for each in made:
        cowarray.evict(each)
    found = [None] * 4

    def ask(place, array):
        found[place] = array[5]

    side_by_side(*[lambda i=i, y=y: ask(i, y) for i, y in enumerate((e, f, d, c))])
    assert found == [18, 18, 12, 6], found
"""

# A deferred array is made from evicted ones, while evicting and making again has a finalizer ask for a deferred one.
DEFERRED_AND_EVICTED = """
class Asks:
    def __init__(self, array):
        self.array = array
        self.itself = self  # so that the collector ends it, wherever it happens to run

    def __del__(self):
        asked.append(float(self.array[3]))


def evict_if_free(x):
    try:
        cowarray.evict(x)
    except BufferError:
        pass  # another thread reads it


asked = []
gc.set_threshold(20)
for _ in range(100):
    x = cowarray.checkpoint(cowarray.ones(N))
    evicted = [x + i for i in range(6)]
    for each in evicted:
        cowarray.evict(each)
    with cowarray.deferred():
        deferred = [each * 2 for each in evicted[:3]]
        others = [cowarray.ones(N) * 2 for _ in range(10)]
    for each in others:
        Asks(each)
    side_by_side(
        lambda: [each[0] for each in deferred],
        lambda: [each[0] for each in evicted[3:]],
        lambda: [each[0] for each in reversed(deferred)],
        lambda: [evict_if_free(each) for each in evicted[3:]] + [each[0] for each in evicted],
    )
    assert [each[1] for each in deferred] == [2, 4, 6]
    assert [each[1] for each in evicted] == [1, 2, 3, 4, 5, 6]
gc.collect()
assert len(asked) == 1000 and set(asked) == {2.0}
"""

# A generator has deferred draws and draws inside a budget.
SHARED_GENERATOR = """
for _ in range(60):
    rng, same = cowarray.random.default_rng(5), np.random.default_rng(5)
    with cowarray.deferred():
        first = rng.normal(size=N)
    with cowarray.budget("1 GiB", small=0):
        second = rng.normal(size=N)
    cowarray.evict(second)
    with cowarray.deferred():
        third = rng.normal(size=N) + second
    side_by_side(lambda: third[0], lambda: second[0], lambda: first[0], lambda: third[1])
    wanted = [same.normal(size=N) for _ in range(3)]
    assert first.tolist() == wanted[0].tolist()
    assert second.tolist() == wanted[1].tolist()
    assert third.tolist() == (wanted[2] + wanted[1]).tolist()
"""


@pytest.mark.threads
@pytest.mark.parametrize("program", [TWO_RUNS, DEFERRED_AND_EVICTED, SHARED_GENERATOR])
def test_threads_that_make_each_others_arrays_end(program):
    command = [sys.executable, "-c", BEGIN + program + "\nprint('ran')\n"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    assert (done.stdout, done.returncode) == ("ran\n", 0), done.stderr


def test_what_is_made_and_what_is_made_again_have_one_lock():
    assert runs.guard is making()
