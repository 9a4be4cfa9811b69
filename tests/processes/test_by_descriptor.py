"""Arrays go to other processes as values: nobody sees what another writes, and bytes that both have do not travel."""

import contextlib
import io
import multiprocessing as mp
import os
import pickle
import random
import secrets
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest
from support.seeds import all_or, chosen_seed
from support.workers import (
    bytes_of_ones,
    loaded_total,
    loaded_twice,
    ping_pong,
    put_and_end,
    put_and_wait,
    read_all,
    same_storage,
    serve,
    set_elements,
    stats,
    total,
)

import cowarray as ca
from cowarray._processes import tickets
from cowarray._processes.sharing import sharer

N = 1 << 20  # elements of 8 bytes


@pytest.fixture(autouse=True)
def nothing_is_left():
    paging = ca.paging("ledger", small_pages=True)  # where no huge pages can be had, or not soon enough, as well
    before = left()
    yield
    ca.paging(paging, small_pages=False)
    wait_until(lambda: all(now <= then for now, then in zip(left(), before, strict=True)))
    wait_until(lambda: all(thread.name != "cowarray" for thread in threading.enumerate()))


def left():
    """Leases, frozen files, and sockets of this process's user that have our names."""
    with open("/proc/net/unix", encoding="ascii") as file:
        sockets = sum(f"@cowarray-{os.geteuid()}-" in line for line in file)
    return sharer().count, ca.paging_memory()["files"], sockets


def wait_until(done, seconds=30.0):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, left()
        time.sleep(0.01)


@contextlib.contextmanager
def worker(method="fork"):
    """A function that calls another one in another process."""
    context = mp.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs,))
    process.start()
    theirs.close()

    def call(function, *arguments):
        ours.send((function, arguments))
        answer = ours.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    try:
        with ca.by_descriptor():
            yield call
    finally:
        ours.send(None)
        ours.close()
        process.join(30)
        assert process.exitcode == 0


def message_of(*values):
    """What a queue would send."""
    return bytes(ForkingPickler.dumps(values[0] if len(values) == 1 else values))


def numbers(n=N):
    return ca.array(np.arange(n, dtype="f8"))


# ---- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_a_value_goes_and_comes_back_as_pages(method):
    x = numbers()
    with worker(method) as call:
        before = ca.by_descriptor.stats()
        y = call(set_elements, x, [5], -1.0)
        after = ca.by_descriptor.stats()
        assert (y[5], x[5]) == (-1.0, 5.0)
        y[5] = 5.0
        assert np.array_equal(y, x)
        y[7] = 1.0
        assert ca.changes(x, y).nbytes == 8
        assert after["sent"] - before["sent"] == 1
        assert after["held"] - before["held"] == 1  # its base was here
        theirs = call(stats)
        assert theirs["fetched"] >= (method != "fork")
        del x, y


def test_what_was_sent_is_as_of_sending():
    ours, theirs = mp.Pipe()
    x = numbers()
    with ca.by_descriptor():
        ours.send(x)
        x[0] = 99.0
        ours.send(x)
        del x
        first, second = theirs.recv(), theirs.recv()
        assert (first[0], second[0]) == (0.0, 99.0)
        first[1] = 5.0
        assert second[1] == 1.0


