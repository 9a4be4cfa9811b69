"""Jobs that a thread does one after the other."""

import threading
from collections import deque
from collections.abc import Callable

__all__ = ["Background"]


class Background:
    """Jobs in their order. One that fails stays the first, and is tried again with the next one, or by `flush`.

    The end of the process waits for the thread, which lives as long as there are jobs.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: deque[Callable[[], None]] = deque()
        self._changed = threading.Condition()
        self._working = False
        self._thread = 0

    def is_here(self) -> bool:
        """Whether a job is what calls this, in the thread."""
        return self._working and self._thread == threading.get_ident()

    def put(self, job: Callable[[], None]) -> None:
        """Add a job."""
        with self._changed:
            self._jobs.append(job)
            if not self._working:
                self._working = True
                self._thread = 0  # not the one before: another thread may have its number by now
                try:
                    threading.Thread(target=self._work, name=self._name).start()
                except BaseException:
                    self._working = False
                    self._jobs.pop()
                    raise

    def _work(self) -> None:
        self._thread = threading.get_ident()
        while (job := self._next()) is not None:
            try:
                job()
            except BaseException:
                with self._changed:
                    self._working = False
                    self._changed.notify_all()
                return
            with self._changed:
                self._jobs.popleft()

    def _next(self) -> Callable[[], None] | None:
        """The first job. None: there is none, and the thread ends."""
        with self._changed:
            if self._jobs:
                return self._jobs[0]
            self._working = False
            self._changed.notify_all()
            return None

    def flush(self) -> None:
        """Wait until all are done; do those here that the thread could not do, and raise what they raise."""
        with self._changed:
            while self._working:
                self._changed.wait()
            while self._jobs:
                self._jobs[0]()
                self._jobs.popleft()
