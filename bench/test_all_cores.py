"""What do threads cost that clone, write and drop at once? Their arrays are distinct and share one allocation."""

import os

import numpy as np
import pytest
from paired import GIB, KIB, MIB, numbers, pick, show, sizes
from peers import ours, torch_of
from threads import Threads, cloners

CORES = os.cpu_count() or 1
THREADS = sorted({1, 2, 4, CORES, 2 * CORES})


@pytest.mark.parametrize("size", sizes(64 * KIB, MIB, 64 * MIB, arrays=4 * CORES))
@pytest.mark.parametrize("threads", pick(THREADS, [2]))
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch", "torch clone"])
def test_clone_write_drop(compare, who, threads, size):
    """The ratio is that of the time per job in all threads: NumPy's throughput over cowarray's."""
    jobs = pick(max(4 * threads, min(4000, GIB // 4 // size)), 2)

    def ways():
        n = numbers(size)
        x, t = ours(n), torch_of(n)
        own = [x.lazy_clone() for _ in range(threads)]
        lazy = [] if t is None else [t._lazy_clone() for _ in range(threads)]
        return {
            "cowarray": Threads(threads, jobs, cloners(own, lambda a: a.lazy_clone(), True)),
            "numpy": Threads(threads, jobs, cloners([n] * threads, np.copy, True)),
            "torch": Threads(threads, jobs, cloners(lazy, lambda a: a._lazy_clone(), True)),
            "torch clone": Threads(threads, jobs, cloners([t] * threads, lambda a: a.clone(), True)),
        }

    compare(
        who,
        ways,
        question="clone, write, drop in threads",
        case=f"{threads} thread{'s' if threads > 1 else ''}, {show(size)}",
        targets={"numpy": 1.0} if threads >= CORES else {},
        threads=threads,
        size=size,
        seconds=3.0,
    )
