"""Somebody else's memory lives exactly as long as an array, a view, a copy or a snapshot needs it, and no longer."""

import gc
import mmap
import sys
import warnings
import weakref

import numpy as np
import pytest

import cowarray

N = 1000


def numbers():
    return np.arange(1.0, N + 1)


def frozen(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("release", ["drop", "write", "overwrite", "materialize"])
def test_shared_numpy_memory_lives_until_nobody_shares_it(release):
    owner = frozen(numbers())
    alive = weakref.ref(owner)
    x = cowarray.asarray(owner[5:])
    y = x.copy()
    del owner
    assert alive() is not None
    for sharer in (x, y):
        assert alive() is not None
        match release:
            case "write":
                sharer[0] = 1
            case "overwrite":
                sharer[...] = 1
            case "materialize":
                sharer.materialize()
    if release == "drop":
        del x
        assert alive() is not None
        del y, sharer
    gc.collect()
    assert alive() is None


def test_a_view_and_a_snapshot_keep_shared_memory():
    owner = frozen(numbers())
    alive = weakref.ref(owner)
    view, snapshot = cowarray.asarray(owner)[3:5], cowarray.asarray(owner).to_numpy()
    del owner
    assert alive() is not None
    del view
    assert alive() is not None
    del snapshot
    gc.collect()
    assert alive() is None


def test_copied_memory_is_let_go_at_once():
    owner = numbers()
    alive = weakref.ref(owner)
    x = cowarray.asarray(owner)
    del owner
    gc.collect()
    assert alive() is None
    assert x.sum() == N * (N + 1) / 2


def test_bytes_are_held_while_shared():
    held = [numbers().tobytes()]
    counts = [sys.getrefcount(held[0])]
    x = cowarray.asarray(memoryview(held[0]))
    counts.append(sys.getrefcount(held[0]))
    x[0] = 1
    counts.append(sys.getrefcount(held[0]))
    assert counts[0] < counts[1]
    assert counts[0] == counts[2]


def test_a_bytearray_can_be_resized_when_it_was_copied_and_not_while_it_is_shared():
    source = bytearray(numbers().tobytes())
    copied = cowarray.asarray(source)
    source.append(0)
    shared = cowarray.asarray(source, copy=False)
    with pytest.raises(BufferError):
        source.append(0)
    shared[0] = 1
    source.append(0)
    assert (len(copied), len(shared), len(source)) == (8 * N, 8 * N + 1, 8 * N + 2)


def test_a_mapping_can_be_closed_when_nobody_shares_it(tmp_path):
    (tmp_path / "mapped").write_bytes(numbers().tobytes())
    with open(tmp_path / "mapped", "rb") as file:
        source = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    x = cowarray.asarray(source)
    with pytest.raises(BufferError):
        source.close()
    x += 1
    source.close()
    np.testing.assert_array_equal(x, np.frombuffer(numbers().tobytes(), "u1") + np.uint8(1))


def test_an_owner_known_by_its_interface_only_is_kept():
    memory = numbers()
    source = type("Owner", (), {"__array_interface__": memory.__array_interface__})()
    alive = weakref.ref(source)
    x = cowarray.asarray(source, copy=False)
    del source
    gc.collect()
    assert alive() is not None
    assert x.sum() == N * (N + 1) / 2
    x[0] = 0
    gc.collect()
    assert alive() is None


def test_a_tensor_is_kept_while_shared():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch = pytest.importorskip("torch", reason="torch is not installed; it comes with cowarray[producers]")
    source = torch.arange(8.0)
    memory = source.numpy()
    x = cowarray.asarray(source, copy=False)
    del source
    y = x.copy()
    y[0] = 5
    assert memory.tolist() == x.tolist() == list(range(8))
    assert cowarray.shares_bytes(x, memory)


def test_an_imported_read_only_owner_keeps_its_flags():
    owner = frozen(numbers())
    x = cowarray.asarray(owner)
    x[0] = 1
    assert not owner.flags.writeable
    writable = numbers()
    cowarray.asarray(writable, copy=False)[0] = 1
    assert writable.flags.writeable
