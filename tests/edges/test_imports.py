"""Whose memory is shared and whose is copied once; that nobody's memory is ever written to or stolen.

How long it lives is in test_import_lifetimes, conversions (dtype=, order=, lists, scalars) in test_conversions.
"""

import array
import mmap
import pickle
import warnings

import numpy as np
import pytest

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

N = 1000
SHARED, COPIED = "shared", "copied once"


def need(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"{name} is not installed; it comes with cowarray[producers]")


def frozen(array):
    array.flags.writeable = False
    return array


def numbers():
    return np.random.default_rng(7).permutation(np.arange(1.0, N + 1))


class WithArray:
    """What `__array__` of user code hands out may live on anywhere."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


class WithInterface:
    """An owner that nothing is known of."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class Subclass(np.ndarray):
    pass


RayBuffer = type("Buffer", (bytes,), {"__module__": "ray._raylet", "__doc__": "Read-only memory of Ray's store."})


def saved(folder, mode):
    path = folder / "saved.npy"
    np.save(path, numbers())
    return np.load(path, mmap_mode=mode)


def mapped(folder, access):
    path = folder / "mapped.bin"
    path.write_bytes(numbers().tobytes())
    with open(path, "r+b") as file:
        return mmap.mmap(file.fileno(), 0, access=access)


def out_of_band(kind):
    """NumPy's array over a buffer of somebody's store, as Ray and multiprocessing hand it over."""
    buffers = []
    payload = pickle.dumps(numbers(), 5, buffer_callback=buffers.append)
    return pickle.loads(payload, buffers=[kind(buffers[0])])


def pandas_column():
    return need("pandas").Series(numbers())


def pandas_frame():
    return need("pandas").DataFrame({"a": numbers(), "b": numbers()})


def arrow():
    return need("pyarrow").array(numbers())


