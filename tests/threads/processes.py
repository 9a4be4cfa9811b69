"""What processes made by the tests run: importable, so that spawn and forkserver find it."""

import os
import pickle
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from support.limits import LONGEST

import cowarray as ca

N = 1 << 15  # 256 KiB: copied with the GIL given back


def values(i):
    return np.arange(float(N)) + i


def work(x, i):
    """Clone, write, export, pickle; what a process gives back for the i-th array that it was given."""
    y = x.copy()
    y[0] = -1
    z = y.reshape(-1, 2)
    z += 1
    shown = np.asarray(x)
    x += i
    with memoryview(x) as view:
        total = float(np.frombuffer(view).sum() - shown.sum())
    again = pickle.loads(pickle.dumps(y, protocol=5))
    again[1] = 7
    return os.getpid(), x[:5], total, (y[0], y[1], z[0, 0], z[0, 1]), again[:3], ca.from_dlpack(z)[1]


def check(result, i):
    """That a result of `work(values(k), i)` is right, except for the first item, which it returns."""
    pid, head, total, four, again, row = result
    assert type(head) is type(again) is type(row) is ca.ndarray
    assert head.tolist() == [head[0] + k for k in range(5)]
    assert total == i * N
    assert four[2:] == (0, four[1] + 1)
    assert again.tolist() == [-1, 7, four[1] + 1]
    assert row.tolist() == [four[1] + 2, four[1] + 3]
    return pid, head[0]


class Busy:
    """Threads that copy, write and drop all the time, on arrays that everybody shares."""

    def __init__(self, count=3):
        self.shared = ca.array(values(0))
        self.own = [ca.array(values(i)) for i in range(count)]
        self.stop = threading.Event()
        self.rounds = [0] * count
        self.threads = [threading.Thread(target=self.run, args=(i,), daemon=True) for i in range(count)]

    def run(self, i):
        source = values(0)
        source.setflags(write=False)
        while not self.stop.is_set():
            y = self.shared.copy()
            y[i] = self.rounds[i]
            kept = self.own[i].copy()
            self.own[i][1] = self.rounds[i]
            kept.fill(1)
            foreign = ca.asarray(source)
            foreign += 1
            self.rounds[i] += 1
            time.sleep(0.0005)  # without a GIL they would fill all cores, and starve a process that starts

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *exc):
        deadline = time.monotonic() + LONGEST
        while min(self.rounds) == 0 and time.monotonic() < deadline:
            time.sleep(0.001)
        self.stop.set()
        for thread in self.threads:
            thread.join(LONGEST)
            assert not thread.is_alive()
        assert min(self.rounds) > 0, self.rounds
        assert np.array_equal(self.shared, values(0))


def answer(pipe):
    """The other end of a pipe: `work` for what arrives, until None does."""
    while (asked := pipe.recv()) is not None:
        pipe.send(work(*asked))
    pipe.close()


def threaded(x, i):
    """`work` in four threads at once, on lazy copies of one array."""
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(work, [x.copy() for _ in range(4)], range(4)))


def leave_threads_behind():
    busy = Busy()
    for thread in busy.threads:
        thread.start()
    check(work(busy.shared.copy(), 2), 2)


def fork(function):
    """The child's process id; it ends with status 0 if function() is true there."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if function() else 2
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
    return child


def wait(child):
    """The child's status; "a deadlock" if it does not end."""
    deadline = time.monotonic() + LONGEST
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.kill(child, 9)
            os.waitpid(child, 0)
            return "a deadlock"
        time.sleep(0.0005)
