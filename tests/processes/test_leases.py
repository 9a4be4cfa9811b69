"""What is sent can be fetched once, for a time, whoever ends, forks or is killed; then nothing is left."""

import contextlib
import gc
import multiprocessing as mp
import os
import pickle
import random
import signal
import threading
import time

import numpy as np
import pytest
from support.descriptors import N, message_of, numbers, run, wait_until, worker
from support.limits import LONGEST
from support.seeds import all_or, chosen_seed
from support.workers import (
    bytes_of_ones,
    loaded_total,
    loaded_twice,
    ping_pong,
    put_and_end,
    put_and_wait,
    resources,
    serve,
    set_elements,
    stats,
    total,
)

import cowarray as ca
from cowarray._processes import fetching, sharing, tickets
from cowarray._processes.handshake import CHALLENGE, new_socket
from cowarray._processes.sharing import Sharer, sharer


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_child_that_puts_and_ends_waits_until_it_is_taken(method):
    context = mp.get_context(method)
    queue = context.Queue()
    child = context.Process(target=put_and_end, args=(queue, N))
    child.start()
    time.sleep(0.5)
    assert total(queue.get(timeout=30)) == N
    child.join(30)
    assert child.exitcode == 0


def test_pools_whose_workers_end_after_a_task():
    with ca.by_descriptor(), mp.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        x = numbers()
        for i, y in enumerate(pool.imap(_touched, [x] * 6)):
            assert (y[3], y[4]) == (-1.0, 4.0), i
    del x, y


def _touched(x):
    return set_elements(x, [3], -1.0)


def test_a_fetch_from_a_killed_process_gives_an_array_whose_first_use_raises():
    context = mp.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=put_and_wait, args=(theirs, N))
    child.start()
    assert ours.poll(30)
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    x = ours.recv()
    assert (x.shape, x.dtype) == ((N,), np.dtype("f8"))
    for use in (lambda: x[0], lambda: x + 1, lambda: np.asarray(x), lambda: x.copy(), lambda: repr(x), lambda: _set(x)):
        with pytest.raises(OSError, match=f"process {child.pid}.*ended"):
            use()
    assert ca.by_descriptor.stats()["lost"] >= 1


def test_what_comes_late_raises_at_its_first_use():
    with worker("spawn") as call:
        tickets.lease_time[0] = 0.05
        message = message_of(numbers())
        time.sleep(0.2)
        with pytest.raises(OSError, match="too late"):
            call(loaded_total, message)


def test_what_is_loaded_twice_raises_at_the_second_ones_first_use():
    with worker("spawn") as call:
        first, second = call(loaded_twice, message_of(numbers()))
        assert first == float(np.arange(N).sum())
        assert "taken already" in second


@pytest.mark.parametrize("how", ["stopped", "slow"])
def test_what_a_slow_sender_has_can_be_fetched_later(how, monkeypatch):
    give, go_on = Sharer._give, mp.get_context("fork").Event()

    def slowly(*arguments):
        go_on.wait(60)
        give(*arguments)

    if how == "slow":  # it has heard the question
        monkeypatch.setattr(Sharer, "_give", slowly)
    with worker() as call:
        messages = [call(bytes_of_ones, N) for _ in range(2)]
        sender = call(os.getpid)
        monkeypatch.setattr(fetching, "_PATIENCE", 0.2)
        if how == "stopped":
            os.kill(sender, signal.SIGSTOP)
            os.waitid(os.P_PID, sender, os.WSTOPPED)
        try:
            x, dropped = map(pickle.loads, messages)
            for _ in range(2):
                with pytest.raises(TimeoutError, match=f"process {sender}.*not answer"):
                    x[0]
            assert (x.shape, x.dtype) == ((N,), np.dtype("f8"))
        finally:
            os.kill(sender, signal.SIGCONT)
            go_on.set()
        monkeypatch.setattr(fetching, "_PATIENCE", 30.0)
        with contextlib.ExitStack() as both:
            threads = [threading.Thread(target=x.copy) for _ in range(2)]
            for thread in threads:
                thread.start()
                both.callback(thread.join)
            x[0] = 3.0
        assert (x[0], x[1], total(x.copy())) == (3.0, 1.0, N + 2)
        del dropped
        wait_until(lambda: call(stats)["leases"] == 0)
        del x


def _set(x):
    x[0] = 1


