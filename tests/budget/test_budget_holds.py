"""Where a budget holds, and until when: blocks in threads, tasks and generators, and `start` and `stop`."""

import asyncio
import contextvars
import functools
import gc
import threading

import numpy as np
import pytest

import cowarray
from cowarray._ops.operands import watch_births

MIB = 1 << 20
N = MIB // 8


def holds(x):
    """Whether a budget holds here."""
    return cowarray.is_checkpointed(x + 1)


def in_a_context(test):
    """A test whose blocks end where their context is another one, which keeps what has ended."""

    @functools.wraps(test)
    def run(*args, **kwargs):
        contextvars.copy_context().run(test, *args, **kwargs)

    return run


@pytest.fixture
def x():
    before = watch_births(0)
    yield cowarray.linspace(0, 1, N)
    gc.collect()
    assert watch_births(0) == before


def in_thread(function):
    failures = []

    def work():
        try:
            function()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def test_a_block_can_be_entered_again(x):
    run = cowarray.budget(4 * MIB)
    with run:
        with run:
            assert holds(x)
        assert holds(x)
        steps = [x * i for i in range(8)]
    assert not holds(x)
    with run:
        assert holds(x)
        steps += [x * i for i in range(8, 12)]
        assert run.peak_bytes <= 4 * MIB
    assert not holds(x)
    for i, step in enumerate(steps):
        assert np.array_equal(step, np.linspace(0, 1, N) * i)


def test_a_budget_that_has_been_started_has_no_block(x):
    run = cowarray.budget(4 * MIB).start()
    try:
        with pytest.raises(RuntimeError, match="has been started"), run:
            pass
        assert holds(x)
        with cowarray.budget(8 * MIB) as other:
            assert holds(x)
        assert other.live_bytes == 0
        assert holds(x)
    finally:
        run.stop()
    assert not holds(x)
    with run:
        assert holds(x)
        with pytest.raises(RuntimeError, match="a block of this budget is open"):
            run.start()
        assert holds(x)
    assert not holds(x)
    with pytest.raises(RuntimeError, match="has not been started"):
        run.stop()
    run.start()
    assert holds(x)
    run.stop()
    assert not holds(x)


def test_threads_may_have_blocks_of_one_budget(x):
    run = cowarray.budget(6 * MIB)
    entered, left = threading.Event(), threading.Event()
    found = {}

    def work():
        with run:
            entered.set()
            left.wait()
            found["there"] = x * 5
            found["holds"] = holds(x)
        found["after"] = holds(x)

    thread = threading.Thread(target=work)
    with run:
        thread.start()
        entered.wait()
        here = x * 3
    assert not holds(x)
    left.set()
    thread.join()
    assert found["holds"]
    assert not found["after"]
    assert cowarray.is_checkpointed(here)
    assert np.array_equal(found["there"], np.linspace(0, 1, N) * 5)
    assert run.peak_bytes <= 6 * MIB


def test_a_task_that_outlives_the_block_is_outside(x):
    async def work(goes_on):
        assert holds(x)
        await goes_on.wait()
        assert not holds(x)
        made = cowarray.checkpoint(x) * 2
        assert cowarray.is_checkpointed(made)

    async def begin():
        goes_on = asyncio.Event()
        with cowarray.budget(6 * MIB):
            task = asyncio.create_task(work(goes_on))
            await asyncio.sleep(0)
        goes_on.set()
        await task

    asyncio.run(begin())


@in_a_context
def test_a_block_that_is_closed_in_another_thread_ends(x):
    def steps():
        with run:
            yield x * 2

    run = cowarray.budget(6 * MIB)
    generator = steps()
    made = next(generator)
    assert holds(x)
    with pytest.raises(RuntimeError, match=r"budget: .* in another thread or context"):
        in_thread(generator.close)
    assert not holds(x)
    assert cowarray.is_checkpointed(cowarray.checkpoint(made + 0) + 1)
    with cowarray.budget(6 * MIB):
        assert holds(x)
    assert not holds(x)
    made.evict()
    assert np.array_equal(made, np.linspace(0, 1, N) * 2)


@in_a_context
def test_blocks_that_do_not_end_in_reverse_order_all_end(x):
    def steps(run):
        with run:
            yield
            yield

    one, other = cowarray.budget(6 * MIB), cowarray.budget(7 * MIB)
    first, second = steps(one), steps(other)
    next(first)
    next(second)
    first.close()
    made = x * 2
    assert cowarray.is_checkpointed(made)
    assert one.live_bytes == 0
    assert other.live_bytes == 2 * MIB
    second.close()
    assert not holds(x)


def test_a_block_that_is_left_by_an_error_ends(x):
    with pytest.raises(ZeroDivisionError), cowarray.budget(6 * MIB):
        raise ZeroDivisionError
    assert not holds(x)


def test_a_log_that_cannot_be_finished_ends_the_budget_all_the_same(x):
    for begin, end in (("start", "stop"), ("__enter__", "__exit__")):
        run = cowarray.budget(6 * MIB, log="/dev/full")
        getattr(run, begin)()
        made = x * 2
        with pytest.raises(OSError, match="No space"):
            getattr(run, end)(*([None] * 3 if end == "__exit__" else []))
        assert not holds(x)
        assert made[5] == x[5] * 2
    cowarray.budget(6 * MIB).start().stop()


def test_a_log_is_of_one_block(x, tmp_path):
    run = cowarray.budget(6 * MIB, log=tmp_path / "run.log")
    with run, run:
        assert holds(x)
    written = (tmp_path / "run.log").read_bytes()
    for begin in (run.start, run.__enter__):
        with pytest.raises(RuntimeError, match=r"log .* is complete"):
            begin()
        assert not holds(x)
    assert (tmp_path / "run.log").read_bytes() == written
