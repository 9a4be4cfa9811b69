"""Lines that a lazy copy could turn into a trap: time, and memory beyond the array itself at the worst moment."""

import gc
import tracemalloc

import pytest
from paired import GIB, KIB, Way, numbers, pick, setting, show, sizes
from peers import ours, torch_of
from support.tracing import TracingAllocator


def swap_rows(x, copy, pairs):
    """Through a temporary copy of a row."""
    for i, j in pairs:
        row = copy(x[i])
        x[i] = x[j]
        x[j] = row


def record_rows(x, copy, rows):
    """A history of rows, while the array changes."""
    history = []
    for i in rows:
        history.append(copy(x[i]))
        x[i] += 1
    return history


def pairs(side):
    return [(i % side, (i * 7919 + 1) % side) for i in range(pick(1000, 10))]


IDIOMS = {
    "1,000 row swaps": "swap_rows(x, copy, pairs)",
    "a history of 1,000 row copies": "history = record_rows(x, copy, (i for i, _ in pairs))",
}


@pytest.mark.parametrize("idiom", IDIOMS)
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch clone"])
def test_rows(compare, who, idiom):
    side = pick(4096, 16)

    def way(x, copy):
        names = {"x": x, "copy": copy, "pairs": pairs(side), "swap_rows": swap_rows, "record_rows": record_rows}
        return Way(IDIOMS[idiom], once=True, gives="x", **names)

    def ways():
        n = numbers(8 * side * side).reshape(side, side)
        return {
            "cowarray": way(ours(n), lambda row: row.copy()),
            "numpy": way(n, lambda row: row.copy()),
            "torch clone": way(torch_of(n), lambda row: row.clone()),
        }

    case = f"{idiom}, {side} × {side}"
    compare(who, ways, question="no traps", case=case, targets={"numpy": 1.5}, copied_limit=1000 * side * 8)


@pytest.mark.parametrize("size", sizes(GIB, arrays=6))
@pytest.mark.parametrize("who", ["cowarray", "numpy", "torch", "torch clone"])
def test_small_part_of_a_large_array(compare, who, size):
    def ways():
        n = numbers(size)
        t = torch_of(n)
        return {
            "cowarray": Way("b = big[5:15].copy(); b[0] = 1", big=ours(n), gives="b"),
            "numpy": Way("b = big[5:15].copy(); b[0] = 1", big=n, gives="b"),
            "torch": Way("b = big[5:15]._lazy_clone(); b[0] = 1", big=t, gives="b"),
            "torch clone": Way("b = big[5:15].clone(); b[0] = 1", big=t, gives="b"),
        }

    case = f"b = big[5:15].copy(); b[0] = 1, {show(size)}"
    compare(who, ways, question="no traps", case=case, targets={"numpy": 1.5}, copied_limit=80)


@pytest.mark.parametrize("idiom", [*IDIOMS, "a small part"])
def test_memory(benchmark, idiom):
    """Bytes beyond the array at the worst moment; cowarray may need what NumPy's program needs, plus a constant."""
    small = idiom == "a small part"
    side = pick(4096, 16)
    n = numbers(pick(min(GIB, setting.largest), KIB)) if small else numbers(8 * side * side).reshape(side, side)

    def job(x):
        if small:
            part = x[5:15].copy()
            part[0] = 1
            return part
        return (
            swap_rows(x, copy, pairs(side)) if "swaps" in idiom else record_rows(x, copy, (i for i, _ in pairs(side)))
        )

    def copy(row):
        return row.copy()

    theirs, _ = peak(job, n.copy())
    with TracingAllocator() as tracing:
        x = ours(n)
        before = tracing.report()["live_bytes"]
        own, result = peak(job, x)
        own += tracing.report()["peak_bytes"] - before
        del x, result
        gc.collect()
        assert tracing.report()["live_blocks"] == 0
    limit = 1.5 * theirs + 64 * KIB
    assert own <= limit, f"{idiom}: {own} bytes beyond the array, NumPy's program has {theirs}"
    name = f"{idiom}, {show(n.nbytes)}: memory beyond the array"
    figures = [
        {"name": name, "value": own, "limit": limit, "unit": "B"},
        {"name": f"{name}, in NumPy", "value": theirs, "limit": None, "unit": "B"},
    ]
    benchmark.group = "no traps: memory"
    benchmark.extra_info.update(question="no traps", figures=figures)
    benchmark.pedantic(job, args=(n,), rounds=1)


def peak(job, x):
    """Peak of the memory that Python and NumPy allocate during the job, and the job's result."""
    gc.collect()
    tracemalloc.start()
    try:
        result = job(x)
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()
