"""Ctrl-C at the end of what a budget counts: the end is waited for all the same, and the interrupt is raised after it.

Another thread holds the lock that the end needs, and the handler of a signal raises in the middle of the wait.
"""

import gc
import linecache
import signal
import sys
import threading
import time

import numpy as np
import pytest
from support.limits import LONGEST

import cowarray
from cowarray._modes.budget.runs import guard
from cowarray._ops.operands import watch_births

MIB = 1 << 20
N = 2 * MIB  # elements: so many that it takes a while
ROUNDS = 50  # the other thread may come too late, on a busy machine


class Interrupts:
    """Signals to the main thread from another one, each of which raises while `act` runs."""

    def __init__(self, many):
        self.wanted = many
        self.came = 0
        self.acting = False

    def handle(self, number, frame):
        self.came += 1
        if self.acting and self.came <= self.wanted:
            raise KeyboardInterrupt(self.came)

    def send(self):
        """Interrupt until all have been raised. Of several, all but the first must have come in the wait."""
        main = threading.main_thread().ident
        signal.pthread_kill(main, signal.SIGUSR1)
        until = time.monotonic() + LONGEST
        while self.wanted > 1 and self.came < self.wanted and self.acting and time.monotonic() < until:
            time.sleep(0.01)
            signal.pthread_kill(main, signal.SIGUSR1)

    def act(self, function, under_way):
        """Call a function, interrupted by a thread that has the guard from when it is under way. Returns what it
        raises."""
        begun = threading.Event()

        def hold():
            while True:
                with guard:
                    begun.set()
                    if under_way():
                        return self.send()
                if not self.acting:
                    return None
                time.sleep(1e-4)

        previous = signal.signal(signal.SIGUSR1, self.handle)
        thread = threading.Thread(target=hold)
        self.acting = True
        raised = None
        try:
            thread.start()
            begun.wait()
            function()
        except BaseException as error:
            self.acting = False
            raised = error
        finally:
            self.acting = False
            thread.join()
            signal.signal(signal.SIGUSR1, previous)
        return raised


def interrupt(prepare, run, many):
    """Prepare, and do what that returns until it is interrupted at its end. Returns what was raised, and the rest."""
    for _ in range(ROUNDS):
        interrupts = Interrupts(many)
        function, *rest = prepare()
        raised = interrupts.act(function, lambda: run._run.pools.reserved > 0)
        if interrupts.came:
            break
    assert interrupts.came, "nothing was under way when the other thread looked"
    assert isinstance(raised, KeyboardInterrupt)
    assert raised.args == (many,), "the wait was cut short"
    return raised, rest


def is_closing():
    """Whether the main thread is about to close a block, or waits there for the guard."""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        frame = sys._current_frames()[threading.main_thread().ident]
        if "run.__exit__" in linecache.getline(frame.f_code.co_filename, frame.f_lineno):
            return True
        time.sleep(1e-3)
    return False


def ends_elsewhere(run):
    """Whether an operation of another thread that does not fit says so, and waits for nobody."""
    found = []

    def work():
        with run:
            try:
                cowarray.ones(run._run.pools.budget) * 2
            except MemoryError:
                found.append(True)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(LONGEST)
    return found == [True]


# Raised once while it computes or waits; and three times, of which at least two come in the wait.
@pytest.fixture(params=[1, 3], ids=["once", "again and again"])
def many(request):
    return request.param


@pytest.fixture(params=["clock", "model"])
def cost(request):
    return request.param


@pytest.fixture(autouse=True)
def nothing_holds():
    before = watch_births(0)
    yield
    gc.collect()
    assert watch_births(0) == before


def test_an_interrupted_operation_keeps_no_locks_and_no_room(many, cost):
    base = cowarray.linspace(0, 1, N)
    with cowarray.budget("1 GiB", cost=cost) as run:

        def prepare():
            x = base + 1
            return lambda: cowarray.sin(x), x

        _, (x,) = interrupt(prepare, run, many)
        gc.collect()
        assert run._run.pools.reserved == 0
        assert run.live_bytes == base.nbytes + x.nbytes
        assert run.base_time > 0
        cowarray.evict(x)
        assert run.live_bytes == base.nbytes
        assert ends_elsewhere(run)
        assert np.array_equal(x, np.linspace(0, 1, N) + 1)


def test_a_write_whose_end_is_interrupted_is_recorded(many, cost):
    base = cowarray.linspace(0, 1, N)
    with cowarray.budget("1 GiB", cost=cost) as run:

        def prepare():
            x = base + 1
            shares = x.copy()
            return lambda: cowarray.sin(x, out=x), x, shares

        _, (x, shares) = interrupt(prepare, run, many)
        gc.collect()
        wanted = np.linspace(0, 1, N) + 1
        assert run._run.pools.reserved == 0
        assert run.live_bytes == 3 * x.nbytes
        cowarray.evict(x)
        assert run.live_bytes == 2 * x.nbytes
        cowarray.evict(shares)
        assert run.live_bytes == x.nbytes
        assert ends_elsewhere(run)
        assert np.array_equal(x, np.sin(wanted))
        assert np.array_equal(shares, wanted)


def test_an_operation_that_failed_is_what_the_interrupt_came_after(many):
    base = cowarray.linspace(1, 2, N)
    base[-1] = -1
    with cowarray.budget("1 GiB") as run:

        def prepare():
            x = base * 1
            shares = x.copy()

            def fail():
                with np.errstate(all="raise"):
                    cowarray.log(x, out=x)

            return fail, x, shares

        raised, (x, shares) = interrupt(prepare, run, many)
        while raised is not None and not isinstance(raised, FloatingPointError):
            raised = raised.__context__
        assert raised is not None
        del raised
        gc.collect()
        assert run._run.pools.reserved == 0
        assert run.live_bytes == 3 * x.nbytes
        with pytest.raises(BufferError, match="has failed"):
            cowarray.evict(x)
        cowarray.evict(shares)
        assert run.live_bytes == 2 * x.nbytes
        assert ends_elsewhere(run)
        assert np.array_equal(shares, base)


def test_what_is_not_recorded_is_counted_all_the_same(many):
    with cowarray.budget("1 GiB") as run:

        def prepare():
            x = cowarray.zeros(N) + 1
            return lambda: x.resize(4 * N), x

        _, (x,) = interrupt(prepare, run, many)
        gc.collect()
        assert run._run.pools.reserved == 0
        assert x.shape == (4 * N,)
        assert cowarray.is_checkpointed(x)
        assert run.live_bytes == x.nbytes
        with pytest.raises(BufferError, match="resize"):
            cowarray.evict(x)


def test_a_block_that_is_interrupted_as_it_ends_has_ended(many, tmp_path):
    x = cowarray.linspace(0, 1, N)
    run = cowarray.budget("1 GiB", log=tmp_path / "run.log")
    run.__enter__()
    kept = x + 1
    interrupts = Interrupts(many)
    raised = interrupts.act(lambda: run.__exit__(None, None, None), is_closing)
    assert isinstance(raised, KeyboardInterrupt)
    assert raised.args == (many,), "the wait was cut short"
    assert run._run.is_over
    assert not cowarray.is_checkpointed(x + 1)
    with pytest.raises(RuntimeError, match="is complete"):
        run.__enter__()
    cowarray.evict(kept)
    assert np.array_equal(kept, np.linspace(0, 1, N) + 1)
