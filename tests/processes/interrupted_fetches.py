"""Interrupts at each bytecode of a fetch, and what must be so afterwards.

usage: interrupted_fetches.py EXTENSION WHEN STRIDE FIRST

WHEN: "loads", while a message is read; "use", at the first use of an array that could not be had yet. Prints a line of
JSON: how many bytecodes there are, how often it was interrupted, and what was wrong.
"""

import gc
import importlib.util
import json
import os
import pickle
import sys
import threading
import time
import traceback

from support.descriptors import worker
from support.workers import bytes_of_ones, end_leases, stats, total

import cowarray as ca
from cowarray._processes import fetching

TRACED = (os.path.join(os.path.dirname(ca.__file__), "_processes"),)
N = 1 << 19


def at_rest():
    gc.collect()
    return len(os.listdir("/proc/self/fd")), threading.active_count(), ca.paging_memory()["maps"]


def open_leases(call):
    end = time.monotonic() + 5
    while (found := call(stats)["leases"]) and time.monotonic() < end:
        time.sleep(0.001)
    return found


def be_late(connection, name):
    raise TimeoutError


class Fetches:
    def __init__(self, interrupting, when, call):
        self.interrupting, self.when, self.call = interrupting, when, call
        self.wrong, self.came = [], 0

    def begin(self):
        """What is to be interrupted, and an array that it is to fill."""
        message = self.call(bytes_of_ones, N)
        if self.when == "loads":
            return lambda: pickle.loads(message), None
        connect, fetching._connect = fetching._connect, be_late
        x = pickle.loads(message)
        fetching._connect = connect
        return lambda: total(x), x

    def interrupt(self, n):
        before = at_rest()
        function, x = self.begin()
        count, error, value = self.interrupting.call(function, TRACED, n)
        self.came += error is not None
        found = []
        if error is not None and not isinstance(error, KeyboardInterrupt):
            found.append(repr(error))
        if error is None and (value if x is not None else total(value)) != N:
            found.append("another total")
        if x is not None:
            for _ in range(2):  # it works, or says why not, and does not hang
                try:
                    if total(x) != N:
                        found.append("another total")
                except TimeoutError as late:
                    found.append(repr(late))
                except OSError:
                    pass
        made = any(frame.name == "_made" for frame in traceback.extract_tb(error.__traceback__)) if error else True
        error = None
        del function, x, value
        if made and open_leases(self.call):
            found.append("a lease")
        self.call(end_leases)
        if at_rest() != before:
            found.append(f"left: {at_rest()}, not {before}")
        if found:
            self.wrong.append((n, found))
        return count


def main(extension, when, stride, first):
    specification = importlib.util.spec_from_file_location("interrupting", extension)
    interrupting = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(interrupting)
    sys.unraisablehook = lambda _: None  # an interrupt in a finalizer
    ca.paging("ledger", small_pages=True)
    with worker("spawn") as call:
        fetches = Fetches(interrupting, when, call)
        for _ in range(2):  # then what is remembered is there
            count = fetches.interrupt(0)
        for n in range(int(first), count + 1, int(stride)):
            fetches.interrupt(n)
    print(json.dumps({"bytecodes": count, "came": fetches.came, "wrong": fetches.wrong}))


if __name__ == "__main__":
    main(*sys.argv[1:])
