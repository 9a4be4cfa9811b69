"""Processes made while threads copy: their arrays work, the parent's too, and what goes between them is right."""

import concurrent.futures
import multiprocessing
import os
import pickle
import threading
import time
import warnings

import numpy as np
import processes
import pytest
from processes import Busy, N, check, fork, values, wait, work
from support.limits import LONGEST
from support.programs import run

import cowarray as ca

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

METHODS = [m for m in ("fork", "forkserver", "spawn") if m in multiprocessing.get_all_start_methods()]
FORKS = 30
LONG_FORKS = 2000


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 on: fork in a process with threads
        yield


def child_works(busy):
    """In a child: everything that the parent's threads were in the middle of can be used."""
    for i, x in enumerate(busy.own):
        before = np.array(x)
        y = x.copy()
        x[2] = -2
        assert y.tobytes() == before.tobytes()
        y += 1
        assert (x[2], y[2], y[3]) == (-2, before[2] + 1, before[3] + 1)
        assert before[4:].tobytes() == values(i)[4:].tobytes()
    assert np.array_equal(busy.shared, values(0))
    check(work(busy.shared.copy(), 3), 3)
    with Busy(2):  # threads of its own
        time.sleep(0.002)
    return True


@pytest.mark.threads
def test_fork_while_threads_copy():
    forks(FORKS, depth=1)


@pytest.mark.long
def test_many_forks_while_threads_copy():
    forks(LONG_FORKS, depth=1)


def forks(count, depth):
    with Busy() as busy:
        for _ in range(count):
            assert wait(fork(lambda: child_works(busy))) == 0
            check(work(busy.shared.copy(), 1), 1)


def test_nested_forks_while_threads_copy():
    """Each generation has threads that copy while the next is made."""

    def generation(busy, depth):
        assert child_works(busy)
        if depth:
            with Busy(2) as younger:
                children = [fork(lambda: generation(younger, depth - 1)) for _ in range(2)]
                assert [wait(child) for child in children] == [0, 0]
        return True

    with Busy() as busy:
        assert [wait(fork(lambda: generation(busy, 3))) for _ in range(2)] == [0, 0]


def test_threads_that_fork_at_once():
    with Busy(2) as busy, concurrent.futures.ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda _: wait(fork(lambda: child_works(busy))), range(16)))
    assert statuses == [0] * 16


def test_shared_memory_stays_apart_after_fork():
    """A child's writes are its own, in place too; so are its counts."""
    x = ca.array(values(0))
    y = x.copy()
    address = x.storage.data_ptr
    read, write = os.pipe()

    def child():
        os.close(read)
        assert x.storage.share_count == 2
        x[0] = 1  # copies
        y[0] = 2  # steals
        assert (y.storage.data_ptr, y.storage.share_count, x.storage.share_count) == (address, 1, 1)
        with os.fdopen(write, "wb") as file:
            pickle.dump([x[:2], y[:2]], file)
        return True

    pid = fork(child)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        theirs = pickle.load(file)
    assert wait(pid) == 0
    assert [array.tolist() for array in theirs] == [[1, 1], [2, 1]]
    assert (x[0], y[0], x.storage.share_count, x.storage.data_ptr) == (0, 0, 2, address)


