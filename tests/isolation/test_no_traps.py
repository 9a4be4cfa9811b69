"""No idiom costs more than in NumPy: bytes copied, memory kept, addresses moved.

Lazy copies can turn an innocent line into a copy of everything, or keep a gigabyte alive for ten numbers. Each test
here is such a line, with the figures that it must keep to.
"""

import functools
import gc
import os
import weakref

import numpy as np
import pytest
from support.programs import PRELUDE, run
from support.tracing import TracingAllocator

import cowarray as ca


def fresh(shape, dtype="f8"):
    """Zeros in memory of ours that nobody has touched."""
    return np.zeros(shape, dtype, like=ca.array(0))


def copied():
    return ca.stats()["bytes_copied"]


@pytest.fixture(autouse=True)
def figures():
    ca.reset_stats()


@pytest.fixture
def memory():
    with TracingAllocator() as tracing:
        yield tracing
    gc.collect()
    report = tracing.report()
    assert (report["live_blocks"], report["faults"]) == (0, 0)


RESIDENT = f"""{PRELUDE}
MB = 1 << 20
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
def fresh(shape, dtype="f8"):
    return np.zeros(shape, dtype, like=ca.array(0))
"""
# A program of its own, whose resident memory nobody else touches.
run_alone = functools.partial(run, prelude=RESIDENT)


# ---- the last sharer steals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("writer", ["copy", "original"])
@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.__setitem__(0, 1),
        lambda x: x.__setitem__(slice(1, 3), 1),
        lambda x: x.__setitem__(..., 1),
        lambda x: x.fill(1),
        lambda x: x.__iadd__(1),
        lambda x: np.add(x, 1, out=x),
        lambda x: np.add.at(x, [0], 1),
        lambda x: np.copyto(x, 1),
        lambda x: x.sort(),
        lambda x: x.materialize(),
        lambda x: x.to_numpy(writable=True).fill(1),
    ],
)
def test_last_sharer_steals(writer, write):
    x = fresh(1000)
    y = x.copy()
    address = x.storage.data_ptr
    assert y.storage.data_ptr == address
    if writer == "copy":
        del x
        last = y
    else:
        del y
        last = x
    before = ca.stats()
    write(last)
    after = ca.stats()
    assert last.storage.data_ptr == address
    assert (after["bytes_copied"], after["steals"]) == (0, before["steals"] + 1)
    assert after["copies"] == after["eager_copies"] == after["overwrites"] == 0


def test_last_of_many_sharers_steals_what_the_others_copied():
    x = fresh(1000)
    sharers = [x, *(x.copy() for _ in range(9))]
    del x
    for y in sharers:
        y[0] = 1
    assert ca.stats()["copies"] == 9
    assert ca.stats()["steals"] == 1
    assert copied() == 9 * 8000


def test_sharer_after_a_released_snapshot_steals():
    x = fresh(1000)
    address = x.storage.data_ptr
    shown = np.asarray(x)
    assert shown.ctypes.data == address
    del shown
    x[0] = 1
    assert (copied(), x.storage.data_ptr) == (0, address)


# ---- rounds ----------------------------------------------------------------------------------------------------------


def test_rounds_of_clone_write_drop_stay_within_the_first_memory_and_two_arrays(memory):
    x = fresh(500)
    x[0] = 0
    before = memory.report()
    for i in range(100_000):
        y = x.copy()
        y[i % 500] = i
        if i % 2:
            x = y
        del y
    after = memory.report()
    # An array is 4000 bytes and a few structs of the core.
    assert after["peak_bytes"] <= before["live_bytes"] + 2 * (4000 + 600)
    assert after["live_blocks"] <= before["live_blocks"] + 4


def test_rounds_stay_within_resident_memory():
    run_alone("""
        x = fresh(MB)  # 8 MB
        x[...] = 1
        first = resident()
        most = 0
        for i in range(300):
            y = x.copy()
            y[i] = i
            x = y
            most = max(most, resident())
        assert most <= first + 2 * 8 * MB + 2 * MB, (first, most)
    """)


