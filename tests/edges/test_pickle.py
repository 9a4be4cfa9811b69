"""Pickles and the copy module: values survive, bytes are shared where they can be, and what is malformed raises."""

import copy
import gc
import itertools
import math
import multiprocessing
import operator
import pickle
import pickletools

import numpy as np
import pytest
from support.oracle import same

import cowarray

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

DTYPES = [
    "?", "i1", "u2", "i4", "u8", ">i4", "e", "f", "d", "g", ">f8", "F", "D", "G", "M8[ns]", "m8[D]", ">M8[s]", "S3",
    "U4", ">U2", "V5", "O", np.dtypes.StringDType(), [("a", "i1"), ("b", ">f8")], [("p", "f4", (2, 3)), ("t", "M8[s]")],
    np.dtype([("a", "i1"), ("b", "f8")], align=True), [(("title", "a"), "i4")], [("o", "O"), ("i", "i4")],
    np.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 2], "itemsize": 9}),
]  # fmt: skip

LAYOUTS = {
    "C": lambda a: a,
    "Fortran": lambda a: a.T,
    "strided": lambda a: a[:, ::2],
    "1-d strided": lambda a: a[0, 0, ::2],
    "negative": lambda a: a[::-1, :, ::-1],
    "permuted": lambda a: a.transpose(1, 0, 2),
    "part": lambda a: a[1:, 1:2],
    "0-d": lambda a: a[1, 1, 1, ...],
    "empty": lambda a: a[:, :0],
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
}


def example(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "V" and dtype.names:
        array = np.zeros((2, 3, 4), dtype)
        array[dtype.names[0]] = 3
        return array
    if dtype.kind in "VMm":
        return np.arange(24 * dtype.itemsize, dtype="u1").view("V5" if dtype.kind == "V" else dtype).reshape(2, 3, 4)
    return np.arange(24).reshape(2, 3, 4).astype(dtype)


def through(x, protocol):
    return pickle.loads(pickle.dumps(x, protocol))


def out_of_band(x, kind=lambda buffer: buffer):
    buffers = []
    payload = pickle.dumps(x, 5, buffer_callback=buffers.append)
    return pickle.loads(payload, buffers=[kind(buffer) for buffer in buffers])


WAYS = {f"protocol {n}": lambda x, n=n: through(x, n) for n in range(pickle.HIGHEST_PROTOCOL + 1)}
WAYS |= {
    "out of band": out_of_band,
    "out of band, as bytes": lambda x: out_of_band(x, bytes),
    "out of band, as bytearray": lambda x: out_of_band(x, bytearray),
    "dumps": lambda x: pickle.loads(x.dumps()),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


def check(x, source):
    assert type(x) is cowarray.ndarray
    assert (x.shape, x.dtype) == (source.shape, source.dtype)
    assert repr(x.tolist()) == repr(source.tolist())
    assert x.flags.writeable


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_survives(way, dtype):
    source = example(dtype)
    x = cowarray.array(source)
    check(way(x), source)
    check(x, source)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("dtype", ["f8", ">i2", "O", [("a", "i1"), ("b", "f8")]], ids=str)
def test_every_layout_survives(way, dtype, layout):
    source = example(dtype)
    expected, x = layout(source), layout(cowarray.array(source))
    got = way(x)
    check(got, expected)
    got[...] = got.ravel()[0] if got.size else 0
    check(cowarray.array(x), expected)


def test_memory_order_survives(way):
    x = cowarray.array(np.arange(12.0).reshape(3, 4))
    assert way(x).flags.c_contiguous
    assert way(x.T).flags.f_contiguous
    assert not way(x.T).flags.c_contiguous


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 1, 4, 3), (1, 2, 1, 2)], ids=str)
def test_protocol_5_keeps_the_order_of_axes_in_memory(shape):
    n = np.arange(math.prod(shape), dtype="i2").reshape(shape)
    for axes in itertools.permutations(range(n.ndim)):
        theirs, x = n.transpose(axes), cowarray.array(n).transpose(axes)
        buffers = []
        cowarray.reset_stats()
        payload = pickle.dumps(x, 5, buffer_callback=buffers.append)
        assert cowarray.stats()["bytes_copied"] == 0
        assert np.shares_memory(np.frombuffer(buffers[0], "u1"), x.to_numpy())
        for got in (pickle.loads(payload, buffers=buffers), pickle.loads(pickle.dumps(x, 5))):
            same(got, theirs, strides=True)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_gaps_are_left_out_in_the_order_of_c(protocol):
    n = np.arange(120, dtype="i2").reshape(4, 5, 6)
    for key in (np.s_[:, :, ::2], np.s_[::3, ::4, ::5], np.s_[:1, ::4], np.s_[::-1]):
        for axes in itertools.permutations(range(n.ndim)):
            x = cowarray.array(n)[key].transpose(axes)
            theirs = pickle.loads(pickle.dumps(n[key].transpose(axes), protocol))
            same(pickle.loads(pickle.dumps(x, protocol)), theirs, strides=True)