def test_views_in_one_message_are_views_of_one_storage():
    x = numbers()
    with worker() as call:
        assert call(same_storage, x, x[: N // 2])[0]
        assert call(same_storage, x[::-1], x[::-1][: N // 2])[0]
        assert not call(same_storage, x, x.copy())[0]
        seen, a, b = call(same_storage, x, x.reshape(2, -1).T[:, 0])
        assert not seen  # a reshape is a copy
        assert x[0] == 0.0
        del a, b


@pytest.mark.parametrize("index", [slice(None, None, -1), slice(3, None), (slice(None), None), slice(None, N // 2)])
@pytest.mark.parametrize("dtype", ["f8", ">i8", "c8", [("a", "i4"), ("b", "f4")], "M8[s]"])
def test_layouts_and_dtypes_travel(index, dtype):
    x = ca.array(np.arange(N).astype("i8").view(dtype) if not isinstance(dtype, list) else np.zeros(N, dtype))
    with ca.by_descriptor():
        y = pickle.loads(message_of(x[index]))
    z = x[index]
    assert (y.shape, y.strides, y.dtype) == (z.shape, z.strides, z.dtype)
    assert y.tobytes() == z.tobytes()
    del x, y, z


def test_read_only_arrays_and_the_standards_arrays_stay_so():
    x = numbers()
    x.flags.writeable = False
    with ca.by_descriptor():
        assert not pickle.loads(message_of(x)).flags.writeable
        y = pickle.loads(message_of(ca.array_api.asarray(np.ones(N))))
        assert isinstance(y.sum(), ca.ndarray)  # a scalar elsewhere
        del y


def test_small_parts_and_small_arrays_go_as_bytes():
    x = numbers(4 * N)
    with ca.by_descriptor():
        before = ca.by_descriptor.stats()
        for part in (x[:100], x[: N - 1], ca.zeros(10), ca.zeros((0, 4))):
            assert np.array_equal(pickle.loads(message_of(part)), part)
        assert ca.by_descriptor.stats() == before
        assert len(message_of(x[:100])) < 2000


def test_what_was_written_densely_goes_as_a_base_of_its_own():
    x = numbers()
    with worker() as call:
        before = call(stats)["sent"]
        y = call(set_elements, x, list(range(0, N, 256)), 3.0)  # every second page
        assert call(stats)["sent"] == before + 1
    expected = np.arange(N, dtype="f8")
    expected[::256] = 3.0
    assert np.array_equal(y, expected)
    del x, y


@pytest.mark.parametrize("kind", ["exported", "history", "file", "foreign"])
def test_memory_that_others_may_change_is_copied_first(kind, tmp_path):
    expected = np.arange(N, dtype="f8")
    held = None
    if kind == "exported":
        x = numbers()
        pin = ca.lend(x)
        held = pin.__enter__()
    elif kind == "history":
        held = ca.History(numbers())
        x = held.state
    elif kind == "file":
        np.save(tmp_path / "x.npy", expected)
        x = ca.load(tmp_path / "x.npy", pages=True)
    else:
        expected.flags.writeable = False
        x = ca.asarray(expected)
    with worker() as call:
        message = message_of(x)
        if kind == "history":
            x[0] = 5.0
            held.commit("later")
        if kind == "file":
            with open(tmp_path / "x.npy", "r+b") as file:
                file.seek(-8, os.SEEK_END)
                file.write(b"12345678")
        assert call(loaded_total, message) == float(np.arange(N, dtype="f8").sum())
    if kind == "exported":
        pin.__exit__(None, None, None)
    del x, held


def test_arrays_that_a_mode_watches_go_as_ever():
    with ca.by_descriptor():
        with ca.budget("64 MiB"):
            x = ca.ones(N) + 1
            assert total(pickle.loads(message_of(x))) == 2.0 * N
        with ca.fake(), pytest.raises((ca.FakeError, TypeError)):
            message_of(ca.ones(N))
        objects = ca.array(np.array([None] * N, dtype=object))
        assert pickle.loads(message_of(objects)).shape == (N,)
        assert ca.by_descriptor.stats()["leases"] == 0
        del x


def test_random_programs_of_two_processes_give_what_numpy_gives():
    seed = chosen_seed()
    rng = random.Random(seed)
    with worker("spawn") as call:
        for _ in range(all_or(500, 25)):
            base = np.array([rng.random() for _ in range(8)] * (N // 8))
            ours, expected = ca.array(base), [base.copy()]
            arrays = [ours]
            for _ in range(rng.randrange(1, 6)):
                i = rng.randrange(len(arrays))
                where = [rng.randrange(N) for _ in range(rng.choice([0, 1, 3, 2000]))]
                value = rng.random()
                if rng.random() < 0.3:
                    set_elements(arrays[i], where, value)
                    expected[i][where] = value
                else:
                    arrays.append(call(set_elements, arrays[i], where, value))
                    expected.append(expected[i].copy())
                    expected[-1][where] = value
            for x, n in zip(arrays, expected, strict=True):
                assert np.array_equal(x, n)
            del arrays, ours, x


def test_a_fork_join_does_not_depend_on_who_came_first():
    rng = random.Random(chosen_seed())
    x = numbers()
    with ca.by_descriptor(), ProcessPoolExecutor(2, mp_context=mp.get_context("fork")) as pool:
        for _ in range(all_or(200, 10)):
            places = [sorted({rng.randrange(N) for _ in range(5)}) for _ in range(4)]
            parts = list(pool.map(set_elements, [x] * 4, places, [1.5] * 4))
            expected = np.arange(N, dtype="f8")
            for where in places:
                expected[where] = 1.5
            assert np.array_equal(ca.merge(x, *parts), expected)
            other = pool.submit(set_elements, x, places[0][:1], 2.5).result()
            with pytest.raises(ca.MergeConflict):
                ca.merge(x, parts[0], other)
            del parts, other
    del x


# ---- lives -----------------------------------------------------------------------------------------------------------


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


def _set(x):
    x[0] = 1


def test_what_is_never_taken_ends_with_its_time():
    with ca.by_descriptor(lease=0.3):
        for _ in range(200):
            message_of(numbers(N // 2))
        assert ca.by_descriptor.stats()["leases"] > 0
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
                    signal.alarm(20)
                    with worker("fork") as inner:
                        good = inner(total, ca.ones(N)) == N
                    os._exit(0 if good else 1)
                assert os.waitpid(child, 0)[1] == 0
        finally:
            stop.set()
            thread.join()


# ---- limits and refusals ---------------------------------------------------------------------------------------------


def run(code):
    path = os.pathsep.join(path for path in sys.path if path)
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )


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
        assert found["lost"] == 0 and found["fetched"] == 31, found
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
            child.join(30)
    del x


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


def test_a_base_whose_descriptor_was_closed_goes_as_bytes():
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
        assert ca.by_descriptor.stats()["sent_as_bytes"] == 1
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
        tickets.lease_time[0] = 0.6
        messages = [message_of(x) for _ in range(5)]
        for message in messages:  # a pool's workers take what was sent long before
            time.sleep(0.3)
            assert call(loaded_total, message) == float(np.arange(N).sum())
    del x


def test_the_door_opens_again_after_its_thread_has_failed(monkeypatch):
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    with worker("spawn") as call:
        x = numbers()
        call(total, x)
        door = sharer()._door
        monkeypatch.setattr(door.selector, "select", lambda _: [][0])
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


def test_another_family_of_processes_gets_nothing():
    with ca.by_descriptor():
        message = message_of(numbers())
        done = run(
            f"""
            import pickle
            x = pickle.loads({message!r})
            try:
                x[0]
            except OSError as error:
                print(error)
            """
        )
        assert "another family" in done.stdout, (done.stdout, done.stderr)
        sharer().wait(0.1)
        assert sharer().count == 1
        pickle.loads(message)


def test_guests_without_the_key_are_shown_out():
    from cowarray._processes.handshake import new_socket

    with ca.by_descriptor():
        x = numbers()
        _, ticket = tickets.reduce_storage(tickets.parts_of(x)[0])
        name, lease = ticket[3], ticket[4]
        for packet in (b"take" + lease, b"take" + lease + bytes(64), secrets.token_bytes(64), b"x" * 256):
            guest = new_socket()
            guest.settimeout(10)
            guest.connect(name)
            assert len(guest.recv(100)) == 32
            guest.send(packet)
            assert guest.recv(100) == b""
            guest.close()
        assert sharer().count == 1
        sharer().end(lease)
        del x, ticket


def test_a_base_cannot_be_changed_by_whoever_has_its_descriptor():
    import mmap

    with ca.by_descriptor():
        x = numbers()
        _, ticket = tickets.reduce_storage(tickets.parts_of(x)[0])
        sharer().end(ticket[4])
        descriptor = tickets.Base.find(ticket[5]).descriptor()
        again = os.open(f"/proc/self/fd/{descriptor}", os.O_RDWR)
        for number in (descriptor, again):
            for change in (
                lambda number=number: os.ftruncate(number, 0),
                lambda number=number: os.ftruncate(number, 1 << 30),
                lambda number=number: os.pwrite(number, b"x", 0),
                lambda number=number: os.posix_fallocate(number, 0, 1 << 24),
                lambda number=number: mmap.mmap(number, 4096, mmap.MAP_SHARED),
            ):
                with pytest.raises(OSError, match=r"not permitted|Invalid argument"):
                    change()
            os.close(number)
        assert x[N - 1] == N - 1
        del x


def test_hostile_tickets_are_errors_and_map_nothing():
    rng = random.Random(chosen_seed())
    with ca.by_descriptor():
        x = numbers()
        function, ticket = tickets.reduce_storage(tickets.parts_of(x)[0])
        sharer().end(ticket[4])
        before = ca.paging_memory()["maps"]
        strange = [
            None, -1, 0, 1, 2**62, 2**70, b"", b"x", secrets.token_bytes(16), b"\0" * 16, "", "x", 1.5, (), [],
            b"\0cowarray-0-" + b"0" * 32, b"/tmp/x", b"\0" * 160, np.arange(16, dtype="<i8").tobytes(),
        ]  # fmt: skip
        refused = 0
        for _ in range(all_or(20_000, 1000)):
            parts = list(ticket)
            for _ in range(rng.randrange(1, 4)):
                parts[rng.randrange(len(parts))] = rng.choice(strange)
            if rng.random() < 0.1:
                parts = parts[: rng.randrange(len(parts))]
            try:
                made = function(*parts)
            except ValueError:
                refused += 1
                continue
            del made
        assert refused > 500
        assert ca.paging_memory()["maps"] == before
        assert x[5] == 5.0
        del x


@pytest.mark.parametrize(
    ("part", "value", "why"),
    [(1, "elsewhere/1", "another machine"), (3, b"\0cowarray-0-x", "no sharer"), (3, b"/tmp/socket", "no sharer")],
)
def test_tickets_from_elsewhere_say_so_at_first_use(part, value, why):
    with ca.by_descriptor():
        x = numbers()
        function, ticket = tickets.reduce_storage(tickets.parts_of(x)[0])
        sharer().end(ticket[4])
        parts = list(ticket)
        parts[5], parts[part] = secrets.token_bytes(16), value
        made = tickets.array_on(function(*parts), (0, (N,), (8,), "<f8", True, False))
        with pytest.raises(OSError, match=why):
            made.sum()
        del x, made


def test_layouts_that_reach_beyond_the_storage_are_refused():
    x = numbers()
    storage, layout = tickets.parts_of(x)
    for bad in (
        (8, *layout[1:]),
        (-8, *layout[1:]),
        (0, (N + 1,), (8,), *layout[3:]),
        (0, (N,), (16,), *layout[3:]),
        (0, (2, N), (-8, 8), *layout[3:]),
        (0, (N,), (8, 8), *layout[3:]),
        (0, (2**63,), (8,), *layout[3:]),
        (0, (N,), (2**64,), *layout[3:]),
        (0, (-1,), (8,), *layout[3:]),
        (0, (N,), (8.0,), *layout[3:]),
        (0, (N,), (8,), "|O", True, False),
        (0, (N,), (8,), "<f8", 1, False),
        (0, (N,), (8,), "<f8", True, 1),
        (),
        None,
    ):
        with pytest.raises(ValueError, match="unpickle"):
            tickets.array_on(storage, bad)
    assert np.array_equal(tickets.array_on(storage, layout), x)


# ---- the switch ------------------------------------------------------------------------------------------------------


def test_it_is_off_unless_it_is_asked_for():
    x = numbers(N // 2)
    table = dict(ForkingPickler._extra_reducers)
    assert len(message_of(x)) > x.nbytes
    ca.by_descriptor.start()
    with ca.by_descriptor():
        assert len(message_of(x)) < 2000
    assert len(message_of(x)) < 2000
    ca.by_descriptor.stop()
    assert len(message_of(x)) > x.nbytes
    assert ForkingPickler._extra_reducers == table
    with pytest.raises(RuntimeError, match="without a start"):
        ca.by_descriptor.stop()
    for lease in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="lease"):
            ca.by_descriptor(lease=lease)
    for name in list(sharer()._leases):
        sharer().end(name)
    del x


def test_pickles_to_files_stay_whole():
    x = numbers(N // 2)
    file = io.BytesIO()
    with ca.by_descriptor():
        pickle.dump(x, file)
    assert len(file.getvalue()) > x.nbytes


def test_four_workers_share_the_bytes():
    n = 1 << 24  # 128 MiB
    x = ca.by_page(ca.ones(n))
    assert x.sum() == n  # its pages are in this process, too
    with ca.by_descriptor(), ProcessPoolExecutor(4, mp_context=mp.get_context("spawn")) as pool:
        found = [pool.submit(read_all, x) for _ in range(4)]
        assert [future.result()[0] for future in found] == [n] * 4
        assert max(future.result()[1] for future in found) < 8 << 20
    del x
