"""`isolated` takes large memory maps by the page: a write costs pages, and never reaches the file or anybody else."""

import contextlib
import ctypes
import gc
import mmap
import os
import re
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cowarray

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the file of a map is found in /proc")

N = 1 << 20  # of float64: 8 MiB, four regions
PAGE = 4096


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a file\nwith a name.bin"
    np.arange(float(N)).tofile(path)
    return path


def mapped(path, **given):
    return np.memmap(path, np.float64, **{"mode": "r", **given})


def own_bytes(x):
    """Bytes that the map in which the array begins has beside the file's."""
    address, inside = x.storage.data_ptr if type(x) is cowarray.ndarray else x.ctypes.data, False
    with open("/proc/self/smaps") as file:
        for line in file:
            if bounds := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
                first, end = (int(bound, 16) for bound in bounds.groups())
                inside = first <= address < end
            elif inside and line.startswith("Anonymous:"):
                return int(line.split()[1]) << 10
    raise AssertionError("no map has the array")


@pytest.fixture(params=[False, True], ids=["cowarray", "numpy"])
def taken(request):
    """What stands for an array in a call."""
    return cowarray.isolated(lambda x: x, as_numpy=request.param)


# Views of a map that span it, each with elements of its own.
VIEWS = {
    "all": lambda n: n,
    "a part": lambda n: n[1000:-77],
    "every other": lambda n: n[1::2],
    "backwards": lambda n: n[::-1],
    "two axes": lambda n: n.reshape(1024, 1024),
    "transposed": lambda n: n.reshape(1024, 1024).T,
    "a block of columns": lambda n: n.reshape(1024, 1024)[:, 100:1000],
    "other bytes": lambda n: n.view(np.int32),
    "at an odd byte": lambda n: n.view(np.uint8)[3:-5].view(np.int64),
    "big-endian": lambda n: n.view(">f8"),
    "fields": lambda n: n.view([("a", "f4"), ("b", "i4")]),
    "one of its fields": lambda n: n.view([("a", "f4"), ("b", "i4")])["b"],
}


@pytest.mark.parametrize("view", VIEWS)
def test_views_keep_layout_and_values_and_a_write_costs_its_page(path, taken, view):
    n = VIEWS[view](mapped(path))
    own = taken(n)
    assert (own.shape, own.strides, own.dtype) == (n.shape, n.strides, n.dtype)
    assert np.array_equal(own, n)
    assert own_bytes(own) == 0, "a task that reads copies nothing"
    first = (0,) * n.ndim
    before = n[first].copy()
    own[first] = 0 if own.dtype.names is None else (0, 0)
    own[first] = own[(1,) * n.ndim]
    assert own_bytes(own) <= 2 * PAGE, "an element may lie on two"
    assert own[first] == n[(1,) * n.ndim]
    assert n[first] == before
    assert np.array_equal(np.fromfile(path), np.arange(float(N)))


def test_random_programs_compute_what_numpy_does_with_a_copy(path, taken):
    chance = np.random.default_rng(seed := 20261125)
    for step in range(60):
        n = mapped(path).reshape(1024, 1024)
        own, theirs = taken(n), np.array(n)
        for _ in range(20):
            rows, columns = (slice(*sorted(chance.integers(0, 1024, 2)), int(chance.integers(1, 9))) for _ in range(2))
            value = chance.random()
            for x in (own, theirs):
                x[rows, columns] = x[rows, columns] * 0.5 + value
        assert np.array_equal(own, theirs), f"seed {seed}, step {step}"
    assert np.array_equal(np.fromfile(path), np.arange(float(N)))


def test_lazy_copies_inside_a_task_cost_pages_too(path, can_page):
    x = cowarray.isolated(lambda x: x)(mapped(path))
    y = x.copy()
    cowarray.reset_stats()
    y[5] = -1
    assert cowarray.stats()["bytes_copied"] == PAGE
    assert (x[5], y[5], y[6]) == (5, -1, 6)


