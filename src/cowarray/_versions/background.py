"""Jobs that a thread does one after the other.

A signal's handler may raise at any bytecode of `put` and `flush`. So locks are those that take and leave in one step of
C code, which a `threading.Condition` does not, and with it `threading.Thread.start`; a worker that nobody knows of
ends; and a job that was not put for sure can be taken back.
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
    """A thread, and a lock that is taken until it has ended."""

    def __init__(self) -> None:
        self.ended = _thread.allocate_lock()
        self.ended.acquire()
        self.number = 0


class Background:
    """Jobs in their order. One that fails stays the first, and is tried again with the next one, or by `flush`.

    The end of the process waits for the thread, which lives as long as there are jobs, and tries once more what has
    failed. A job may run twice, if an interrupt comes just when it has ended.

    Parameters
    ----------
    what : str
        What the jobs are to do, for the warning that it is lost.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._jobs: deque[_Job] = deque()
        self._begun: _Job | None = None
        self._last: list[_Job] = []
        self._worker: _Worker | None = None
        self._lock = _thread.allocate_lock()  # of these three
        self._doing = threading.RLock()  # of whoever does jobs
        _ALL.add(self)

    def is_here(self) -> bool:
        """Whether a job is what calls this, in the thread."""
        worker = self._worker
        return worker is not None and worker.number == threading.get_ident()

    def put(self, job: _Job) -> None:
        """Add a job. If this raises, `take_back` says whether it was added all the same."""
        with self._lock:
            if self._worker is None:
                self._start()
            self._jobs.append(job)

    def take_back(self, job: _Job) -> bool:
        """Take back a job that was just put. False: it is done, or under way."""
        with self._lock:
            if self._begun is not job and job in self._jobs:
                self._jobs.remove(job)
                return True
            return False

    def end_with(self, job: _Job) -> None:
        """Have a last job done after the others, or where one of them has failed; here, if no thread is at it.

        No job is waited for, and no lock: the garbage collector may call this in the thread itself.
        """
        self._last.append(job)
        if self._lock.acquire(blocking=False):  # else the thread has it, and looks for a last job later
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
            self._worker = None  # one that runs all the same finds that it is not known
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
        """Do the first job. False: there is none for this worker, or it has failed."""
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
        """Wait until all are done; do those here that the thread could not do, and raise what they raise."""
        self.wait()
        with self._doing:
            while self._jobs:
                self._jobs[0]()
                self._drop_first()

    def give_up(self) -> None:
        """As `flush`, but a warning says what is lost."""
        try:
            self.flush()
        except Exception as error:
            warnings.warn(f"{self._what} is lost: {error}", RuntimeWarning, 2)

    def forget(self) -> None:
        """Drop the jobs, which have failed and were given up."""
        self._jobs.clear()

    def wait(self) -> None:
        """Wait until the thread has ended, whatever it could not do."""
        while (worker := self._worker) is not None:
            with worker.ended:
                pass


_ALL: weakref.WeakSet[Background] = weakref.WeakSet()


def _end_all() -> None:
    with contextlib.ExitStack() as stack:  # all, whatever one of them raises: a warning may be an error
        for each in list(_ALL):
            stack.callback(each.give_up)


def _after_fork() -> None:
    """The threads are the parent's, and so are their jobs."""
    for each in list(_ALL):
        each.__init__(each._what)  # type: ignore[misc]


atexit.register(_end_all)
os.register_at_fork(after_in_child=_after_fork)
