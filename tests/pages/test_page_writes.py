"""A write to a large array that shares bytes costs the pages that it writes, and no array notices."""

import contextlib
import gc
import threading

import numpy as np
import pytest
from paged import MIB, PAGE, in_a_process, large

import cowarray as ca

pytestmark = pytest.mark.usefixtures("eager")

WRITES = {
    "item": lambda x: x.__setitem__(5, -1),
    "item of a view": lambda x: x[1000:].__setitem__(0, -1),
    "slice": lambda x: x.__setitem__(slice(5, 900), -1),
    "slice from an array": lambda x: x.__setitem__(slice(5, 8), ca.array([1.0, 2.0, 3.0])),
    "slice with a step": lambda x: x.__setitem__(slice(0, 4000, 3), -1),
    "backwards": lambda x: x.__setitem__(slice(900, 5, -1), np.arange(895.0)),
    "array of integers": lambda x: x.__setitem__(np.array([1, 700000, 30]), -1),
    "list": lambda x: x.__setitem__([1, 2, 3], [7, 8, 9]),
    "few of a mask": lambda x: x.__setitem__(x > x.size - 10, -1),
    "in place": lambda x: x[10:20].__iadd__(1),
    "augmented": lambda x: x.__setitem__(slice(10, 20), x[10:20] * 2),
    "fill of a view": lambda x: x[30:60].fill(9),
    "sort of a view": lambda x: x[100:0:-1].sort(),
    "out of a view": lambda x: np.add(x[:50], 1, out=x[:50]),
    "rectangle": lambda x: x.reshape(1024, 1024, copy=False).__setitem__((slice(20, 30), slice(7, 90)), -1),
    "column": lambda x: x.reshape(16, -1, copy=False).__setitem__((slice(None), 3), -1),
    "export of a view": lambda x: memoryview(x[:64]).release() or x[:64].to_numpy(writable=True).fill(3),
}


@pytest.mark.parametrize("name", WRITES)
def test_write_costs_pages_and_changes_one_array(name, pages):
    x = large()
    held, y = x.copy(), x.copy()
    expected = np.arange(float(MIB))
    WRITES[name](y)
    theirs = ca.array(np.arange(float(MIB)))
    ca.paging("off")
    WRITES[name](theirs)
    ca.paging("eager")
    assert y.storage.own_nbytes <= 64 * PAGE
    np.testing.assert_array_equal(np.asarray(y), np.asarray(theirs))
    np.testing.assert_array_equal(np.asarray(x), expected)
    np.testing.assert_array_equal(np.asarray(held), expected)


WHOLE = {
    "fancy": lambda x: x.__setitem__(np.arange(MIB)[::-1], 0),
    "mask": lambda x: x.__setitem__(x >= 0, 3),
    "in place": lambda x: x.__iadd__(1),
    "fill": lambda x: x.fill(1),
    "putmask": lambda x: np.putmask(x, x > 5, 0),
    "where": lambda x: np.add(x, 1, out=x, where=x > 3),
    "export": lambda x: x.to_numpy(writable=True).fill(3),
}


@pytest.mark.parametrize("name", WHOLE)
def test_write_of_everything_costs_no_more_than_a_copy(name, pages):
    x = large()
    y = x.copy()
    ca.reset_stats()
    WHOLE[name](y)
    assert ca.stats()["page_copies"] == 0
    assert ca.stats()["bytes_copied"] <= y.nbytes + x.nbytes // 4  # and a mask
    np.testing.assert_array_equal(np.asarray(x), np.arange(float(MIB)))


def test_second_generation_copies_what_the_first_wrote(pages):
    x = large()
    y = x.copy()
    y[0], y[600_000] = 1, 2
    z = y.copy()
    ca.reset_stats()
    z[300_000] = 3
    assert ca.stats()["pages_copied"] == 2
    assert ca.stats()["bytes_copied"] == 3 * PAGE  # with the page of z[300_000], by the kernel
    y[0] = 7
    assert (z[0], z[600_000], z[300_000], y[300_000], x[0]) == (1, 2, 3, 300_000, 0)


def test_pinned_array_stays_where_it_is_and_moves_afterwards(pages):
    x = large()
    y = x.copy()
    view = memoryview(y[:10])
    y[0] = -1
    alias = y[:10].to_numpy(writable=True)
    assert y.storage.own_nbytes < y.nbytes
    for i in range(0, y.size, 512):
        y[i] = i + 1
    alias[1] = 99
    assert y[1] == 99
    del alias
    y[2] = 98
    assert y.storage.own_nbytes == y.nbytes
    assert y[1] == 99
    assert y[512] == 513
    assert y[513] == 513
    assert view[1] == 1
    np.testing.assert_array_equal(np.asarray(x), np.arange(float(MIB)))


