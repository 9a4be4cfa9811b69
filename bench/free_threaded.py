"""Do lazy clones from two threads scale, where no GIL keeps one of them waiting? Run by a free-threaded Python.

    python3.13t bench/free_threaded.py        # prints JSON: the times of every round

test_free_threaded.py reads it; `make bench` runs it where FREE_THREADED names such a Python. torch takes no part: it
has no build for each of them.
"""

import json
import platform
import sys
from pathlib import Path

import numpy as np
from paired import MIB, in_rounds, numbers
from threads import Threads, cloners

import cowarray

__all__ = ["CASES", "ONE_THREAD", "ways"]

CASES = ("distinct arrays", "one array")
ONE_THREAD = "cowarray in one thread"


def ways(case, jobs=100_000):
    """The competitors: two threads, and as many jobs in one.

    Parameters
    ----------
    case : str
        Of `CASES`: lazy copies of one allocation, one for each thread, or a single array, whose count both change.
    jobs : int

    Returns
    -------
    dict of str to Threads
    """
    n = numbers(MIB)
    x = cowarray.array(n)
    distinct = case == "distinct arrays"
    own = [x.lazy_clone(), x.lazy_clone()] if distinct else [x, x]
    theirs = [n[:], n[:]] if distinct else [n, n]
    copied = [numbers(80), numbers(80)]
    return {
        "cowarray": Threads(2, jobs, cloners(own, lambda a: a.lazy_clone(), False)),
        ONE_THREAD: Threads(1, jobs, cloners(own, lambda a: a.lazy_clone(), False)),
        "numpy views": Threads(2, jobs, cloners(theirs, lambda a: a[:], False)),
        "numpy copies of 10 elements": Threads(2, jobs, cloners(copied, lambda a: a.copy(), False)),
    }


def main():
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    smoke = "--smoke" in sys.argv
    found = {case: in_rounds(ways(case, 2 if smoke else 100_000), 0.0 if smoke else 6.0) for case in CASES}
    interpreter = f"{platform.python_version()} ({platform.python_compiler()}), GIL {'on' if gil else 'off'}"
    print(json.dumps({"gil": gil, "interpreter": f"{interpreter}, NumPy {np.__version__}", "times": found}))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
