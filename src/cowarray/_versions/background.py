"""Jobs that a thread does one after the other.

A signal's handler may raise at any bytecode of `put` and `flush`. So locks are those that take and leave in one step of
C code, which a `threading.Condition` does not; a worker that nobody knows of ends; and a job that was not put for sure
can be taken back.
"""

import _thread
import threading
from collections import deque
from collections.abc import Callable

__all__ = ["Background"]

_Job = Callable[[], None]
_PATIENCE = 5.0  # seconds in which a thread has begun


class _Worker:
    """A thread, and a lock that is taken until it has ended."""

    def __init__(self) -> None:
        self.ended = _thread.allocate_lock()
        self.ended.acquire()
        self.number = 0


class Background:
    """Jobs in their order. One that fails stays the first, and is tried again with the next one, or by `flush`.

    The end of the process waits for the thread, which lives as long as there are jobs. A job may run twice, if an
    interrupt comes just when it has ended.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: deque[_Job] = deque()
        self._begun: _Job | None = None
        self._worker: _Worker | None = None
        self._lock = _thread.allocate_lock()  # of these three
        self._doing = threading.RLock()  # of whoever does jobs

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

    def _start(self) -> None:
        worker = _Worker()
        thread = threading.Thread(target=self._work, args=(worker,), name=self._name)
        try:
            thread.start()
        finally:
            if thread.ident is not None:  # it runs, though the wait for that was interrupted
                self._worker = worker

    def _work(self, worker: _Worker) -> None:
        worker.number = threading.get_ident()
        try:
            while self._do_next(worker):
                pass
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
        while (worker := self._worker) is not None:
            if worker.ended.acquire(timeout=_PATIENCE):
                worker.ended.release()
            elif worker.number == 0:
                self._give_up(worker)
        with self._doing:
            while self._jobs:
                self._jobs[0]()
                self._drop_first()

    def _give_up(self, worker: _Worker) -> None:
        """Of one that does not begin: an interrupt in `Thread.start` has left taken what it waits for."""
        with self._lock:
            if self._worker is worker:
                self._worker = None