@pytest.mark.parametrize("dtype", ["f8", "S3", "V3", "O", "T"])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_part_has_the_order_that_numpys_pickles_give_it(protocol, dtype):
    """Also where its snapshot, which keeps little memory alive, is a copy in the order of columns."""
    columns = np.zeros((16, 4, 8), dtype, order="F")
    for part in np.s_[2:9], np.s_[:, :1], np.s_[:2, :1, :], np.s_[::-1], np.s_[:, None, 0], np.s_[...]:
        theirs, x = columns[part], cowarray.asarray(columns)[part]
        assert x.strides == theirs.strides
        same(pickle.loads(pickle.dumps(x, protocol)), pickle.loads(pickle.dumps(theirs, protocol)), strides=True)


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name not in ("empty", "broadcast")])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_unpickled_bytes_are_not_copied_until_a_write(protocol, layout):
    payload = pickle.dumps(LAYOUTS[layout](cowarray.array(example("f8"))), protocol)
    cowarray.reset_stats()
    x = pickle.loads(payload)
    y = x.ravel(order="K")
    assert cowarray.stats()["bytes_copied"] == 0
    y[0] = -1
    assert cowarray.stats()["bytes_copied"] == x.nbytes
    assert -1 not in x


def test_buffers_are_snapshots_and_hold_a_share():
    x = cowarray.array(np.arange(100.0))
    buffers = []
    cowarray.reset_stats()
    payload = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(buffers) == 1
    assert len(payload) < 400
    assert cowarray.stats()["bytes_copied"] == 0
    assert x.storage.share_count == 2
    x[...] = -1
    got = pickle.loads(payload, buffers=buffers)
    assert got.tolist() == list(range(100))
    assert memoryview(buffers[0]).readonly
    got[0] = 55
    assert pickle.loads(payload, buffers=buffers)[0] == 0
    shared = pickle.loads(payload, buffers=buffers).storage
    assert shared.is_cow
    buffers[0].release()
    del buffers
    gc.collect()
    assert shared.share_count == 1


def test_buffers_that_a_transport_brings_are_shared_and_never_written():
    """As distributed and others bring them: memory of their own, which they hand over."""
    x = cowarray.array(np.arange(1000.0))
    brought = []
    for own in (bytearray, lambda buffer: np.frombuffer(buffer, "u1").copy()):
        for hand_over in (lambda memory: memory, lambda memory: memoryview(memory).toreadonly()):
            cowarray.reset_stats()
            got = out_of_band(x, lambda buffer, own=own: brought.append(own(buffer)) or hand_over(brought[-1]))  # noqa: B023
            assert cowarray.stats()["bytes_copied"] == 0
            assert cowarray.shares_bytes(got, np.frombuffer(brought[-1]))
            kept = got.copy()
            got[0] = -1
            got += 1
            assert kept[0] == np.frombuffer(brought[-1])[0] == 0
            assert cowarray.stats()["bytes_copied"] == x.nbytes