def test_no_copy_refuses_pages_as_well(pages):
    x = large()
    y = x.copy()
    with ca.no_copy(), pytest.raises(ca.CopyError, match=f"would copy {x.nbytes + PAGE} bytes"):  # and the base
        y[0] = 1
    y[0] = 1
    other = x.copy()
    with ca.no_copy(), pytest.raises(ca.CopyError, match=f"would copy {PAGE} bytes"):
        other[0] = 1
    with ca.no_copy():
        for i in range(0, y.size, 512):
            y[i] = 2  # its own pages
    assert x[0] == 0
    assert y[512] == 2


def test_readers_across_a_give_up_keep_what_they_read(pages):
    x = large()
    y = x.copy()
    y[0] = 1
    snapshot = np.asarray(y)
    header = y[5:]
    for i in range(0, y.size, 512):
        y[i] = -1
    y[1] = -2
    assert snapshot[0] == 1
    assert snapshot[512] == 512
    assert header[507] == -1
    assert y.storage.own_nbytes == y.nbytes


def one_program(seed, steps=60):
    """Copies and writes at random, each array beside NumPy's; returns how many writes were by the page."""
    random = np.random.default_rng(seed)
    n = (4 * MIB + int(random.integers(0, 6 * MIB))) // 8
    first = random.random(n)
    pairs = [(ca.array(first), first.copy())]
    before = ca.stats()["page_copies"]
    for _ in range(steps):
        ours, theirs = pairs[random.integers(len(pairs))]
        start, length = int(random.integers(n)), int(2.0 ** random.uniform(0, 15))
        match random.integers(8):
            case 0 | 1:
                if len(pairs) == 6:
                    pairs.pop(int(random.integers(6)))
                pairs.append((ours.copy(), theirs.copy()))
            case 2:
                ours[start : start + length] = start
                theirs[start : start + length] = start
            case 3:
                step = int(random.integers(1, 2000))
                ours[start::step] += 1
                theirs[start::step] += 1
            case 4:
                picked = random.integers(0, n, length % 500 + 1)
                ours[picked] = -1
                theirs[picked] = -1
            case 5:
                middle = ours[start // 4 : start // 4 + n * 3 // 5].copy()
                middle[0] = start
                assert middle[0] == start
                assert ours[start // 4] == theirs[start // 4]
            case 6:
                part = slice(start, start + length)
                np.sqrt(abs(ours[part]), out=ours[part])
                theirs[part] = np.sqrt(abs(theirs[part]))
            case 7:
                ours[start] = theirs[start] = length
    for ours, theirs in pairs:
        np.testing.assert_array_equal(np.asarray(ours), theirs)
    return ca.stats()["page_copies"] - before


@pytest.mark.parametrize("mode", ["eager", "ledger", 64 * MIB])
def test_random_programs_hold_what_numpy_would(mode, can_page):
    ca.paging(mode)
    paged = sum(one_program(seed) for seed in range(12))
    assert paged > 0 or mode != "eager" or not can_page


def test_threads_write_copies_of_one_array(can_page):
    x = large()
    wrong = []

    def work(seed):
        random = np.random.default_rng(seed)
        for _ in range(40):
            y = x.copy()
            at = random.integers(0, x.size, 20)
            y[at] = seed
            z = y.copy()
            z[at[0]] = -1
            if not (np.asarray(y)[at] == seed).all() or z[at[0]] != -1 or x[at[0]] != at[0]:
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    np.testing.assert_array_equal(np.asarray(x), np.arange(float(MIB)))


COUNT = """
import cowarray as ca, numpy as np
x = ca.array(np.zeros(1 << 20))
for i in range(40):
    y = x.copy()
    y[i] = 1
stats = ca.stats()
print(stats["copies"] - stats["page_copies"], stats["page_copies"], ca.paging())
"""


def test_ledger_copies_the_first_of_small_arrays_whole(can_page):
    whole, by_page, mode = in_a_process(COUNT)
    assert mode == "ledger"
    if ca.paging_memory()["resident"] >= 0 and int(by_page):
        assert (whole, by_page) == ("1", "39")


def test_environment_sets_the_mode():
    assert in_a_process(COUNT, COWARRAY_PAGING="off") == ["40", "0", "off"]
    assert in_a_process("import cowarray; print(cowarray.paging())", COWARRAY_PAGING="4096") == ["4096"]
    with pytest.raises(AssertionError, match="the mode must be"):
        in_a_process("import cowarray", COWARRAY_PAGING="nonsense")


def test_paging_returns_the_mode_before_and_refuses_others():
    ca.paging("ledger")
    assert ca.paging("off") == "ledger"
    assert ca.paging(5 * MIB) == "off"
    assert ca.paging() == 5 * MIB
    assert ca.paging("eager") == 5 * MIB
    for wrong, error in {"on": ValueError, -1: ValueError, 2**62: ValueError, 1.5: TypeError, True: TypeError}.items():
        with pytest.raises(error, match="paging"):
            ca.paging(wrong)
    assert ca.paging() == "eager"


def test_evicting_an_array_by_the_page_frees_its_pages_and_its_base(pages):
    gc.collect()
    before = ca.paging_memory()["bases"]
    with ca.budget("1 GiB", cost="model"):
        x = large() + 0
        y = x.copy()
        y[5] = 1
        assert y.storage.own_nbytes == PAGE
        z = y * 2
        ca.evict(x)
        ca.evict(y)
        assert ca.paging_memory()["bases"] == before
        assert z[5] == 2
        assert y[5] == 1
        assert x[5] == 5


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.arange(2.0 * MIB).reshape(1024, -1))
    return path


def test_file_by_the_page_keeps_its_bytes(path):
    ca.paging("off")  # on request, whatever the mode
    x = ca.load(path, pages=True)
    x[3, 5] = -1
    y = x.copy()
    y[1000] = 7
    assert x[3, 5] == y[3, 5] == -1
    assert x[1000, 0] == 2048_000
    assert (np.asarray(y[1000]) == 7).all()
    assert y.storage.own_nbytes < 20 * PAGE
    del x
    gc.collect()
    assert y[3, 5] == -1
    assert y[3, 6] == 3 * 2048 + 6
    np.testing.assert_array_equal(np.load(path), np.arange(2.0 * MIB).reshape(1024, -1))


def test_file_by_the_page_in_fortran_order_and_of_no_bytes(tmp_path):
    array = np.asfortranarray(np.arange(12, dtype="f4").reshape(3, 4))
    np.save(tmp_path / "f.npy", array)
    x = ca.load(tmp_path / "f.npy", pages=True)
    assert x.flags.f_contiguous
    assert x.dtype == np.float32
    x[1, 1] = 50
    assert x[1, 1] == 50
    assert np.load(tmp_path / "f.npy")[1, 1] == 5
    np.testing.assert_array_equal(np.asarray(x)[2], array[2])
    np.save(tmp_path / "empty.npy", np.empty((0, 3)))
    assert ca.load(tmp_path / "empty.npy", pages=True).shape == (0, 3)


def test_file_by_the_page_is_a_npy_file_at_a_path(path, tmp_path):
    with pytest.raises(ValueError, match="pages=True"):
        ca.load(path, pages=True, mmap_mode=None)
    with open(path, "rb") as opened, pytest.raises(ValueError, match="pages=True"):
        ca.load(opened, pages=True)
    np.savez(tmp_path / "a.npz", a=np.ones(3))
    with pytest.raises(ValueError, match="pages=True"):
        ca.load(tmp_path / "a.npz", pages=True)
    with open(path, "r+b") as opened:
        opened.truncate(5000)
    with pytest.raises(ValueError, match="truncated"):
        ca.load(path, pages=True)


def test_closing_every_descriptor_loses_no_value(path):
    code = f"""
import os, cowarray as ca, numpy as np
ca.paging("eager", small_pages=True)
x = ca.load({str(path)!r}, pages=True)
a = ca.array(np.arange(float(1 << 20)))
b = a.copy()
b[0] = 1
x[0] = 1
os.closerange(3, 1024)
others = [os.open("/dev/null", os.O_RDONLY) for _ in range(600)]
y, c = x.copy(), b.copy()
y[1] = 2
c[1] = 2
print(float(y[0, 0]), float(y[1, 0]), float(x[1, 0]), float(c[0]), float(c[1]), float(b[1]), float(y[1000, 0]))
"""
    assert in_a_process(code) == ["1.0", "2.0", "2048.0", "1.0", "2.0", "1.0", "2048000.0"]


def test_memory_that_is_short_copies_as_ever():
    code = """
import resource, cowarray as ca, numpy as np
ca.paging("eager", small_pages=True)
a = ca.array(np.arange(float(1 << 20)))
b = a.copy()
b[0] = 1
with open("/proc/self/statm") as f:
    used = int(f.read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (12 << 20), resource.getrlimit(resource.RLIMIT_AS)[1]))
c = b.copy()
try:
    c[1] = 2
except MemoryError:
    print("refused", float(b[0]), float(c[0]))
else:
    print("done", float(b[0]), float(c[0]))
"""
    assert in_a_process(code)[1:] == ["1.0", "1.0"]


def test_interrupted_program_leaves_no_map(pages):
    gc.collect()
    before = ca.paging_memory()
    with contextlib.suppress(ZeroDivisionError):
        x = large()
        y = x.copy()
        y[0] = 1
        z = y.copy()
        z[1] = 1 / 0
    del x, y, z
    gc.collect()
    after = ca.paging_memory()
    assert (after["bases"], after["files"], after["maps"]) == (before["bases"], before["files"], before["maps"])
