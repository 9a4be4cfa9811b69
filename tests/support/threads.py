"""Threads that start at once, and have ended before the test goes on; and a thread that others leave alone."""

import contextlib
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

__all__ = ["alone", "together"]


@contextlib.contextmanager
def alone():
    """No other thread runs Python code, unless this one waits: none meets the memory that is refused here."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    time.sleep(2 * before)  # who waits by now would interrupt after that time
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def together(*functions):
    """Call functions at once, each in a thread; their results, or the first exception."""
    barrier = threading.Barrier(len(functions))

    def run(function):
        barrier.wait()
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return [future.result() for future in [pool.submit(run, each) for each in functions]]
