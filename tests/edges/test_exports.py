"""What goes out. A read-only export is a snapshot: it never changes, cannot be reopened, and holds a share. A writable
export is an alias: it pins for as long as it lives. (DLPack: test_dlpack; pickle's buffers: test_pickle, too.)"""

import ctypes
import gc
import io
import math
import pickle
import re
import socket
import subprocess
import sys

import numpy as np
import pytest
from support.liars import Buffer

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

N = 64


@pytest.fixture
def x():
    return cowarray.array(np.arange(1.0, N + 1))


def is_free(x):
    """Nobody shares x's bytes, and a copy of it would be lazy."""
    alone = x.storage.share_count == 1
    return alone and cowarray.shares_bytes(x, x.copy())


def is_pinned(x):
    return not cowarray.shares_bytes(x, x.copy())


# ---- snapshots -------------------------------------------------------------------------------------------------------


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
    assert not hasattr(x, "__array_interface__")
    assert not hasattr(x, "__array_struct__")


# ---- buffer requests -------------------------------------------------------------------------------------------------

SIMPLE, WRITABLE, FORMAT, ND, STRIDES = 0, 0x1, 0x4, 0x8, 0x18
FLAGS = {
    "SIMPLE": SIMPLE, "FORMAT": FORMAT, "ND": ND, "STRIDES": STRIDES, "C_CONTIGUOUS": 0x20 | STRIDES,
    "F_CONTIGUOUS": 0x40 | STRIDES, "ANY_CONTIGUOUS": 0x80 | STRIDES, "INDIRECT": 0x100 | STRIDES,
    "RECORDS_RO": STRIDES | FORMAT, "FULL_RO": 0x100 | STRIDES | FORMAT,
}  # fmt: skip


def request(exporter, flags):
    """An open buffer and what it says; ctypes.pythonapi.PyBuffer_Release ends it."""
    view = Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(exporter), ctypes.byref(view), flags)
    lists = [pointer[: view.ndim] if pointer else None for pointer in (view.shape, view.strides, view.suboffsets)]
    return view, (view.len, view.itemsize, view.ndim, view.format, *lists)


LAYOUTS = {
    "C": lambda a: a.reshape(8, 8),
    "F": lambda a: a.reshape(8, 8).T,
    "strided": lambda a: a.reshape(8, 8)[:, ::2],
    "negative": lambda a: a[::-1],
    "transposed": lambda a: a.reshape(2, 4, 8).transpose(1, 0, 2),
    "0-d": lambda a: a[5, ...],
    "empty": lambda a: a[:0],
    "empty, 2-d": lambda a: a.reshape(8, 8)[:, 4:4],
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("writable", [0, WRITABLE], ids=["read-only", "writable"])
@pytest.mark.parametrize("flags", FLAGS.values(), ids=FLAGS)
def test_a_buffer_request_is_answered_as_numpy_answers_it(flags, writable, layout):
    source = layout(np.arange(64.0))
    owner = cowarray.array(np.arange(64.0)).reshape(8, 8)
    x = {"C": owner, "F": owner.T}.get(next(name for name, value in LAYOUTS.items() if value is layout))
    if x is None:
        x = cowarray.asarray(source, copy=False)[...]
    x.materialize()
    try:
        theirs, expected = request(source, flags | writable)
    except (ValueError, BufferError) as error:
        with pytest.raises(type(error)):
            request(x, flags | writable)
    else:
        ours, seen = request(x, flags | writable)
        assert seen == expected
        assert bool(ours.readonly) is not bool(writable)
        if x.size and writable:
            assert ours.buf == x.storage.data_ptr + (source.ctypes.data - base_of(source))
        for view in (ours, theirs):
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
    assert x.storage.share_count == 1
    assert "pinned" not in str(cowarray.explain(x.copy(order="K")))


def base_of(array):
    return np.lib.array_utils.byte_bounds(array)[0]


# ---- writable exports ------------------------------------------------------------------------------------------------


def with_buffer(x):
    return np.asarray(WritableView(x))


class WritableView:
    """Holds a WRITABLE request open."""

    def __init__(self, x):
        self.view, _ = request(x, WRITABLE | STRIDES)
        self.__array_interface__ = {
            "data": (self.view.buf, False), "shape": x.shape, "strides": x.strides, "typestr": x.dtype.str,
            "version": 3,
        }  # fmt: skip

    def __del__(self):
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self.view))


