"""Bytes that are away come back at the door, once for all that share them, and no result tells that they were away."""

import pickle

import numpy as np
import pytest
from bringers import Bringer, N, managed
from probes import A, cases, facts, told
from sampling import sampled
from support.oracle import outcome, value
from support.prepared import PreparedCall

import cowarray
from cowarray._native.storage import evict, is_absent_storage, set_doorkeeper, share_allocation

pytestmark = pytest.mark.sanitized


def run(case, shared, takes_away, restless=0):
    """What a case does to an array, whose bytes may be away before; None where they cannot be."""
    base = cowarray.array(A)
    x = base.copy() if shared else base
    prepared = PreparedCall(case, x)
    storage = x.storage
    bringer = Bringer(value(x), restless)  # the making of a case may have written to it
    try:
        if prepared.refusal is not None:
            return None
        arguments = facts([prepared.owner, prepared.args, list(prepared.kwargs.values())], storage)
        bringer.manages(*([x, base] if shared else [x]))
        if takes_away:
            try:
                evict(storage, 2 if shared else 1)
            except BufferError:
                return None
        done = outcome(prepared.action)
        wrote = x.storage is storage and value(x[()]).tobytes()
    finally:
        prepared.run_of.close_files()
        bringer.leaves()
    return arguments, told(done, storage), wrote, value(base[()]).tobytes()


@pytest.mark.parametrize("restless", [0, 2])
@pytest.mark.parametrize("shared", [False, True], ids=["alone", "shared"])
def test_no_result_tells_that_bytes_were_away(shared, restless):
    differ, looked_at = [], 0
    chosen = sampled(cases(), "calls of arrays whose bytes are away")
    for case in chosen:
        before = [run(case, shared, False) for _ in range(2)]
        if None in before or before[0] != before[1] or "empty" in case.source:  # whose elements are anything
            continue
        now = run(case, shared, True, restless)
        if now is None:
            continue
        looked_at += 1
        if now != before[0]:
            differ.append((case.source, now, before[0]))
    assert looked_at > len(chosen) / 2
    assert differ == []


READS = {
    "view": lambda x, y: x[1:, ::2] + 0,
    "lazy copy": lambda x, y: y + 0,
    "element": lambda x, y: x[2, 3],
    "memoryview": lambda x, y: memoryview(x).tolist(),
    "part of a memoryview": lambda x, y: memoryview(y[1:]).tolist(),
    "numpy.asarray": lambda x, y: np.asarray(y),
    "strided numpy.asarray": lambda x, y: np.asarray(x[:, ::3]),
    "dlpack": lambda x, y: np.from_dlpack(x),
    "pickle": lambda x, y: pickle.loads(pickle.dumps(y)),
    "transpose": lambda x, y: x.T + 0,
    "a copy of its own": lambda x, y: x[2:].copy("F"),
    "list": lambda x, y: x.tolist(),
    "bytes": lambda x, y: list(y.tobytes()),
}


@pytest.mark.parametrize("restless", [0, 1, 3])
@pytest.mark.parametrize("read", READS)
def test_bytes_come_back_once_and_for_all_sharers(read, restless):
    (x, y), bringer = managed(N, 2, restless)
    view, storages = x[1:], (x.storage, y.storage)
    assert is_absent_storage(x.storage)
    assert is_absent_storage(y.storage)
    numpys = N.copy()
    np.testing.assert_array_equal(np.array(READS[read](x, y)), READS[read](numpys, numpys.copy()))
    assert bringer.brought == 1 + restless - bringer.restless
    assert bringer.restless == 0
    assert (x.storage, y.storage) == storages
    assert view.storage is x.storage
    assert x.tolist() == y.tolist() == N.tolist()
    assert bringer.brought == 1 + restless


WRITES = {
    "an element": lambda x: x.__setitem__((0, 1), 5),
    "a part": lambda x: x.__setitem__(slice(1, 3), 5),
    "all": lambda x: x.__setitem__(..., 5),
    "fill": lambda x: x.fill(3),
    "out": lambda x: np.add(2, N, out=x),
    "in place": lambda x: x.__iadd__(1),
    "sort": lambda x: x.sort(),
    "copyto": lambda x: np.copyto(x, -N),
    "through a view": lambda x: x[::2, 1:].__imul__(2),
    "by somebody outside": lambda x: np.asarray(x if type(x) is np.ndarray else x.to_numpy(writable=True)).fill(8),
    "to what it reads": lambda x: np.add(x[1:], x[:-1], out=x[1:]),
}


@pytest.mark.parametrize("restless", [0, 1, 3])
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("write", WRITES)
def test_a_write_finds_the_bytes_and_changes_one_array(write, n, restless):
    arrays, bringer = managed(N, n, restless)
    numpys = N.copy()
    WRITES[write](numpys)
    WRITES[write](arrays[0])
    assert bringer.restless == 0
    assert arrays[0].tolist() == numpys.tolist()
    for other in arrays[1:]:
        assert other.tolist() == N.tolist()


