"""Do lazy clones from two threads scale, where no GIL keeps one of them waiting? Run by a free-threaded Python.

    python3.13t bench/free_threaded.py        # prints JSON: the times of every round

test_free_threaded.py reads it; `make bench` runs it if FREE_THREADED names such a Python. torch takes no part, because
it does not have a build for each of them.
"""

import json
import platform
import sys
from pathlib import Path

import numpy as np
from paired import MIB, in_rounds, numbers
from threads import Threads

import cowarray

__all__ = ["CASES", "DISTINCT", "ONE", "ONE_THREAD", "SIBLINGS", "ways"]

DISTINCT, SIBLINGS, ONE = CASES = ("distinct arrays", "distinct arrays of one allocation", "one array")
ONE_THREAD = "cowarray in one thread"


def ways(case, jobs=100_000):
    """The competitors: two threads, and as many jobs in one.

    Parameters
    ----------
    case : str
        Of `CASES`. Arrays of one allocation, and all the more one array, have one count, which both threads change.
    jobs : int

    Returns
    -------
    dict of str to Threads
    """
    n, m = numbers(MIB), numbers(MIB)
    x = cowarray.array(n)
    own = {DISTINCT: [x, cowarray.array(m)], SIBLINGS: [x.lazy_clone(), x.lazy_clone()], ONE: [x, x]}[case]
    theirs = {DISTINCT: [n, m], SIBLINGS: [n[:], n[:]], ONE: [n, n]}[case]
    return {
        "cowarray": Threads(2, jobs, callers([a.lazy_clone for a in own])),
        ONE_THREAD: Threads(1, jobs, callers([a.lazy_clone for a in own])),
        "numpy views": Threads(2, jobs, callers([a.view for a in theirs])),
        "numpy copies of 10 elements": Threads(2, jobs, callers([a[:10].copy for a in theirs])),
    }


def callers(methods):
    """The work of threads that each call a method of their own.

    It is looked up beforehand: CPython 3.13 changes a count in the class's method at each look-up, and threads contend
    for that count.
    """
    return lambda i, times: call_often(methods[i], times)


def call_often(method, times):
    # A function of the module has no count that threads contend for; a nested one has.
    for _ in range(times):
        method()


def main():
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    smoke = "--smoke" in sys.argv
    found = {case: in_rounds(ways(case, 2 if smoke else 100_000), 0.0 if smoke else 6.0) for case in CASES}
    interpreter = f"{platform.python_version()} ({platform.python_compiler()}), GIL {'on' if gil else 'off'}"
    print(json.dumps({"gil": gil, "interpreter": f"{interpreter}, NumPy {np.__version__}", "times": found}))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
