"""What do many lazy copies of one array cost: in bytes, to make, to write to, to drop?"""

import gc
import os
import tracemalloc

import pytest
from paired import GIB, MIB, Way, numbers, pick, show, sizes
from peers import ours, torch_of
from support.tracing import TracingAllocator

SHARERS = (1, 10, 100, 1000, 10_000, 100_000)
COPIES = 1000


def resident():
    """Bytes of memory that the process has, or None if the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


@pytest.mark.parametrize("size", sizes(GIB, arrays=4))
@pytest.mark.parametrize("who", ["cowarray", "numpy views", "torch"])
def test_a_thousand_copies(compare, who, size):
    """NumPy would need a thousand times the array, so it makes views, which are not copies."""

    def ways():
        n = numbers(size)
        count = range(COPIES)
        return {
            "cowarray": Way("copies = [x.lazy_clone() for _ in count]", x=ours(n), count=count),
            "numpy views": Way("copies = [n[:] for _ in count]", n=n, count=count),
            "torch": Way("copies = [t._lazy_clone() for _ in count]", t=torch_of(n), count=count),
        }

    compare(who, ways, question="1,000 lazy copies", case=show(size), size=size, copied_limit=0)


@pytest.mark.parametrize("size", sizes(GIB, arrays=3))
def test_memory_of_a_thousand_copies(benchmark, size):
    """Python's objects, the core's blocks, and, as a check of both, the memory of the process."""
    n = numbers(size)

    def make(x, count=COPIES):
        return [x.lazy_clone() for _ in range(count)]

    with TracingAllocator() as tracing:
        x = ours(n)
        make(x, 1)
        gc.collect()
        core, pages = tracing.report()["live_bytes"], resident()
        copies = make(x)
        core = tracing.report()["live_bytes"] - core
        grown = None if pages is None else resident() - pages
        del copies
        tracemalloc.start()
        try:
            objects = tracemalloc.get_traced_memory()[0]
            copies = make(x)
            objects = tracemalloc.get_traced_memory()[0] - objects
        finally:
            tracemalloc.stop()
        own = objects + core
        shared = {copy.storage.data_ptr for copy in copies} == {x.storage.data_ptr}
        del copies, x
        gc.collect()
        assert shared
        assert tracing.report()["live_blocks"] == 0
    what = f"1,000 lazy copies of {show(size)}"
    figures = [
        {"name": f"{what}: each", "value": own / COPIES, "limit": 400, "unit": "B"},
        {"name": f"{what}: in all", "value": own, "limit": MIB, "unit": "B"},
        {"name": f"{what}: of which the core's", "value": core, "limit": None, "unit": "B"},
    ]
    if grown is not None:
        figures.append({"name": f"{what}: growth of the process", "value": grown, "limit": MIB, "unit": "B"})
    benchmark.group = "1,000 lazy copies: memory"
    benchmark.extra_info.update(question="1,000 lazy copies", figures=figures)
    benchmark.pedantic(make, args=(ours(n[:10]),), rounds=1)


@pytest.mark.parametrize("sharers", [pick(n, 1) for n in SHARERS][: pick(None, 1)])
@pytest.mark.parametrize("work", ["clone and drop", "first write"])
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch"])
def test_cost_against_sharers(compare, who, work, sharers):
    """With that many copies alive. NumPy's copies are real, so it has one array and serves as the measure."""
    size = pick(MIB, 64)
    write = "; y[0] = 5" if work == "first write" else ""

    def ways():
        n = numbers(size)
        x, t = ours(n), torch_of(n)
        alive = [x.lazy_clone() for _ in range(sharers)]
        in_torch = [] if t is None else [t._lazy_clone() for _ in range(sharers)]
        return {
            "cowarray": Way(f"y = x.lazy_clone(){write}", x=x, alive=alive, gives="y"),
            "numpy": Way(f"y = n.copy(){write}", n=n, gives="y"),
            "torch": Way(f"y = t._lazy_clone(){write}", t=t, alive=in_torch, gives="y"),
        }

    case = f"{work}, {sharers:,} sharers, {show(size)}"
    compare(who, ways, question="sharers", case=case, sharers=sharers, work=work, seconds=0.5)