def test_chain_of_copies_of_copies_keeps_one_allocation(memory):
    x = fresh(500)
    chain = [x]
    for _ in range(1000):
        chain.append(chain[-1].copy().reshape(50, 10).ravel())
    assert x.storage.share_count == 1001
    assert copied() == 0
    chain.clear()
    x[0] = 1
    assert copied() == 0


# ---- a small part of a big array -------------------------------------------------------------------------------------


def test_small_copy_of_a_big_array():
    run_alone("""
        big = fresh(128 * MB)  # 1 GiB, untouched
        big[0] = 1
        ca.reset_stats()
        address = big.storage.data_ptr
        before = resident()
        b = big[5:15].copy()
        b[0] = 1
        assert ca.stats()["bytes_copied"] == 80, ca.stats()
        big[3] = 4
        big[5:15] = 7
        assert ca.stats()["bytes_copied"] == 80, ca.stats()
        assert big.storage.data_ptr == address
        assert b.tolist() == [1] + 9 * [0]
        assert resident() < before + 16 * MB
    """)


def test_small_copy_does_not_keep_a_big_array():
    run_alone("""
        big = fresh(16 * MB)  # 128 MiB
        big[...] = 1
        full = resident()
        b = big[5:15].copy()
        c = np.asarray(big[100:200])
        d = big[::1000].copy()
        del big
        assert resident() < full - 120 * MB, (full, resident())
        assert b.sum() == 10 and c.sum() == 100 and d.size == 16778
    """)


SMALL = {
    "slice": lambda x: x[5:15],
    "row": lambda x: x.reshape(100, 100, copy=False)[3],
    "column": lambda x: x.reshape(100, 100, copy=False)[:, 3],
    "steps": lambda x: x[::100],
    "steps back": lambda x: x[::-100],
    "diagonal": lambda x: x.reshape(100, 100, copy=False).diagonal(),
    "field": lambda x: x.view([("a", "u1"), ("b", "V7")])["a"],
}


@pytest.mark.parametrize("part", SMALL)
@pytest.mark.parametrize("way", [np.asarray, memoryview, ca.ndarray.to_numpy, ca.lazy_clone, np.copy, ca.array])
def test_small_part_kept_while_the_whole_is_written(part, way):
    x = fresh(10_000)
    x[0] = 1
    small = SMALL[part](x)
    kept = way(small)
    before = kept.tobytes()
    x[...] = 2
    x[5] = 3
    assert copied() <= small.nbytes
    assert kept.tobytes() == before


def test_history_of_small_snapshots():
    x = fresh((100, 100))
    history = []
    for i in range(100):
        x[i] = i
        history.append(np.asarray(x[i]))
        history.append(np.asarray(x[:, i]))
    assert copied() <= 200 * 800
    assert [row[0] for row in history[::2]] == list(range(100))


@pytest.mark.parametrize("part", ["column", "steps", "field"])
def test_sparse_part_of_read_only_memory_is_copied_alone(part):
    source = np.arange(10_000.0)
    source.setflags(write=False)
    x = ca.asarray(SMALL[part](source))
    x[0] = 1
    assert copied() <= x.nbytes


# ---- idioms ----------------------------------------------------------------------------------------------------------


def test_row_swaps_copy_what_numpy_copies():
    n = 4096
    x = fresh((n, n))
    x[:, 0] = np.arange(n)
    expected = np.arange(n)
    address = x.storage.data_ptr
    seed = 1
    print("seed", seed)
    ca.reset_stats()
    for i, j in np.random.default_rng(seed).integers(0, n, (1000, 2)):
        tmp = x[i].copy()
        x[i] = x[j]
        x[j] = tmp
        expected[[i, j]] = expected[[j, i]]
    assert copied() == 1000 * n * 8
    assert x.storage.data_ptr == address
    assert np.array_equal(x[:, 0], expected)


def test_history_of_rows_copies_what_numpy_copies():
    x = fresh((1000, 100))
    history = []
    for i in range(1000):
        x[i] = i
        history.append(x[i].copy())
    assert copied() == 1000 * 800
    assert all((row == i).all() for i, row in enumerate(history))