def test_a_copy_of_absent_bytes_needs_none_and_has_them_when_they_come():
    (x,), bringer = managed(N)

    def nobody(*said):
        assert said[1] == "shares"

    set_doorkeeper(x.storage, nobody)
    y, part = x.copy(), x[2:].copy()
    assert share_allocation(x.storage, y.storage)
    assert share_allocation(part.storage, x.storage)
    assert is_absent_storage(y.storage)
    assert is_absent_storage(part.storage)
    with pytest.raises(RuntimeError, match="the bytes are absent"):
        y.sum()
    with pytest.raises(RuntimeError, match="the bytes are absent"):
        memoryview(y)
    with pytest.raises(RuntimeError, match="the bytes are absent"):
        y[0] = 1
    with pytest.raises(RuntimeError, match="the bytes are absent"):
        y[...] = 1
    bringer.bring(part.storage)  # through any of them, and always the whole
    set_doorkeeper(x.storage, None)
    assert (y.tolist(), part.tolist(), x.tolist()) == (N.tolist(), N[2:].tolist(), N.tolist())


def test_what_is_known_without_bytes_brings_none():
    (x, y), bringer = managed(N, 2)
    assert (x.shape, x.dtype, x.strides, x.nbytes, x.size, len(x), x.ndim) == ((4, 6), "f8", (48, 8), 192, 24, 4, 2)
    assert x.storage.share_count == 2
    assert (x.storage.nbytes, x.storage.is_cow) == (192, True)
    assert "192 bytes" in repr(x.storage)
    assert cowarray.explain(x).shares == 2
    assert x.flags.aligned
    assert cowarray.aliases(x, x[1:])
    assert cowarray.aliases(x[:3], x[2:])
    assert not cowarray.aliases(x[:2], x[2:])
    assert not cowarray.aliases(x, y)
    assert bringer.brought == 0


VIEWS = {
    "part": lambda x: x[1:, 2],
    "transpose": lambda x: x.T,
    "axes": lambda x: x.transpose(1, 0)[::2],
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "dtype": lambda x: x.view("i4"),
    "squeezed": lambda x: x[:1].squeeze(),
    "backwards": lambda x: x[::-1].T,
    "axis": lambda x: x[:, None],
    "nothing": lambda x: x[4:].T,
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_of_absent_bytes_needs_none_and_has_them_when_they_come(view):
    (x, y), bringer = managed(N, 2)
    made, numpys = VIEWS[view](x), VIEWS[view](N)
    assert (made.shape, made.strides, made.dtype) == (numpys.shape, numpys.strides, numpys.dtype)
    assert made.storage is x.storage
    assert bringer.brought == 0
    assert made.tolist() == numpys.tolist()
    assert bringer.brought == 1
    made[...] = 1
    numpys = N.copy()
    VIEWS[view](numpys)[...] = 1
    assert x.tolist() == numpys.tolist()
    assert y.tolist() == N.tolist()


def test_a_shape_that_is_set_needs_no_bytes():
    (x,), bringer = managed(N)
    x.shape = (2, 12)
    x.dtype = "i8"
    assert bringer.brought == 0
    assert x.tolist() == N.view("i8").reshape(2, 12).tolist()


def test_who_only_locates_at_the_door_is_asked_about_as_a_reader_next():
    for n in (1, 2):
        (x, *others), bringer = managed(N, n, restless=1)
        x.materialize()  # tells the door that it gives no element another value
        assert bringer.asked == ["locates", "reads", "reads"]
        assert x.storage.share_count == 1
        assert [array.tolist() for array in (x, *others)] == [N.tolist()] * n


def test_only_bytes_can_be_compared_across_storages():
    (x, y), _bringer = managed(N, 2)
    (u,), _other = managed(N)
    assert cowarray.shares_bytes(x, y)
    assert not cowarray.shares_bytes(x, u)
    evict(x.storage, 2)
    assert cowarray.shares_bytes(y[1:], x[:2])
    evict(x.storage, 2)
    assert not cowarray.shares_bytes(y[2:], x[:2])
    evict(x.storage, 2)
    assert not cowarray.shares_bytes(u, x)
    assert not cowarray.shares_bytes(x, N)


def test_a_trace_tells_a_steal_from_a_copy_wherever_the_bytes_lie_by_then():
    (x, y, z), bringer = managed(N, 3)
    bringer.bring(y.storage)  # x learns of it at its next door
    with cowarray.trace() as events:
        x[0, 0] = 1
        del y
        z[...] = 2
    assert [event.kind for event in events if event.kind in ("copy", "steal", "overwrite")] == ["copy", "steal"]
    (x, y), bringer = managed(N, 2)
    bringer.bring(y.storage)
    del y
    with cowarray.trace() as events:
        x[0, 0] = 1
    assert [event.kind for event in events if event.kind in ("copy", "steal", "overwrite")] == ["steal"]
