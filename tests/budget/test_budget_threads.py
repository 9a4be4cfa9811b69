"""Threads, forks and several runs share a budget, what is made again in it, and their arrays."""

import os

import numpy as np
import pytest
from budget_programs import run as run_program
from budgets import MIB, N, chain
from support.seeds import worlds
from support.threads import together

import cowarray
from cowarray._modes.budget import outside


def test_what_another_thread_has_let_go_of_meanwhile_is_not_managed():
    """Each looks when nobody else can be in the middle."""
    x = cowarray.decheckpoint(cowarray.checkpoint(cowarray.ones(3)))
    assert outside.decheckpoint(x) is None
    with pytest.raises(BufferError, match="not managed"):
        outside.evict(x)
    assert outside.where_away(x) == ""
    assert x.tolist() == [1, 1, 1]


def test_threads_that_wait_have_one_making():
    x = cowarray.checkpoint(cowarray.ones(1000))
    with cowarray.budget("10 MiB", small=0) as run:
        y = cowarray.tanh(x)
        cowarray.evict(y)
        wanted = np.tanh(np.ones(1000)).tolist()
        assert together(*[y.tolist] * 8) == [wanted] * 8
    assert run.remakes == 1


def test_threads_share_a_budget():
    x = cowarray.linspace(0, 1, N)
    wanted = chain(np.asarray(x), 12, np.tanh)
    run = cowarray.budget(24 * MIB).start()

    def work():
        steps = chain(x, 12)
        for i in (12, 3, 7, 1):
            assert np.array_equal(np.asarray(steps[i]), wanted[i])

    together(*[work] * 8)
    run.stop()
    assert run.peak_bytes <= 24 * MIB


@pytest.mark.parametrize("seed", worlds(10))
def test_random_programs_that_eight_threads_ask(seed):
    assert run_program(2000 + seed, threads=True) == []


def test_a_forked_child_goes_on():
    x = cowarray.linspace(0, 1, N)
    with cowarray.budget(6 * MIB) as run:
        steps = chain(x, 10)
        child = os.fork()
        if child == 0:
            wrong = [float(step[5]) for step in steps] != [float(np.asarray(step)[5]) for step in chain(x, 10)]
            os._exit(wrong or run.peak_bytes > 6 * MIB)
        assert os.waitpid(child, 0)[1] == 0
    wanted = chain(np.asarray(x), 10, np.tanh)
    assert np.array_equal(np.asarray(steps[7]), wanted[7])


def test_arrays_of_two_runs():
    x = cowarray.linspace(0, 1, N)
    with cowarray.budget("64 MiB"):
        a = x + 1
    with cowarray.budget("64 MiB"):
        b = a * 2
        a += 1
        c = a.copy()
    cowarray.evict(b)
    cowarray.evict(a)
    del a
    assert b[0] == 2
    assert c[0] == 2


def test_threads_that_share_a_generator():
    rng = cowarray.random.default_rng(1)
    run = cowarray.budget("256 MiB").start()
    found = [one for each in together(*[lambda: [rng.normal(size=20000) for _ in range(20)]] * 4) for one in each]
    run.stop()
    before = [each.tobytes() for each in found]
    for each in found:
        cowarray.evict(each)
    assert [each.tobytes() for each in found] == before
