"""A read-only export is a snapshot: it never changes, cannot be reopened, and holds a share.

Pickle's buffers are in test_pickle, too.
"""

import gc
import pickle
import subprocess
import sys

import numpy as np
import pytest
from exporting import WRITABLE, N, is_free, request

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]


@pytest.fixture
def x():
    return cowarray.array(np.arange(1.0, N + 1))


def pickled_buffer(x):
    buffers = []
    pickle.dumps(x, 5, buffer_callback=buffers.append)
    return np.asarray(buffers[0]).view(x.dtype).reshape(x.shape)


SNAPSHOTS = {
    "to_numpy": lambda x: x.to_numpy(),
    "__array__": lambda x: x.__array__(),
    "np.asarray": np.asarray,
    "np.array": lambda x: np.array(x, copy=None),
    "copy=False": lambda x: np.asarray(x, copy=False),
    "memoryview": memoryview,
    "data": lambda x: x.data,
    "PickleBuffer": pickle.PickleBuffer,
    "pickle": pickled_buffer,
    "frombuffer": lambda x: np.frombuffer(x, x.dtype),
    # Not buffer=x: NumPy keeps no hold on that, whatever the exporter.
    "ndarray(buffer=)": lambda x: np.ndarray(x.shape, x.dtype, memoryview(x)),
}


@pytest.fixture(params=SNAPSHOTS)
def snapshot(request):
    return SNAPSHOTS[request.param]