def test_history_of_the_whole_copies_what_numpy_copies():
    x = fresh(1000)
    history = []
    for i in range(1000):
        x[i] = i
        history.append(x.copy())
    assert copied() <= 1000 * 8000
    assert all(np.count_nonzero(old) == max(i, 0) for i, old in enumerate(history))


def test_undo_copies_nothing():
    x = fresh(1000)
    saved = x.copy()
    x += 1
    x = saved
    del saved
    x += 1
    assert copied() == 0
    assert x.tolist() == [1] * 1000


def test_halves_of_halves_keep_at_most_twice_their_size(memory):
    x = fresh(1 << 16)
    kept = x
    while kept.size > 1:
        kept = kept[: kept.size // 2].copy()
        assert kept.storage.nbytes <= 2 * kept.nbytes
    del x
    assert kept.nbytes == 8
    # The last lazy copy may share with the one before it, and no further.
    assert ca.explain(kept).allocated <= 16
    assert memory.report()["live_bytes"] <= 16 + 600


@pytest.mark.parametrize(
    "write",
    [lambda x: x.__setitem__(..., 1), lambda x: x.fill(2), lambda x: x.__iadd__(1), lambda x: np.negative(x, out=x)],
)
def test_whole_overwrite_copies_nothing(write):
    x = fresh(1000)
    y = x.copy()
    write(y)
    assert copied() == 0
    assert ca.stats()["overwrites"] == 1
    assert not x.any()
    assert not ca.shares_bytes(x, y)


def test_transposed_copy_is_c_contiguous():
    x = fresh((30, 20))
    assert x.T.copy().flags.c_contiguous
    assert copied() == 4800


def test_export_lets_copies_be_lazy_again():
    x = fresh(1000)
    out = x.to_numpy(writable=True)
    x.copy()
    assert ca.stats()["eager_copies"] == 1
    del out
    x.copy()
    assert ca.stats()["lazy_clones"] == 1


# ---- headers ---------------------------------------------------------------------------------------------------------


def test_views_with_stale_headers_keep_no_allocation(memory):
    x = ca.array(np.arange(1000.0))
    views = [x[i:] for i in range(0, 500, 50)]
    for view in views:
        view.sum()  # makes a header
    other = x.copy()
    before = memory.report()["live_bytes"]
    x[0] = 5  # x and its views leave the shared bytes
    assert memory.report()["live_bytes"] - before <= 8000 + 600
    del other
    # What was shared is gone, though no view has been touched since.
    assert memory.report()["live_bytes"] <= before + 600
    assert [view.sum() for view in views[:2]] == [499500.0 + 5, 499500.0 - sum(range(50))]


def test_stale_headers_do_not_keep_a_foreign_owner():
    class Owner(np.ndarray):
        pass

    source = np.arange(1000.0).view(Owner)
    source.base.setflags(write=False)
    source.setflags(write=False)
    base = weakref.ref(source.base)
    x = ca.asarray(source)
    views = [x[1:], x[::2], x.T]
    for view in views:
        view.sum()
    del source, view
    gc.collect()
    assert base() is not None
    views[0][0] = 3
    gc.collect()
    assert base() is None
    assert views[1].tolist()[:2] == [0, 2]


def test_thousands_of_views_are_told_of_one_move():
    x = fresh(1000)
    views = [x[i:] for i in range(1000)]
    kept = [view.sum() for view in views]
    y = x.copy()
    x[999] = 1
    assert [view[-1] for view in views] == [1] * 1000
    assert kept == [0] * 1000
    assert not y.any()


def test_pages_of_untouched_memory_stay_untouched():
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("needs /proc")
    run_alone("""
        x = fresh(32 * MB)  # 256 MiB
        before = resident()
        copies = [x.copy() for _ in range(100)] + [x.reshape(-1, 2), x[:], x.T, np.asarray(x)]
        assert resident() < before + 8 * MB
        assert ca.stats()["bytes_copied"] <= 8
    """)