def test_a_buffer_at_an_odd_address_is_copied_to_an_even_one():
    x = cowarray.array(np.arange(1000.0))
    odd = memoryview(bytearray(8001))[1:]
    for moved in (odd, odd.toreadonly()):
        cowarray.reset_stats()
        got = out_of_band(x, lambda buffer, moved=moved: odd.__setitem__(slice(None), buffer.raw()) or moved)
        assert got.flags.aligned
        assert (got == x).all()
        assert cowarray.stats()["bytes_copied"] == x.nbytes


def test_a_small_buffer_of_a_snapshot_keeps_no_large_array():
    buffers = []
    payload = pickle.dumps(cowarray.array(np.arange(1000.0))[:10], 5, buffer_callback=buffers.append)
    got = pickle.loads(payload, buffers=[memoryview(buffer) for buffer in buffers])
    assert got.storage.nbytes == 80


def test_out_of_band_shares_with_the_source_and_with_bytes():
    x = cowarray.array(np.arange(100.0))
    cowarray.reset_stats()
    assert cowarray.shares_bytes(out_of_band(x), x)
    stored = []
    got = out_of_band(x, lambda buffer: stored.append(bytes(buffer)) or stored[0])
    assert cowarray.shares_bytes(got, np.frombuffer(stored[0]))
    assert cowarray.stats()["bytes_copied"] == 0
    got[0] = 5
    assert np.frombuffer(stored[0])[0] == 0


def test_whoever_writes_to_a_buffer_that_was_handed_over_breaks_a_promise():
    """Recorded: docs/interop.md says so, as of everything that is trusted."""
    x = cowarray.array(np.arange(100.0))
    memory = []
    got, own = (out_of_band(x, lambda buffer: memory.append(bytearray(buffer)) or memory[-1]) for _ in range(2))
    own = own.copy()
    own.materialize()
    for each in memory:
        each[:] = bytes(800)
    assert not got.any()
    assert own.tolist() == x.tolist()


def test_pickling_copies_nothing_in_place():
    x = cowarray.array(np.arange(100.0))
    y = x.copy()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        through(y, protocol)
    assert cowarray.shares_bytes(x, y)
    assert x.storage.share_count == 2


def test_a_pickle_names_one_function_of_ours():
    """What a pickle may call is what an unpickler that restricts names must allow."""
    payload = pickle.dumps(cowarray.array(np.arange(3.0)), 5)
    strings = [argument for _, argument, _ in pickletools.genops(payload) if isinstance(argument, str)]
    assert [name for name in strings if name.startswith("cowarray")] == ["cowarray"]


# ---- the copy module -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [copy.copy, copy.deepcopy])
def test_the_copy_module_copies_lazily(function):
    x = cowarray.array(np.arange(100.0))
    cowarray.reset_stats()
    y = function(x)
    assert y.storage is not x.storage
    assert cowarray.shares_bytes(x, y)
    assert cowarray.stats()["bytes_copied"] == 0
    y[0] = -1
    assert x[0] == 0


def test_deepcopy_copies_objects_and_remembers_them():
    inner = [1, 2]
    x = cowarray.array(np.array([inner, None], dtype=object))
    y, also = copy.deepcopy((x, inner))
    assert y[0] == inner
    assert y[0] is not inner
    assert y[0] is also
    assert copy.copy(x)[0] is inner


# ---- processes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_arrays_go_to_other_processes_and_come_back(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this platform has no {method}")
    x = cowarray.array(np.arange(1000.0))
    sent = [x, x[::2], x.reshape(10, 100).T]
    with multiprocessing.get_context(method).Pool(1) as pool:
        got = pool.map(operator.neg, sent)
    for result, source in zip(got, sent, strict=True):
        check(result, -source.to_numpy())
        result[...] = 0
    assert x.sum() == 999 * 500