def test_what_is_never_taken_ends_with_its_time():
    with ca.by_descriptor(lease=0.3):
        most = 0
        for _ in range(200):
            message_of(numbers(N // 2))
            most = max(most, ca.by_descriptor.stats()["leases"])
        assert most > 0
    wait_until(lambda: sharer().count == 0)


def test_one_array_that_is_sent_often_has_one_descriptor():
    x = numbers()
    with ca.by_descriptor(lease=0.5):
        message_of(x)
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(1000):
            message_of(x)
        assert len(os.listdir("/proc/self/fd")) <= before + 2  # the thread's, if it began meanwhile
    del x


def test_round_trips_leave_nothing_whether_or_not_they_are_taken():
    with worker("spawn") as call:

        def trips(count):
            for i in range(count):
                if i % 10 == 0:
                    x = numbers(N // 2)
                tickets.lease_time[0] = 600.0
                y = call(set_elements, x, [i], -1.0)
                assert (y[i], y[i + 1]) == (-1.0, i + 1)
                tickets.lease_time[0] = 0.1
                message_of(x if i % 2 else y)

        def afterwards():
            gc.collect()
            return resources(), call(resources)

        def is_back():
            return all(now <= was for now, was in zip(sum(afterwards(), ()), sum(before, ()), strict=True))

        trips(10)
        wait_until(lambda: [each[1:] for each in afterwards()] == [(0, 0, 0)] * 2)
        before = afterwards()  # with a connection, perhaps, that was about to be closed
        trips(all_or(10_000, 200))
        wait_until(is_back)


def test_killed_processes_leave_nothing():
    rng = random.Random(chosen_seed())
    context = mp.get_context("fork")
    with ca.by_descriptor(lease=1.0):
        x = numbers()
        for _ in range(all_or(1000, 15)):
            ours, theirs = context.Pipe()
            child = context.Process(target=ping_pong, args=(theirs,))
            child.start()
            theirs.close()
            end = time.monotonic() + rng.random() * 0.05
            with contextlib.suppress(EOFError, ConnectionError):
                while True:
                    ours.send(x)
                    if time.monotonic() > end:
                        os.kill(child.pid, signal.SIGKILL)
                    y = ours.recv()
                    with contextlib.suppress(OSError):
                        assert total(y) > 0
            child.join()
            ours.close()
            assert x[0] == 0.0
        del x, y


def test_a_child_of_a_fork_amid_fetches_can_send_and_fetch():
    with worker("spawn") as call:
        stop = threading.Event()

        def busy():
            x = numbers()
            while not stop.is_set():
                assert call(set_elements, x, [1], 2.0)[1] == 2.0

        thread = threading.Thread(target=busy)
        thread.start()
        try:
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    good = False
                    with contextlib.suppress(BaseException):
                        signal.alarm(LONGEST)
                        with worker("fork") as inner:
                            good = inner(total, ca.ones(N)) == N
                    os._exit(0 if good else 1)
                assert os.waitpid(child, 0)[1] == 0
        finally:
            stop.set()
            thread.join()


def test_few_descriptors_send_bytes():
    done = run(
        """
        import pickle, resource
        import cowarray as ca
        ca.paging(small_pages=True)
        from multiprocessing.reduction import ForkingPickler
        ca.by_descriptor.start()
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
        held = [ca.ones(1 << 20) for _ in range(15)]
        made = [pickle.loads(ForkingPickler.dumps(x)) for x in held]
        assert all(x.sum() == 1 << 20 for x in made)
        found = ca.by_descriptor.stats()
        assert found["sent"] + found["sent_as_bytes"] == 15 and found["sent_as_bytes"] >= 5, found
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_receiver_with_few_descriptors_copies():
    done = run(
        """
        import multiprocessing as mp, resource
        import cowarray as ca
        ca.paging(small_pages=True)
        from support.workers import serve, set_elements
        context = mp.get_context("spawn")
        ours, theirs = context.Pipe()
        child = context.Process(target=serve, args=(theirs,))
        child.start()
        ours.send((set_elements, (ca.ones(1 << 20), [0], 5.0)))
        ours.recv()
        resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
        made = []
        for i in range(30):
            ours.send((set_elements, (ca.ones(1 << 19), [0], float(i))))
            made.append(ours.recv())
        assert [x[0] for x in made] == [float(i) for i in range(30)]
        assert all(x[1] == 1.0 for x in made)
        found = ca.by_descriptor.stats()
        # One that comes before its lease has ended is here already.
        assert found["lost"] == 0 and found["fetched"] + found["held"] == 31, found
        ours.send(None)
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_many_receivers_at_once():
    n = 1 << 19
    context = mp.get_context("fork")
    with ca.by_descriptor():
        children, pipes = [], []
        for _ in range(70):
            ours, theirs = context.Pipe()
            children.append(context.Process(target=serve, args=(theirs,)))
            children[-1].start()
            pipes.append(ours)
        x = ca.ones(n)  # later than they began: each has to fetch it
        for pipe in pipes:
            pipe.send((total, (x,)))
        assert {pipe.recv() for pipe in pipes} == {float(n)}
        for pipe in pipes:
            pipe.send(None)
        for child in children:
            child.join(LONGEST)
    del x


def test_a_door_that_is_full_lets_others_wait(monkeypatch):
    """Who has been let in is not sent away for those who come later, but for being slow."""
    monkeypatch.setattr(sharing, "_MOST_GUESTS", 2)
    with worker() as call:
        message = message_of(numbers())
        silent = []
        for _ in range(2):
            silent.append(new_socket())
            silent[-1].connect(sharer()._door.name)
        wait_until(lambda: len(sharer()._door.guests) == 2)
        late = new_socket()
        late.connect(sharer()._door.name)
        late.settimeout(0.2)
        with pytest.raises(TimeoutError):
            late.recv(100)
        assert [len(each.recv(100)) for each in silent] == [CHALLENGE] * 2
        monkeypatch.setattr(sharing, "_MOST_SECONDS", 0.1)
        late.settimeout(LONGEST)
        assert len(late.recv(100)) == CHALLENGE
        late.close()
        assert call(loaded_total, message) == float(np.arange(N).sum())
        for each in silent:
            each.close()


def test_a_door_that_closes_gives_no_more_names():
    """A lease that comes when the last one has ended opens another."""
    one = Sharer()
    with ca.by_descriptor():
        message = message_of(numbers())
        base = next(iter(list(sharer()._leases.values()))).base
        door = one._door = sharing._Door()
        assert one._is_over(door)
        name, lease = one.lease(base, 60.0)
        assert name != door.name
        assert one.end(lease)
        one.want(False)
        pickle.loads(message)
    del base


def test_a_handler_of_a_signal_may_fetch_amid_a_fetch():
    with worker("spawn") as call:
        call(total, ca.ones(N // 2))
        before = len(os.listdir("/proc/self/fd"))
        found, messages = [], []

        def handle(*_):
            found.append(total(pickle.loads(messages.pop())))

        former = signal.signal(signal.SIGALRM, handle)
        try:
            for i in range(20):
                messages = [call(bytes_of_ones, N // 2) for _ in range(2)]
                message = messages.pop()
                signal.setitimer(signal.ITIMER_REAL, 0.0001 + 0.00005 * (i % 10))
                found.append(total(pickle.loads(message)))
                while messages:
                    time.sleep(0.001)
        finally:
            signal.signal(signal.SIGALRM, former)
        assert found == [N // 2] * 40
        assert len(os.listdir("/proc/self/fd")) <= before


def test_a_child_of_a_bare_fork_waits_at_its_end():
    done = run(
        """
        import multiprocessing as mp, os, sys, time
        import cowarray as ca
        ca.paging(small_pages=True)
        ours, theirs = mp.Pipe()
        with ca.by_descriptor():
            if os.fork() == 0:
                theirs.send(ca.ones(1 << 20))
                sys.exit()
            time.sleep(0.3)
            assert ours.recv().sum() == 1 << 20
        os.wait()
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_array_whose_base_was_closed_gets_another_to_travel_on():
    done = run(
        """
        import os, pickle
        import cowarray as ca
        ca.paging(small_pages=True)
        from multiprocessing.reduction import ForkingPickler
        x = ca.by_page(ca.ones(1 << 20))
        os.closerange(3, 1000)
        with ca.by_descriptor():
            assert pickle.loads(ForkingPickler.dumps(x)).sum() == 1 << 20
        assert ca.by_descriptor.stats()["sent"] == 1
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_longest_lease_of_all_who_hold_counts_and_a_fetch_renews_it():
    with worker("spawn") as call, ca.by_descriptor(lease=float("inf")):
        with ca.by_descriptor(lease=0.05):
            message = message_of(numbers())
        time.sleep(0.2)
        assert call(loaded_total, message) == float(np.arange(N).sum())
    x = numbers()
    with worker("spawn") as call:
        messages = [message_of(x) for _ in range(4)]
        ends = [lease.end for lease in list(sharer()._leases.values())]
        assert call(loaded_total, messages.pop()) == float(np.arange(N).sum())
        # A pool's workers take what was sent long before.
        wait_until(lambda: len(sharer()._leases) == 3)
        assert min(lease.end for lease in list(sharer()._leases.values())) > max(ends)
        for message in messages:
            assert call(loaded_total, message) == float(np.arange(N).sum())
    del x


def test_the_door_opens_again_after_its_thread_has_failed(monkeypatch):
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    with worker("spawn") as call:
        x = numbers()
        call(total, x)
        door = sharer()._door
        monkeypatch.setattr(door, "wait", lambda _: [][0])
        door.rouse()
        wait_until(lambda: sharer()._door is None)
        assert call(total, x) == float(np.arange(N).sum())
        y = numbers()
        assert call(total, y) == float(np.arange(N).sum())
        del x, y


def test_a_forked_child_does_not_keep_what_the_parent_has_leased():
    with ca.by_descriptor():
        message = message_of(numbers())
        child = os.fork()
        if child == 0:
            os._exit(0 if ca.paging_memory()["files"] == 0 and sharer().count == 0 else 1)
        assert os.waitpid(child, 0)[1] == 0
        pickle.loads(message)