def with_ctypes(x):
    return np.ctypeslib.as_array(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), x.shape)


EXPORTS = {
    "to_numpy": lambda x: x.to_numpy(writable=True),
    "buffer": with_buffer,
    "ctypes": with_ctypes,
    "dlpack": np.from_dlpack,
    "view": lambda x: x.view(np.ndarray),
}


@pytest.fixture(params=EXPORTS)
def export(request):
    return EXPORTS[request.param]


def test_a_writable_export_aliases_the_array_and_its_views_and_no_copy(x, export):
    view, lazy, shown = x[10:], x.copy(), x.to_numpy()
    before = x.tolist()
    alias = export(x)
    alias[20] = -1
    assert x[20] == view[10] == -1
    x[30] = -2
    assert alias[30] == view[20] == -2
    assert lazy.tolist() == shown.tolist() == before
    assert alias.ctypes.data == x.storage.data_ptr


def test_a_writable_export_pins_until_it_is_gone(x, export):
    alias = export(x)
    assert is_pinned(x)
    copies = [x.copy(), x.reshape(8, 8), x.ravel(), x.lazy_clone(), cowarray.array(x), cowarray.asarray(memoryview(x))]
    alias[...] = -1
    assert all(copy.sum() == N * (N + 1) / 2 for copy in copies)
    part = alias[3:]
    del alias
    assert is_pinned(x)
    part[...] = -2
    del part
    gc.collect()
    assert is_free(x)


def test_several_writable_exports_pin_until_the_last_is_gone(x):
    exports = [make(x) for make in EXPORTS.values()]
    while exports:
        assert is_pinned(x)
        exports.pop()[0] = len(exports)
    gc.collect()
    assert is_free(x)


def test_a_writable_export_of_a_view_reaches_the_views_elements_only(x):
    x[8:16].to_numpy(writable=True)[...] = 0
    expected = np.arange(1.0, N + 1)
    expected[8:16] = 0
    assert x.tolist() == expected.tolist()


def test_a_writable_export_outlives_the_array(export):
    x = cowarray.array(np.arange(1.0, N + 1))
    alias = export(x)
    del x
    gc.collect()
    alias += 1
    assert alias.sum() == N * (N + 1) / 2 + N


def test_ctypes_pins_while_it_or_a_pointer_lives(x):
    access = x.ctypes
    assert (access.data, list(access.shape)) == (x.storage.data_ptr, [N])
    pointer = access.data_as(ctypes.POINTER(ctypes.c_double))
    del access
    assert is_pinned(x)
    pointer[2] = 50
    assert x[2] == 50
    del pointer
    gc.collect()
    assert is_free(x)


@pytest.mark.parametrize("receive", ["readinto", "recv_into", "recv_into of a view"])
def test_io_writes_into_the_array_and_into_no_copy_of_it(x, receive):
    lazy, shown, view = x.copy(), np.asarray(x), x[4:]
    sent = np.arange(100.0, 100 + N)
    expected = list(sent)
    if receive == "readinto":
        assert io.BytesIO(sent.tobytes()).readinto(x) == x.nbytes
    else:
        target = view if receive == "recv_into of a view" else x
        near, far = socket.socketpair()
        with near, far:
            near.sendall(sent.tobytes())
            assert far.recv_into(target) == target.nbytes
        expected = list(x.to_numpy()[: N - target.size]) + expected[: target.size]
    assert x.tolist() == expected
    assert view.tolist() == expected[4:]
    assert lazy.tolist() == shown.tolist() == list(range(1, N + 1))
    del lazy, shown
    assert is_free(x)


