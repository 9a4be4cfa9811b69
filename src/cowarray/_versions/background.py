"""Jobs that a thread runs one after the other.

A signal handler may raise at any bytecode of `put` and `flush`. So all locks are of a kind that C code acquires and
releases in one step, unlike a `threading.Condition`, which `threading.Thread.start` uses; a worker that is not known
ends; and a job that may or may not have been put can be taken back.
"""

import _thread
import atexit
import contextlib
import os
import threading
import warnings
import weakref
from collections import deque
from collections.abc import Callable

__all__ = ["Background"]

_Job = Callable[[], None]


class _Worker:
    """A thread, and a lock that is held until it has ended."""

    def __init__(self) -> None:
        self.ended = _thread.allocate_lock()
        self.ended.acquire()
        self.number = 0


class Background:
    """A queue of jobs. A job that fails stays the first, and is tried again with the next one, or by `flush`.

    The end of the process waits for the thread, which lives as long as there are jobs, and tries failed jobs once more.
    A job may run twice, if an interrupt comes just when it has ended.

    Parameters
    ----------
    what : str
        What the jobs do, for the warning that it is lost.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._jobs: deque[_Job] = deque()
        self._begun: _Job | None = None
        self._last: list[_Job] = []
        self._worker: _Worker | None = None
        self._lock = _thread.allocate_lock()  # of these three
        self._doing = threading.RLock()  # of the thread that runs jobs
        _ALL.add(self)

    def is_here(self) -> bool:
        """Tell whether a job calls this, in the thread."""
        worker = self._worker
        return worker is not None and worker.number == threading.get_ident()

    def put(self, job: _Job) -> None:
        """Add a job. If this raises, `take_back` removes it if it was added nevertheless."""
        with self._lock:
            if self._worker is None:
                self._start()
            self._jobs.append(job)

    def take_back(self, job: _Job) -> bool:
        """Take back a job that was just put. Return False if it is done, under way, or was not put."""
        with self._lock:
            if self._begun is not job and job in self._jobs:
                self._jobs.remove(job)
                return True
            return False

    def end_with(self, job: _Job) -> None:
        """Run a last job after the others, or once one of them has failed; here, if no thread is running.

        This waits for no job and no lock: the garbage collector may call it in the thread itself.
        """
        self._last.append(job)
        if self._lock.acquire(blocking=False):  # otherwise the thread has it, and looks for a last job later
            try:
                is_idle = self._worker is None
            finally:
                self._lock.release()
            if is_idle:
                self._do_last()

    def _do_last(self) -> None:
        with contextlib.suppress(IndexError):
            self._last.pop()()

    def _start(self) -> None:
        worker = _Worker()
        try:
            self._worker = worker
            _thread.start_new_thread(self._work, (worker,))
        except BaseException:
            self._worker = None  # if it runs nevertheless, it finds that it is not known
            raise

    def _work(self, worker: _Worker) -> None:
        worker.number = threading.get_ident()
        try:
            while self._do_next(worker):
                pass
        finally:
            try:
                self._do_last()
            finally:
                worker.ended.release()

    def _do_next(self, worker: _Worker) -> bool:
        """Run the first job. Return False if there is none for this worker, or it has failed."""
        with self._doing:
            with self._lock:
                if self._worker is not worker:
                    return False
                if not self._jobs:
                    self._worker = None
                    return False
                job = self._begun = self._jobs[0]
            try:
                job()
            except BaseException:
                with self._lock:
                    self._worker = self._begun = None
                return False
            self._drop_first()
            return True

    def _drop_first(self) -> None:
        with self._lock:
            self._jobs.popleft()
            self._begun = None

    def flush(self) -> None:
        """Wait until all jobs are done; run those here that failed in the thread, and raise their errors."""
        self.wait()
        with self._doing:
            while self._jobs:
                self._jobs[0]()
                self._drop_first()

    def give_up(self) -> None:
        """Do as `flush`, but warn of what is lost."""
        try:
            self.flush()
        except Exception as error:
            warnings.warn(f"{self._what} is lost: {error}", RuntimeWarning, 2)

    def forget(self) -> None:
        """Drop the jobs, which have failed and were given up."""
        self._jobs.clear()

    def wait(self) -> None:
        """Wait until the thread has ended, even if jobs have failed."""
        while (worker := self._worker) is not None:
            with worker.ended:
                pass


_ALL: weakref.WeakSet[Background] = weakref.WeakSet()


def _end_all() -> None:
    with contextlib.ExitStack() as stack:  # all of them, even if one raises: a warning may be an error
        for each in list(_ALL):
            stack.callback(each.give_up)


def _after_fork() -> None:
    """Start afresh: the threads are the parent's, and so are their jobs."""
    for each in list(_ALL):
        each.__init__(each._what)  # type: ignore[misc]


atexit.register(_end_all)
os.register_at_fork(after_in_child=_after_fork)
