"""A budget counts what paged arrays have in memory: their own pages, and each frozen base once."""

import gc

import numpy as np
import pytest

import cowarray as ca

MIB = 1 << 20
PAGE = 4096
N = MIB  # 8 MiB of float64


@pytest.fixture(autouse=True)
def eager():
    """Page from the first copy on; nothing of it is left behind."""
    before = ca.paging("eager", small_pages=True)
    yield
    gc.collect()
    assert ca.paging_memory()["bases"] == 0
    ca.paging(before, small_pages=False)


@pytest.fixture
def pages(eager):
    """What needs pages."""
    x = ca.array(np.zeros(N))
    for _ in range(256):  # what earlier give-ups have left to skip
        y = x.copy()
        y[0] = 1
        if y.storage.own_nbytes < y.nbytes:
            return
    pytest.skip("the system grants no memory by the page")


def held(*arrays):
    """Bytes in memory for these arrays, which have nothing but each other and bases in common."""
    allocations = {x.storage.data_ptr: x.storage.own_nbytes for x in arrays}
    return sum(allocations.values()) + ca.paging_memory()["bases"]


def live(run):
    return run.stats()["live_bytes"]


def strokes(x, n, page=PAGE // 8):
    """Versions of an array, each with one page of its own that no other has written."""
    versions = [x]
    for i in range(n):
        versions.append(versions[-1].copy())
        versions[-1][i * page] = -1.0
    return versions


def are_right(versions, page=PAGE // 8):
    for i, x in enumerate(versions):
        expected = np.arange(float(N))
        expected[: i * page : page] = -1
        assert np.array_equal(x, expected)


def test_copies_count_their_pages_and_the_base_once(pages):
    with ca.budget("200 MiB") as run:
        x = ca.array(np.arange(float(N)))
        versions = strokes(x, 12)
        assert live(run) == held(*versions)
        assert live(run) < 3 * x.nbytes
        assert run.stats()["evictions"] == 0
    are_right(versions)


def test_a_budget_is_not_spent_on_bytes_that_nobody_holds(pages):
    with ca.budget("40 MiB") as run:
        versions = strokes(ca.array(np.arange(float(N))), 12)
        assert run.stats()["evictions"] == 0
    assert run.peak_bytes <= 40 * MIB
    are_right(versions)


def test_the_peak_has_all_that_was_there(pages):
    with ca.budget("200 MiB") as run:
        versions = strokes(ca.array(np.arange(float(N))), 12)
        most = held(*versions)
    assert most <= run.peak_bytes <= most + 2 * 8 * MIB


def test_the_base_is_counted_for_as_long_as_somebody_has_it(pages):
    with ca.budget("200 MiB") as run:
        versions = strokes(ca.array(np.arange(float(N))), 3)
        assert ca.paging_memory()["bases"] > 0
        del versions[0]
        gc.collect()
        assert live(run) >= held(*versions) > 8 * MIB
        del versions
        gc.collect()
        _ = ca.zeros(N) + 1  # who needs room looks
        assert ca.paging_memory()["bases"] == 0
        assert live(run) <= 2 * 8 * MIB


def test_evicted_pages_are_freed_and_come_back(pages):
    with ca.budget("200 MiB", small=0) as run:
        x = ca.array(np.arange(float(N)))
        doubled = x * 1
        versions = strokes(doubled, 3)
        before, maps = live(run), ca.paging_memory()["maps"]
        own = versions[2].storage.own_nbytes
        versions[2].evict()
        assert ca.paging_memory()["maps"] < maps
        assert live(run) <= before - own
        assert float(versions[2][0]) == -1
        assert live(run) >= held(*versions)
    are_right(versions)


def test_all_of_them_evicted_leave_no_base(pages):
    with ca.budget("200 MiB", small=0) as run:
        versions = strokes(ca.array(np.arange(float(N))) * 1, 3)
        gc.collect()
        for x in versions:
            x.evict()
        assert ca.paging_memory()["bases"] == 0
        _ = ca.zeros(4) + 1
        assert live(run) <= 9 * MIB  # the input
        are_right(versions)


def test_pages_leave_where_there_is_no_room(pages):
    with ca.budget("60 MiB") as run:
        versions = strokes(ca.array(np.arange(float(N))) * 1, 6)
        others = [versions[0] * i for i in range(2, 7)]
        assert run.peak_bytes <= 60 * MIB
        assert run.stats()["evictions"] > 0
    are_right(versions)
    assert all(np.array_equal(other, np.arange(float(N)) * i) for i, other in enumerate(others, 2))


def test_a_write_in_place_counts_what_it_adds(pages):
    with ca.budget("200 MiB") as run:
        x = ca.array(np.arange(float(N)))
        y = x.copy()
        y[0] = -1
        before = live(run)
        y[8 * 512] = -1
        y[16 * 512 : 17 * 512] = -1
        assert before < live(run) == held(x, y)
        y[:] = 5  # all of it: plain memory
        assert live(run) >= held(x, y)


def test_whole_copies_count_as_ever():
    ca.paging("off")
    with ca.budget("200 MiB") as run:
        versions = strokes(ca.array(np.arange(float(N))), 4)
        assert live(run) == held(*versions) == 5 * 8 * MIB


def test_what_is_written_from_outside_is_counted(pages):
    with ca.budget("200 MiB") as run:
        x = ca.array(np.arange(float(N))) * 1
        y = x.copy()
        view = y[: 2 * 512].to_numpy(writable=True)
        view[0] = -1.0
        assert live(run) >= held(x, y)
        view[600] = -1.0
        _ = ca.zeros(4) + 1
        assert live(run) >= held(x, y)
        assert live(run) <= held(x, y) + 4 * PAGE + 8 * MIB  # the input
        del view
    assert (float(y[0]), float(y[600]), float(x[0])) == (-1, -1, 0)


def test_what_repeats_a_write_pays_for_pages(pages):
    with ca.budget("200 MiB", small=0) as run:
        versions = strokes(ca.array(np.arange(float(N))) * 1, 4)
        for x in versions[1:]:
            x.evict()
        before = ca.stats()["page_copies"]
        assert float(versions[4][0]) == -1
        assert ca.stats()["page_copies"] > before
        assert live(run) >= held(*[x for x in versions if "evicted" not in str(ca.explain(x))])
    are_right(versions)


def test_files_take_what_comes_back_whole(pages, tmp_path):
    with ca.budget("40 MiB", spill=tmp_path, small=0) as run:
        versions = strokes(ca.array(np.arange(float(N))), 6)
        grown = [np.sin(v) for v in versions]
        assert run.peak_bytes <= 40 * MIB
    are_right(versions)
    assert all(np.array_equal(g, np.sin(np.asarray(v))) for g, v in zip(grown, versions, strict=True))