WRITES = {
    "item": lambda x: x.__setitem__(0, 99),
    "overwrite": lambda x: x.__setitem__(..., 99),
    "in place": lambda x: x.__iadd__(99),
    "sort": lambda x: x[::-1].sort(),
    "through a view": lambda x: x[1:].fill(99),
    "through an export": lambda x: x.to_numpy(writable=True).fill(99),
    "materialize, then write": lambda x: x.materialize().fill(99),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_snapshot_never_changes(snapshot, write):
    x = cowarray.array(np.arange(1.0, N + 1))
    expected = x.tolist()
    shown = snapshot(x)
    write(x)
    assert x.tolist() != expected
    assert np.asarray(shown).tolist() == expected
    del x
    gc.collect()
    assert np.asarray(shown).tolist() == expected


def test_a_snapshot_copies_nothing_and_holds_a_share_until_released(x, snapshot):
    cowarray.reset_stats()
    shown = snapshot(x)
    assert cowarray.shares_bytes(x, np.asarray(shown))
    assert not cowarray.aliases(x, np.asarray(shown))
    assert x.storage.share_count == 2
    assert cowarray.stats()["bytes_copied"] == 0
    if hasattr(shown, "release"):
        shown.release()
    else:
        del shown
    assert is_free(x)
    address = x.storage.data_ptr
    x[0] = 5
    assert x.storage.data_ptr == address
    assert cowarray.stats()["bytes_copied"] == 0


def test_a_snapshot_cannot_be_made_writable(x, snapshot):
    shown = snapshot(x)
    assert memoryview(shown).readonly
    with pytest.raises((BufferError, ValueError)):
        request(shown, WRITABLE)
    arrays = [np.asarray(shown), np.asarray(shown)[2:], np.asarray(shown).view("u1")]
    if isinstance(shown, np.ndarray):
        arrays.append(shown)
    for array in arrays:
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            array.setflags(write=True)
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            array.flags.writeable = True
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize("dtype", ["O", np.dtypes.StringDType(), "M8[s]", [("a", "i4"), ("b", "O")]], ids=str)
def test_a_snapshot_of_any_dtype_cannot_be_made_writable(dtype):
    x = cowarray.array(np.zeros(3, dtype))
    for shown in (x.to_numpy(), np.asarray(x), x.__array__()):
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            shown.flags.writeable = True


@pytest.mark.parametrize("back", [cowarray.asarray, lambda s: cowarray.asarray(s, copy=False)], ids=["None", "False"])
def test_a_snapshot_taken_back_in_shares_bytes(snapshot, back):
    x = cowarray.array(np.arange(1.0, N + 1))
    cowarray.reset_stats()
    shown = snapshot(x)
    y = back(np.asarray(shown))
    z = back(memoryview(shown))
    assert y.storage is not x.storage is not z.storage
    assert cowarray.shares_bytes(x, y)
    assert cowarray.shares_bytes(x, z)
    assert cowarray.stats()["bytes_copied"] == 0
    expected = x.tolist()
    y[0] = 77
    assert x.tolist() == z.tolist() == np.asarray(shown).tolist() == expected
    # Memory of ours, not somebody else's: the last sharer steals.
    address = z.storage.data_ptr
    del x, shown
    z[0] = 78
    assert z.storage.data_ptr == address
    assert cowarray.stats()["steals"] == 1


def test_parts_of_a_snapshot_are_taken_back_in_without_a_copy_if_asked(x):
    shown = x.to_numpy()
    for part in (shown[:1], shown[::-1], shown[::7], np.broadcast_to(shown, (3, N)), shown.reshape(8, 8).T):
        cowarray.reset_stats()
        y = cowarray.asarray(part, copy=False)
        assert cowarray.stats()["bytes_copied"] == 0
        assert cowarray.shares_bytes(x, y)
        np.testing.assert_array_equal(y, part)
        if y.flags.writeable:
            y[...] = 0
    assert x.tolist() == list(range(1, N + 1))


def test_a_small_part_keeps_no_big_array_alive():
    big = cowarray.array(np.zeros(10_000))
    shown = [big[5:15].to_numpy(), np.asarray(big[::1000]), memoryview(big[:3])]
    assert [np.asarray(part).size for part in shown] == [10, 10, 3]
    assert is_free(big)


def test_a_snapshot_of_a_pinned_array_is_a_copy(x):
    alias = x.to_numpy(writable=True)
    shown = [make(x) for make in SNAPSHOTS.values()]
    alias[...] = 0
    assert all(np.asarray(s).tolist() == list(range(1, N + 1)) for s in shown)


def test_array_copies_when_asked(x):
    own = x.__array__(copy=True)
    other = np.array(x)
    for private in (own, other):
        private[0] = 9
        assert private.flags.writeable
    assert x[0] == 1
    assert x.__array__(np.float32).dtype == np.float32
    assert x.__array__("f8", copy=False).tolist() == x.tolist()
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        x.__array__("f4", copy=False)


DTYPES = [
    "?", "i1", "u2", "i4", "u8", ">i4", "e", "f", "d", "g", ">f8", "F", "D", "G", "M8[ns]", "m8[D]", ">M8[s]", "S3",
    "U4", ">U2", "V5", "O", np.dtypes.StringDType(), [("a", "i1"), ("b", ">f8")], [("p", "f4", (2, 3)), ("t", "M8[s]")],
    np.dtype([("a", "i1"), ("b", "f8")], align=True), [(("title", "a"), "i4")],
    np.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 2], "itemsize": 9}), np.dtype([]),
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_goes_out_as_it_is(dtype):
    source = np.zeros((2, 3), dtype)
    x = cowarray.asarray(source)
    for shown in (np.asarray(x), np.array(x), x.to_numpy(), x.__array__(), x.to_numpy(writable=True)):
        assert shown.dtype == source.dtype
        assert shown.shape == source.shape
        assert repr(shown.tolist()) == repr(source.tolist())


def test_there_are_no_pointers_without_a_lifetime(x):
    assert "data" not in x.__array_interface__
    assert not hasattr(x, "__array_struct__")


def test_what_owns_a_numpy_snapshot_has_no_buffer():
    owner = cowarray.array(np.arange(10.0)).to_numpy().base
    with pytest.raises(BufferError, match="ask the array"):
        memoryview(owner)


NO_PICKLES = """
import copy, pickle
import numpy as np, cowarray
x = cowarray.array(np.arange(4.0))
for owner in (x.to_numpy().base, memoryview(x).obj):
    assert type(owner).__name__ == "Snapshot"
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        try:
            take(owner)
        except TypeError:
            pass
        else:
            raise AssertionError(take)
    assert not [name for name in dir(owner) if "cython" in name or name == "__setstate__"]
assert not [name for name in dir(x.flat) + dir(x.flags) if "cython" in name or name == "__setstate__"]
"""


def test_nobody_pickles_what_owns_a_snapshot_or_sets_its_fields():
    """In a process of its own: Cython's methods for it would read and write pointers."""
    ran = subprocess.run([sys.executable, "-c", NO_PICKLES], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