def test_two_calls_and_two_arguments(path):
    n = mapped(path)

    @cowarray.isolated(as_numpy=True)
    def write(a, b, part):
        a[0] += 5
        return b is a, float(a[0]), float(part[0])

    assert [write(n, n, n[: N // 2 + N // 4]) for _ in range(3)] == [(True, 5.0, 0.0)] * 3


@pytest.mark.parametrize("offset", [0, 16], ids=["", "at 16 bytes, as joblib's"])
def test_a_write_inside_a_task_costs_what_it_replaces(path, can_page, offset):
    n = mapped(path, offset=offset)

    @cowarray.isolated
    def write(x, change):
        before = cowarray.stats()["bytes_copied"]
        change(x)
        return cowarray.stats()["bytes_copied"] - before, x.storage.own_nbytes, float(x[5])

    assert write(n, lambda x: x.__setitem__(5, -1)) == (PAGE, PAGE, -1)
    assert write(n, lambda x: x.__iadd__(1)) == (0, n.nbytes, n[5] + 1), "from the old bytes to fresh ones"
    assert n[5] == 5 + offset // 8


def test_a_map_that_begins_within_the_file(path, taken):
    n = mapped(path, offset=600 * PAGE + 8, shape=(N // 2,))
    own = taken(n)
    assert np.array_equal(own, np.arange(N // 2) + 600.0 * 512 + 1)
    own[-1] = 7
    assert own_bytes(own) == PAGE


@pytest.mark.threads
def test_tasks_on_threads_see_the_file(path, taken):
    n = mapped(path)

    def task(number):
        own = taken(n)
        own[number * 512 : number * 512 + 600] += number
        return float(own.sum())

    total = float(n.sum())
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(task, range(100))) == [total + 600 * number for number in range(100)]
    assert float(n.sum()) == total


# ---- what the file becomes -------------------------------------------------------------------------------------------


def replace(path):
    os.replace(path, f"{path}.before")
    np.full(N, -1.0).tofile(path)


@pytest.mark.parametrize("what", [replace, os.unlink], ids=["replaced", "deleted"])
def test_the_very_file_is_taken_and_not_its_name(path, taken, what):
    n = mapped(path)
    what(path)
    own = taken(n)
    assert np.array_equal(own, np.arange(float(N)))
    own[0] = 7
    assert own_bytes(own) == PAGE, "the map itself has a descriptor of the file"
    assert n[0] == 0


def test_a_file_that_was_cut_short_is_an_error_and_not_a_signal(path, taken):
    n = mapped(path)
    os.truncate(path, 8 * N - 1)
    with pytest.raises(ValueError, match=rf"isolated: .* was cut short: .* bytes 0 to {8 * N}, and it has {8 * N - 1}"):
        taken(n)
    os.truncate(path, 8 * N)
    assert taken(n)[5] == 5


def test_what_others_write_to_the_file_is_seen_where_nobody_has_written(path, taken):
    own = taken(mapped(path))
    own[0] = 7
    mapped(path, mode="r+")[[1, N - 1]] = -1
    assert (own[0], own[1], own[N - 1]) == (7, 1, -1)


# ---- what is not taken -----------------------------------------------------------------------------------------------


def is_copied(taken, n):
    """Whether the task's array has all bytes to itself; its values must be n's, which must not see what it writes."""
    own, expected = taken(n), np.array(n)
    assert np.array_equal(own, expected)
    own[0] = own[1] + 1
    assert np.array_equal(n, expected)
    owner = own.base if type(own) is np.ndarray else own
    return owner is None or owner.storage.own_nbytes == own.nbytes


@pytest.mark.parametrize("mode", ["r+", "c"])
def test_a_map_that_can_be_written_is_copied_at_once(path, taken, mode):
    n = mapped(path, mode=mode)
    n[3] = -3  # of a private map, the file has not that
    assert is_copied(taken, n)
    own = taken(n)
    n[4] = -4
    assert (own[3], own[4]) == (-3, 4)
    n.flags.writeable = False  # the map itself can be written
    assert is_copied(taken, n)


def test_a_private_map_with_pages_of_its_own_is_no_file(path, taken):
    n = mapped(path, mode="c")
    n[3] = -3
    x = cowarray.asarray(n, copy=False)  # trusted, and not what the file has
    assert np.array_equal(taken(x), n)


def test_an_array_in_two_maps_is_shared_or_copied(path, taken):
    n = mapped(path)
    n._mmap.madvise(mmap.MADV_DONTDUMP, 0, 4 << 20)  # splits the kernel's map
    own = taken(n)
    own[0] = own[N - 1] + 1
    assert (own[0], own[5], n[0]) == (N, 5, 0)


def test_a_private_map_that_cannot_be_written_is_taken(path, taken):
    with open(path, "rb") as file:
        private = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
    own = taken(np.frombuffer(private))
    own[0] = 7
    assert own_bytes(own) == PAGE
    assert np.frombuffer(private)[0] == 0


@pytest.mark.parametrize("give", [lambda n: n, lambda n: cowarray.asarray(n, copy=False)], ids=["map", "trusted"])
def test_a_private_map_that_was_written_and_then_protected_is_no_file(path, taken, give):
    n = mapped(path, mode="c")
    n[3] = -3
    assert not ctypes.CDLL(None).mprotect(ctypes.c_void_p(n.ctypes.data), ctypes.c_size_t(n.nbytes), mmap.PROT_READ)
    n.flags.writeable = False
    assert np.array_equal(taken(give(n)), n)


@pytest.mark.parametrize(
    "small",
    [lambda n: n[:5000], lambda n: n.reshape(1024, 1024)[:, 7], lambda n: n[::100]],
    ids=["part", "column", "sparse"],
)
def test_small_arrays_are_no_maps_of_their_own(path, small):
    own = cowarray.isolated(lambda x: x, as_numpy=True)(small(mapped(path)))
    assert own.base is None
    assert own.flags.c_contiguous


def test_overlapping_elements_get_bytes_of_their_own(path, taken):
    n = np.lib.stride_tricks.sliding_window_view(mapped(path), 4)
    own = taken(n)
    own[0] = -1
    assert own[1].tolist() == [1, 2, 3, 4]


@contextlib.contextmanager
def map_without_descriptor(descriptor, second=None):
    """What a store might hand out: on one file, or on two, half of each. Closes the descriptors."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    address = libc.mmap(None, 8 * N, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, 0)
    os.close(descriptor)
    if second is not None:
        fixed = mmap.MAP_SHARED | 0x10
        assert libc.mmap(address + 4 * N, 4 * N, mmap.PROT_READ, fixed, second, 4 * N) == address + 4 * N
        os.close(second)
    yield cowarray.asarray(np.frombuffer((ctypes.c_char * (8 * N)).from_address(address)), copy=False)
    assert libc.munmap(address, 8 * N) == 0


def test_a_file_is_found_by_its_name(path, taken):
    with map_without_descriptor(os.open(path, os.O_RDONLY)) as x:
        own = taken(x)
        own[0] = 7
        assert own_bytes(own) == PAGE
        assert x[0] == 0
        del own, x


def test_an_array_on_two_files_is_none_of_either(path, tmp_path, taken):
    np.full(N, -1.0).tofile(tmp_path / "second.bin")
    files = [os.open(name, os.O_RDONLY) for name in (path, tmp_path / "second.bin")]
    with map_without_descriptor(*files) as x:
        own = taken(x)
        assert own[: N // 2].tolist() == list(range(N // 2))
        assert (np.asarray(own[N // 2 :]) == -1).all()
        del own, x


def test_what_has_neither_name_nor_descriptor_is_shared_or_copied(taken):
    descriptor = os.memfd_create("nobody")
    os.truncate(descriptor, 8 * N)
    with map_without_descriptor(descriptor) as x:
        own = taken(x)
        own[0] = 7
        assert own.storage.own_nbytes == own.nbytes if type(own) is cowarray.ndarray else own.base is None
        assert (own[0], own[5], x[0]) == (7, 0, 0)
        del own, x


# ---- who lives how long ----------------------------------------------------------------------------------------------


def test_the_source_lives_as_long_as_pages_of_it_may_be_read(path, taken, can_page):
    n = mapped(path)
    lives = weakref.ref(n)
    own = taken(n)
    del n
    version = own.copy() if type(own) is cowarray.ndarray else own[10:]
    version[0] = -1
    del own
    assert lives() is not None, "a store may use its memory again"
    assert version[N - 11] in (N - 1, N - 11)
    del version
    assert lives() is None


def test_descriptors_and_maps_end_with_the_arrays(path, taken):
    def count():
        with open("/proc/self/maps") as file:
            return len(os.listdir("/proc/self/fd")), sum(path.name[:6] in line for line in file)

    n = mapped(path)
    taken(n)
    gc.collect()  # of other tests
    before = count()
    held = [taken(n) for _ in range(5)]
    assert count() == (before[0] + 5, before[1] + 5)
    del held
    assert count() == before


# ---- cowarray's own arrays -------------------------------------------------------------------------------------------


def test_a_loaded_file_is_taken_by_the_page(tmp_path, taken):
    np.save(tmp_path / "n.npy", np.arange(float(N)))
    x = cowarray.load(tmp_path / "n.npy")
    own = taken(x)
    own[0] = 7
    assert own_bytes(own) == PAGE
    assert x[0] == 0
    standard = cowarray.array_api.asarray(x)
    assert type(cowarray.isolated(lambda x: x[0])(standard)) is cowarray.ndarray


def test_a_file_that_is_loaded_by_the_page(tmp_path, taken, can_page):
    np.save(tmp_path / "n.npy", np.arange(float(N)))
    x = cowarray.load(tmp_path / "n.npy", pages=True)
    x[1] = -1
    own = taken(x)
    own[0] = 7
    assert (own[1], own[2]) == (-1, 2)
    assert own_bytes(own) <= 2 * PAGE
    assert x[0] == 0
