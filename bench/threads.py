"""Jobs in several threads that start together, timed from the moment at which all of them are ready."""

import threading
import time

from paired import Way

__all__ = ["Threads", "cloners"]


def in_threads(count, work):
    """Run work(i) in count threads that start together.

    Returns
    -------
    float
        Seconds from the start to the end of the last one.
    """
    ready = threading.Barrier(count + 1)
    failed = []

    def one(i):
        ready.wait()
        try:
            work(i)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    ready.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - start
    if failed:
        raise failed[0]
    return took


class Threads(Way):
    """A way whose clock starts when all threads are ready; a job is one clone in one thread.

    Parameters
    ----------
    count : int
        Threads.
    jobs : int
        In all.
    work : callable
        ``work(i, times)`` does a job that often in thread i.
    """

    def __init__(self, count, jobs, work):
        super().__init__("pass", once=True)
        self.count, self.times, self.work = count, max(1, jobs // count), work

    def seconds(self, calls):
        return in_threads(self.count, lambda i: self.work(i, self.times)) / (self.times * self.count)

    def result(self):
        in_threads(self.count, lambda i: self.work(i, self.times))


def cloners(sources, clone, write):
    """The work of threads that each clone their own array, write to the copy if requested, and drop it."""

    def work(i, times):
        source = sources[i]
        for _ in range(times):
            y = clone(source)
            if write:
                y[0] = i
            del y

    return work