# name: (what asarray(obj) does, folder -> obj)
PRODUCERS = {
    "numpy, writable": (COPIED, lambda folder: numbers()),
    "numpy, read-only owner": (SHARED, lambda folder: frozen(numbers())),
    "numpy, view of a read-only owner": (SHARED, lambda folder: frozen(np.arange(2.0 * N))[1::2]),
    "numpy, reversed view of a read-only owner": (SHARED, lambda folder: frozen(numbers())[::-1]),
    "numpy, read-only subclass": (SHARED, lambda folder: frozen(numbers().view(Subclass).copy())),
    "numpy, read-only view of a writable array": (COPIED, lambda folder: frozen(numbers()[:])),
    "numpy, broadcast view of a writable array": (COPIED, lambda folder: np.broadcast_to(numbers(), (1, N))),
    "np.load, r": (SHARED, lambda folder: saved(folder, "r")),
    "np.load, r, a view": (SHARED, lambda folder: saved(folder, "r")[10:]),
    "np.load, c": (COPIED, lambda folder: saved(folder, "c")),
    "np.load, r+": (COPIED, lambda folder: saved(folder, "r+")),
    "np.load, r+, a read-only view": (COPIED, lambda folder: frozen(saved(folder, "r+")[:])),
    "bytes, memoryview": (SHARED, lambda folder: memoryview(numbers().tobytes())),
    "bytes, memoryview, cast": (SHARED, lambda folder: memoryview(numbers().tobytes()).cast("d")[::-1]),
    "bytes, frombuffer": (SHARED, lambda folder: np.frombuffer(numbers().tobytes())),
    "bytes, frombuffer of a memoryview": (SHARED, lambda folder: np.frombuffer(memoryview(numbers().tobytes()))),
    "bytearray": (COPIED, lambda folder: bytearray(numbers().tobytes())),
    "bytearray, memoryview": (COPIED, lambda folder: memoryview(bytearray(numbers().tobytes()))),
    "bytearray, read-only memoryview": (COPIED, lambda folder: memoryview(bytearray(numbers().tobytes())).toreadonly()),
    "bytearray, read-only frombuffer": (COPIED, lambda folder: frozen(np.frombuffer(bytearray(numbers().tobytes())))),
    "array.array": (COPIED, lambda folder: array.array("d", numbers())),
    "array.array, read-only memoryview": (COPIED, lambda folder: memoryview(array.array("d", numbers())).toreadonly()),
    "mmap, read": (SHARED, lambda folder: mapped(folder, mmap.ACCESS_READ)),
    "mmap, read, frombuffer": (SHARED, lambda folder: np.frombuffer(mapped(folder, mmap.ACCESS_READ))),
    "mmap, write": (COPIED, lambda folder: mapped(folder, mmap.ACCESS_WRITE)),
    "mmap, write, read-only memoryview": (
        COPIED,
        lambda folder: memoryview(mapped(folder, mmap.ACCESS_WRITE)).toreadonly(),
    ),
    "mmap, copy": (COPIED, lambda folder: mapped(folder, mmap.ACCESS_COPY)),
    "pickle, out of band, bytes": (SHARED, lambda folder: out_of_band(bytes)),
    "pickle, out of band, bytearray": (COPIED, lambda folder: out_of_band(bytearray)),
    "ray, a buffer of its store": (SHARED, lambda folder: out_of_band(RayBuffer)),
    "__array__, writable": (COPIED, lambda folder: WithArray(numbers())),
    "__array__, read-only owner": (SHARED, lambda folder: WithArray(frozen(numbers()))),
    "__array_interface__": (COPIED, lambda folder: WithInterface(numbers())),
    "__array_interface__, read-only": (COPIED, lambda folder: WithInterface(frozen(numbers()))),
    "pyarrow, array": (SHARED, lambda folder: arrow()),
    "pyarrow, to_numpy": (SHARED, lambda folder: arrow().to_numpy()),
    "pyarrow, a slice": (SHARED, lambda folder: arrow()[100:].to_numpy()),
    "pyarrow, buffer": (SHARED, lambda folder: need("pyarrow").py_buffer(numbers().tobytes())),
    "pyarrow, frombuffer": (SHARED, lambda folder: np.frombuffer(need("pyarrow").py_buffer(numbers().tobytes()))),
    "pyarrow, mutable buffer": (COPIED, lambda folder: need("pyarrow").py_buffer(bytearray(numbers().tobytes()))),
    "pandas, Series.to_numpy": (COPIED, lambda folder: pandas_column().to_numpy()),
    "pandas, Series": (COPIED, lambda folder: pandas_column()),
    "pandas, column.to_numpy": (COPIED, lambda folder: pandas_frame()["a"].to_numpy()),
    "pandas, DataFrame.to_numpy": (COPIED, lambda folder: pandas_frame()[["a"]].to_numpy()),
    "torch, tensor": (COPIED, lambda folder: need("torch").from_numpy(numbers())),
}


class Source:
    def __init__(self, does, obj):
        self.does = does
        self.obj = obj
        self.seen = np.asarray(obj)  # the same memory, for looking at
        self.before = self.seen.tobytes()

    def is_untouched(self):
        return self.seen.tobytes() == self.before


@pytest.fixture(params=PRODUCERS)
def source(request, tmp_path):
    does, make = PRODUCERS[request.param]
    return Source(does, make(tmp_path))


@pytest.fixture(autouse=True)
def figures():
    cowarray.reset_stats()


def copied():
    return cowarray.stats()["bytes_copied"]


def sharer(x):
    """Another array that shares x's bytes, whatever x's layout."""
    return cowarray.asarray(x.to_numpy())


def check_values(x, source):
    assert type(x) is cowarray.ndarray
    assert (x.shape, x.dtype) == (source.seen.shape, source.seen.dtype)
    np.testing.assert_array_equal(x.to_numpy(), source.seen)


# ---- copy=None, True, False ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function", [cowarray.asarray, lambda obj: cowarray.array(obj, copy=None)], ids=["asarray", "array"]
)
def test_shares_what_nobody_writes_to_and_copies_the_rest_once(source, function):
    x = function(source.obj)
    assert cowarray.shares_bytes(x, source.seen) is (source.does == SHARED)
    assert copied() == (0 if source.does == SHARED else x.nbytes)
    check_values(x, source)
    assert x.flags.writeable


@pytest.mark.parametrize("function", [cowarray.asarray, cowarray.array], ids=["asarray", "array"])
def test_copy_true_gives_private_bytes_at_once(source, function):
    x = function(source.obj, copy=True)
    assert not cowarray.shares_bytes(x, source.seen)
    assert copied() == x.nbytes
    check_values(x, source)
    assert x.storage.share_count == 1


