"""Threads that start at once, and have ended before the test goes on."""

import threading
from concurrent.futures import ThreadPoolExecutor

__all__ = ["together"]


def together(*functions):
    """Call functions at once, each in a thread; their results, or the first exception."""
    barrier = threading.Barrier(len(functions))

    def run(function):
        barrier.wait()
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return [future.result() for future in [pool.submit(run, each) for each in functions]]
