"""Deferred arrays and threads: nothing recorded is lost, nothing is made twice, nobody reads what is not made."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from support.limits import LONGEST
from support.threads import together

import cowarray as cw
from cowarray import deferred, materialize


def test_no_write_is_lost_between_recording_and_making():
    for _ in range(50):
        with deferred():
            a = cw.zeros(100)

        def write(a=a):
            for _ in range(50):
                np.add(a, 1, out=a)

        def make(a=a):
            for _ in range(50):
                seen = a.tolist()
                assert len(set(seen)) == 1
                assert seen[0] <= 50

        together(write, make, make)
        assert a.tolist() == [50] * 100


def test_each_node_runs_once(monkeypatch):
    from cowarray._modes.deferred import making

    ran = []
    run = making._Slice._run
    monkeypatch.setattr(making._Slice, "_run", lambda self, node: ran.append(node.number) or run(self, node))
    with deferred():
        x = cw.arange(100.0)
        for _ in range(30):
            x = x * 1.01
        parts = [x + i for i in range(16)]
    together(*[lambda i=i: parts[i].tolist() for i in range(16)])
    assert len(ran) == len(set(ran)) == 47


def test_threads_record_on_one_array():
    with deferred():
        x = cw.ones((8, 1000))
    rows = [x[i] for i in range(8)]

    def work(i):
        for k in range(50):
            rows[i] += k
            assert (x[i] * 1).shape == (1000,)

    together(*[lambda i=i: work(i) for i in range(8)])
    assert materialize(x).tolist() == [[1 + sum(range(50))] * 1000] * 8


def test_a_block_holds_in_its_own_context():
    made = []
    with deferred():
        together(lambda: made.append(cw.zeros(3)))
    assert not cw.is_deferred(made[0])


def test_what_waits_does_not_hold_the_interpreter():
    ticks, tries = [], 0
    while len(ticks) <= 5 and (tries := tries + 1) < 50:  # a busy machine may let nobody in for a while
        with deferred():
            slow = cw.ones((600, 600))
            for _ in range(20):
                slow = slow @ slow / 600
        stop = threading.Event()
        ticks.clear()

        def tick(stop=stop):
            while not stop.is_set():
                ticks.append(1)
                stop.wait(0.001)

        def make(slow=slow, stop=stop):
            try:
                together(lambda: materialize(slow), lambda: materialize(slow), lambda: materialize(slow))
            finally:
                stop.set()

        together(tick, make)
        assert slow[0, 0] == 1
    assert len(ticks) > 5


@pytest.mark.parametrize("threshold", [3, 7, 20])
def test_finalizers_may_compute_while_operations_are_recorded(threshold):
    program = Path(__file__).with_name("finalizers.py")
    subprocess.run([sys.executable, program, str(threshold)], check=True, timeout=LONGEST)