def test_readinto_a_file(x, tmp_path):
    (tmp_path / "data").write_bytes(np.zeros(N).tobytes())
    lazy = x.reshape(8, 8)
    with open(tmp_path / "data", "rb", buffering=0) as file:
        file.readinto(x)
    assert not x.any()
    assert lazy.sum() == N * (N + 1) / 2


def test_a_view_as_a_class_of_numpys_is_one(x):
    square = cowarray.asarray(np.zeros((2, 2)))
    for view in (square.view(np.matrix), square.view(type=np.matrix), square.view("f8", np.matrix)):
        assert type(view) is np.matrix
        view[0, 0] += 1
    assert square[0, 0] == 3
    assert square.view("i8", np.matrix).dtype == "i8"
    for own in (square.view(cowarray.ndarray), square.view("i8", cowarray.ndarray), square.view(type=None)):
        assert own.storage is square.storage
    for wrong in (("i8", int), (np.matrix, np.matrix)):
        with pytest.raises(ValueError, match="type"):
            square.view(*wrong)


def test_a_read_only_array_seen_as_a_class_of_numpys_is_a_snapshot(x):
    view = x[...]
    view.setflags(write=False)
    shown = view.view(np.recarray)
    x[0] = 5
    assert shown[0] == 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        shown.setflags(write=True)


def test_read_only_arrays_are_not_exported_for_writing(x):
    view = x[...]
    view.setflags(write=False)
    for array in (view, np.broadcast_to(x, (2, N))):
        with pytest.raises(ValueError, match="read-only"):
            array.to_numpy(writable=True)
        with pytest.raises((ValueError, BufferError)):
            request(array, WRITABLE | STRIDES)
    with pytest.raises(TypeError):
        io.BytesIO(bytes(8 * N)).readinto(view)
    assert is_free(x)
    assert x[0] == 1


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on")
def test_a_buffer_request_keeps_the_count_of_references_to_none(x):
    before = sys.getrefcount(None)
    for _ in range(1000):
        memoryview(x).release()
    assert abs(sys.getrefcount(None) - before) < 100


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "g", "F", "D", "G", ">f8", "M8[s]", "S3"]
)
@pytest.mark.parametrize("shape", [(), (0,), (6,), (1, 6), (2, 3), (1, 2, 1, 3), (1, 1, 1, 1, 6)])
def test_a_buffer_tells_what_numpy_would_tell(shape, dtype):
    values = np.zeros(math.prod(shape), "u1").astype(dtype).reshape(shape)
    x = cowarray.array(values)
    try:
        theirs = memoryview(values)
    except ValueError as refusal:
        with pytest.raises(ValueError, match=re.escape(str(refusal))):
            memoryview(x)
        return
    ours = memoryview(x)
    for name in ("nbytes", "readonly", "format", "itemsize", "ndim", "shape", "strides", "suboffsets", "c_contiguous"):
        assert getattr(ours, name) == (True if name == "readonly" else getattr(theirs, name)), name
    assert ours.tobytes() == theirs.tobytes()
    # Who asks the owner of the view once more gets the same.
    again = memoryview(ours.obj)
    assert (again.format, again.shape, again.readonly) == (ours.format, ours.shape, True)
    assert again.tobytes() == theirs.tobytes()


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


@pytest.mark.parametrize("dtype", ["d", "g", "Zd", "i2"])
def test_the_buffer_of_elements_that_are_not_aligned_says_so(dtype):
    dtype = np.dtype(dtype.replace("Zd", "c16"))
    memory = np.zeros(4 * dtype.itemsize + 1, "u1")
    theirs, ours = (a[1:].view(dtype) for a in (memory, cowarray.array(memory)))
    assert not ours.flags.aligned
    assert memoryview(ours).format == memoryview(theirs).format