# ---- multiprocessing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_pool_made_while_threads_copy(method):
    arrays = [ca.array(values(i)) for i in range(8)]
    halves = [array[: N // 2] for array in arrays]
    with Busy() as busy:
        with multiprocessing.get_context(method).Pool(2) as pool:
            results = pool.starmap(work, [(array, i) for i, array in enumerate(arrays)], chunksize=1)
            more = pool.map(np.sum, halves)
            assert type(pool.apply(ca.lazy_clone, (busy.shared,))) is ca.ndarray
        for i, result in enumerate(results):
            pid, first = check(result, i)
            assert pid != os.getpid()
            assert first == 2 * i
            result[1][0] = 1  # what came back can be written to
        assert more == [values(i)[: N // 2].sum() for i in range(8)]
    for i, array in enumerate(arrays):
        assert array.tobytes() == values(i).tobytes()
        assert array.storage.share_count == 1


@pytest.mark.parametrize("method", METHODS)
def test_process_that_sends_arrays_both_ways(method):
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=processes.answer, args=(theirs,))
    with Busy(2):
        process.start()
        theirs.close()
        for i in range(5):
            x = ca.array(values(i))
            ours.send((x, i))
            check(ours.recv(), i)
            x[0] = -5
        ours.send(None)
        process.join(LONGEST)
    assert process.exitcode == 0


@pytest.mark.parametrize("method", METHODS)
def test_executor_whose_workers_use_threads(method):
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        futures = [pool.submit(processes.threaded, ca.array(values(i)), i) for i in range(4)]
        for i, future in enumerate(futures):
            results = future.result(timeout=LONGEST)
            assert len(results) == 4
            for k, result in enumerate(results):
                assert check(result, k)[1] == i + k


def test_process_that_ends_while_its_threads_copy():
    """multiprocessing ends its children with os._exit, threads or not."""
    for method in METHODS:
        process = multiprocessing.get_context(method).Process(target=processes.leave_threads_behind)
        process.start()
        process.join(LONGEST)
        assert process.exitcode == 0, method


FIRST_USES = {
    "fake": "ca.fake()",
    "simulate": "ca.simulate()",
    "deferred": "ca.deferred()",
    "budget": "ca.budget(1 << 20)",
    "random.default_rng": "ca.random.default_rng()",
    "linalg": "ca.linalg.norm(ca.ones(3))",
    "explain": "ca.explain(ca.ones(3)), ca.ones(3)._repr_html_()",
    "lend": "with ca.lend(ca.ones(3)): pass",
    "isolated": "ca.isolated(sorted)([ca.ones(3)])",
    "checkpoint": "ca.ones(3).checkpoint()",
    "array_api": "ca.array_api.asarray(1)",
    "__array_namespace__": "ca.zeros(1).__array_namespace__()",
    "save_async": "ca.save_async('/dev/null/no', ca.zeros(1)).exception()",
    "sin": "ca.sin(1)",
    "History": """
        history = ca.History({"a": ca.zeros(1 << 20)})
        for k in range(3):
            history.state["a"][k] = 1.0
            history.commit()
        history[1], history.changes(0, 2), history.undo(), history.keep(last=2)
    """,
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", FIRST_USES)
def test_fork_while_another_thread_imports_what_it_first_uses(name):
    program = """
    import faulthandler, importlib.abc, textwrap

    class Slow(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path, target=None):
            if name.startswith(("cowarray", "numpy")):
                begun.set()
                time.sleep(0.02)

    def use():
        exec(textwrap.dedent(sys.argv[1]), {"ca": ca})
        begun.set()

    begun = threading.Event()
    sys.meta_path.insert(0, Slow())
    other = threading.Thread(target=use)
    other.start()
    begun.wait()
    while True:
        child = os.fork()
        if not child:
            faulthandler.dump_traceback_later(300, exit=True)
            sys.meta_path.pop(0)
            use()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        if not other.is_alive():
            break
        time.sleep(0.01)
    """
    run(program, FIRST_USES[name], PYTHONWARNINGS="ignore")


def test_an_interrupted_fork_gives_back_the_locks_that_it_took():
    run(
        """
        import signal
        from cowarray._native.fork_locks import importing, new_fork_lock

        def interrupt(*_):
            come.set()
            raise KeyboardInterrupt

        def import_for_long():
            with importing:
                begun.set()
                come.wait()

        lock, begun, come = new_fork_lock(), threading.Event(), threading.Event()
        other = threading.Thread(target=import_for_long, daemon=True)
        other.start()
        begun.wait()
        signal.signal(signal.SIGALRM, interrupt)
        reported = []
        sys.unraisablehook = lambda args: reported.append(args.exc_type)
        # Called before cowarray's, which wait for the other thread.
        os.register_at_fork(before=lambda: signal.setitimer(signal.ITIMER_REAL, 0.05))
        child = os.fork()
        if not child:
            free = lock.acquire(blocking=False) and importing.acquire(blocking=False)
            os._exit(not free)
        other.join()
        assert os.waitpid(child, 0)[1] == 0
        assert reported == [KeyboardInterrupt]
        free = []

        def look():
            for each in lock, importing:
                free.append(each.acquire(blocking=False))
                if free[-1]:
                    each.release()

        other = threading.Thread(target=look)
        other.start()
        other.join()
        assert free == [True, True]
        """,
        PYTHONWARNINGS="ignore",
    )


def test_arrays_of_a_thread_that_the_child_does_not_have():
    """What only another thread held is lost memory in the child, and no more."""
    ready, done = threading.Event(), threading.Event()
    x = ca.array(values(0))

    def hold():
        mine = x.copy()
        with memoryview(mine), ca.no_copy():
            ready.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    ready.wait()

    def child():
        x[0] = 1  # the other's share is still counted, so this copies; no_copy was the other's
        assert x.storage.share_count == 1
        x.copy()[1] = 2
        return x[:3].tolist() == [1, 1, 2]

    try:
        assert wait(fork(child)) == 0
    finally:
        done.set()
        thread.join()
    assert (x[0], x.storage.share_count) == (0, 1)