def test_copy_false_never_copies(source):
    x = cowarray.asarray(source.obj, copy=False)
    assert cowarray.shares_bytes(x, source.seen)
    y = x.reshape(-1)
    assert copied() == 0
    assert cowarray.shares_bytes(y, source.seen) or not x.flags.c_contiguous
    check_values(x, source)


def test_array_copies_by_default(source):
    assert not cowarray.shares_bytes(cowarray.array(source.obj), source.seen)


def test_reading_copies_nothing(source):
    x = cowarray.asarray(source.obj, copy=False)
    y = x[3:], x.sum(), x + x, x.tolist(), repr(x), bytes(memoryview(x)), x.T, x == x, np.sort(x), x.astype("f4")
    assert y
    assert copied() == 0
    assert cowarray.shares_bytes(x, source.seen)


# ---- writes ----------------------------------------------------------------------------------------------------------


def assign_to_a_view(x):
    x[...][::2] = 1


WRITES = {
    "item": lambda x: x.__setitem__((0,) * x.ndim, 1),
    "slice": lambda x: x.__setitem__(slice(2, None, 3), 1),
    "overwrite": lambda x: x.__setitem__(..., 1),
    "in a view": assign_to_a_view,
    "fill": lambda x: x.fill(1),
    "in place": lambda x: x.__iadd__(np.ones((), x.dtype)),
    "out": lambda x: np.negative(x, out=x),
    "where": lambda x: np.negative(x, out=x, where=x > x.mean()),
    "sort": lambda x: x.sort(axis=0),
    "partition": lambda x: x.partition(0, axis=0),
    "put": lambda x: np.put(x, [0, 1], 1),
    "copyto": lambda x: np.copyto(x, 1),
    "at": lambda x: np.add.at(x, (slice(3),), np.ones((), x.dtype)),
    "byteswap": lambda x: x.byteswap(True),
}


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("copy", [None, True, False])
def test_every_kind_of_write_works_and_leaves_the_source_alone(source, copy):
    for name, write in WRITES.items():
        x = cowarray.asarray(source.obj, copy=copy)
        expected = source.seen.copy(order="K")
        write(x)
        write(expected)
        np.testing.assert_array_equal(x.to_numpy(), expected, err_msg=name)
        assert not cowarray.shares_bytes(x, source.seen), name
        assert source.is_untouched(), name


def test_a_writable_export_leaves_the_source_alone(source):
    x = cowarray.asarray(source.obj, copy=False)
    x.to_numpy(writable=True)[...] = 0
    np.from_dlpack(x)[...] = 0
    assert not x.any()
    assert source.is_untouched()


def test_the_last_sharer_copies_and_never_steals(source):
    x = cowarray.asarray(source.obj, copy=False)
    y = sharer(x)
    assert cowarray.shares_bytes(y, source.seen)
    del x
    y[(0,) * y.ndim] = 0
    assert cowarray.stats()["steals"] == 0
    assert copied() == y.storage.nbytes
    assert not cowarray.shares_bytes(y, source.seen)
    assert source.is_untouched()


def test_each_sharer_that_writes_copies(source):
    arrays = [cowarray.asarray(source.obj, copy=False)]
    arrays += [sharer(arrays[0]) for _ in range(3)]
    for i, x in enumerate(arrays):
        x[(0,) * x.ndim] = i
    assert cowarray.stats()["copies"] == 4
    assert cowarray.stats()["steals"] == 0
    assert [int(x.ravel()[0]) for x in arrays] == [0, 1, 2, 3]
    assert source.is_untouched()


def test_what_others_write_to_a_copied_source_is_not_seen(tmp_path):
    checked = 0
    for does, make in PRODUCERS.values():
        try:
            obj = make(tmp_path)
        except pytest.skip.Exception:
            continue  # test_shares_... reports it
        seen = np.asarray(obj)
        if does == COPIED and seen.flags.writeable:
            x = cowarray.asarray(obj)
            before = x.tolist()
            seen[...] = 0
            assert x.tolist() == before
            checked += 1
    assert checked >= 10
