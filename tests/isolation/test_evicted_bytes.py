"""Bytes that are away come back at the door, once and for all that share them, and no result tells that they were away.

Doorkeepers in Python stand in for a memory budget: they know the values, and bring them when they are asked. It is one
file because each section has such doorkeepers.
"""

import gc
import pickle
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest
from probes import A, cases, facts, told
from support.extensions import SOURCES, SUFFIX, build
from support.extensions import run as run_command
from support.oracle import outcome, value
from support.prepared import PreparedCall
from support.sources import load
from support.threads import alone
from support.tracing import TracingAllocator

import cowarray
from cowarray._native import storage as storage_module
from cowarray._native.storage import evict, fill, is_absent_storage, set_doorkeeper, share_allocation

sys.path.append(str(Path(__file__).parents[2] / "tools"))
from sampling import sampled

pytestmark = pytest.mark.sanitized


class Bringer:
    """A doorkeeper who brings an allocation's bytes.

    Parameters
    ----------
    values : numpy.ndarray
        What an array of the whole allocation has.
    restless : int
        So many times the bytes are taken away between his answer and the opening of the door.
    """

    def __init__(self, values, restless=0):
        self.values = np.array(values)
        self.restless = restless
        self.bringings = []
        self.asked = []
        self.keeps = []

    def __call__(self, storage, intent, behalf, box):
        self.asked.append(intent)
        if intent == "locates" or not is_absent_storage(storage):
            return  # a copy has no doorkeeper, and needs bytes that stay
        self.bring(storage)
        if self.restless and intent != "shares":
            self.restless -= 1
            # No generator: where memory for its function is refused, CPython 3.13.0 frees the code object twice.
            evict(storage, sum([share_allocation(storage, ref()) for ref in self.keeps if ref() is not None]))

    @property
    def brought(self):
        return len(self.bringings)

    def bring(self, storage):
        if fill(storage, cowarray.array(self.values).storage):
            self.bringings.append(storage.nbytes)  # of several threads each counts its own

    def manages(self, *arrays):
        for array in arrays:
            set_doorkeeper(array.storage, self)
            self.keeps.append(weakref.ref(array.storage))

    def leaves(self):
        """Nobody asks any more; the bytes are there."""
        for storage in [ref() for ref in self.keeps]:
            if storage is not None:
                if is_absent_storage(storage):
                    self.bring(storage)
                set_doorkeeper(storage, None)


def managed(values, n=1, restless=0):
    """n arrays that share bytes, which are away, and who brings them."""
    x = cowarray.array(values)
    arrays = [x, *(x.copy() for _ in range(n - 1))]
    bringer = Bringer(values, restless)
    bringer.manages(*arrays)
    evict(x.storage, n)
    return arrays, bringer


N = np.arange(24.0).reshape(4, 6)

# ---- nothing tells that bytes were away ------------------------------------------------------------------------------


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


# ---- who is refused --------------------------------------------------------------------------------------------------


def check_kept(array, n, words):
    """The eviction is refused, in these words, and nothing has changed."""
    storage = array.storage
    before = (storage.data_ptr, storage.share_count, storage.is_cow, array.tolist())
    with pytest.raises(BufferError, match=rf"cannot evict {N.nbytes} bytes: .*{words}"):
        evict(storage, n)
    assert not is_absent_storage(storage)
    assert (storage.data_ptr, storage.share_count, storage.is_cow, array.tolist()) == before


def array_kept():
    x = cowarray.array(N)
    bringer = Bringer(N)
    bringer.manages(x)
    return x, bringer


def test_who_holds_the_bytes_is_told():
    x, _bringer = array_kept()
    outside = x.copy()
    check_kept(x, 1, "a lazy copy, a snapshot or an export shares them")
    more = outside.copy()
    check_kept(x, 1, "2 lazy copies, snapshots or exports share them")
    check_kept(x, 4, "there are 3 shares of them, not 4")
    del outside, more
    export = memoryview(x)
    check_kept(x, 1, "an export shares them")
    export.release()
    shown = np.asarray(x)
    check_kept(x, 1, "an export shares them")
    del shown
    writer = x.to_numpy(writable=True)
    check_kept(x, 1, "they are pinned: .* or somebody outside may")
    del writer
    said = []

    def tries(element):
        try:
            evict(x.storage, 1)
        except BufferError as error:
            said.append(str(error))
        return element

    np.frompyfunc(tries, 1, 1)(x)
    assert set(said) <= {
        f"cannot evict {N.nbytes} bytes: they are being read, by an operation or by somebody outside",
        f"cannot evict {N.nbytes} bytes: a lazy copy, a snapshot or an export shares them",
    }
    assert len(said) == N.size
    evict(x.storage, 1)
    with pytest.raises(BufferError, match="they are away already"):
        evict(x.storage, 1)
    assert x.tolist() == N.tolist()


def test_foreign_bytes_stay():
    foreign = N.copy()
    x = cowarray.asarray(foreign, copy=False)
    if not x.storage.is_cow:
        Bringer(N).manages(x)
    check_kept(x, 1, "belong to somebody else")


def test_what_is_read_without_a_doorkeeper_stays():
    x = cowarray.array(N)
    x.sum()  # keeps a header
    check_kept(x, 1, "being read")
    computed = x + 0  # NumPy's own array has the bytes, and is the header
    check_kept(computed, 1, "being read")
    set_doorkeeper(computed.storage, Bringer(N))
    evict(computed.storage, 1)
    assert computed.tolist() == N.tolist()


def test_a_storage_lets_its_doorkeeper_go_before_its_share():
    """Who counts his Storages by their doorkeepers never counts one too many, which would free what others read."""
    x = cowarray.array(N)
    y = x.copy()
    counted = []

    class Leaving:
        def __call__(self, *said):
            pass

        def __del__(self):
            counted.append(y.storage.share_count)

    set_doorkeeper(x.storage, Leaving())
    del x
    assert counted == [2]
    assert y.storage.share_count == 1


# ---- filling ---------------------------------------------------------------------------------------------------------


MADE = {
    "a copy": lambda: cowarray.array(N),
    "computed, with NumPy's own array as its owner": lambda: cowarray.array(N) + 0,
    "imported": lambda: cowarray.asarray(N.copy()),
    "written": lambda: cowarray.array(N - 1).__iadd__(1),
    "brought before": lambda: managed(N)[0][0],
}


@pytest.mark.parametrize("make", MADE)
def test_bytes_move_in_without_a_copy(make):
    (x, y), _bringer = managed(N, 2)
    made = MADE[make]()
    made.sum()
    address = made.storage.data_ptr
    assert fill(y.storage, made.storage) is True
    assert y.storage.data_ptr == address
    assert is_absent_storage(made.storage)
    del made
    gc.collect()
    assert x.tolist() == N.tolist()
    assert x.storage.data_ptr == address
    x[0] = 1  # bytes of its own
    assert y.tolist() == N.tolist()
    assert y.storage.data_ptr == address
    evict(y.storage, 1)
    assert y.tolist() == N.tolist()


def check_not_filled(x, made, error, words):
    """Nothing has changed: made has its bytes, x has none."""
    before = made.tolist()
    with pytest.raises(error, match=words):
        fill(x.storage, made.storage)
    assert is_absent_storage(x.storage)
    assert not is_absent_storage(made.storage)
    assert made.tolist() == before
    made[0] = 7
    assert made[0].tolist() == [7] * 6 or made.ndim == 1


def test_what_is_no_fill_changes_nothing():
    (x,), _bringer = managed(N)
    check_not_filled(x, cowarray.arange(3.0), ValueError, "24 bytes for an allocation of 192")
    made = cowarray.array(N)
    copy = made.copy()
    check_not_filled(x, made, BufferError, "share the bytes")
    assert copy.tolist() == N.tolist()
    made = cowarray.array(N)
    export = memoryview(made)
    check_not_filled(x, made, BufferError, "share the bytes")
    assert export.tolist() == N.tolist()
    made = cowarray.array(N)
    _writer = made.to_numpy(writable=True)
    check_not_filled(x, made, BufferError, "pinned")
    foreign = N.copy()
    made = cowarray.asarray(foreign, copy=False)
    check_not_filled(x, made, ValueError, "cannot be moved|belong to somebody else")
    with pytest.raises(ValueError, match="cannot be moved"):
        fill(x.storage, x.storage)
    assert x.tolist() == N.tolist()
    made = cowarray.array(N + 1)
    made.sum()
    assert fill(x.storage, made.storage) is False  # there are bytes already
    assert (x.tolist(), made.tolist()) == (N.tolist(), (N + 1).tolist())


# ---- without memory --------------------------------------------------------------------------------------------------


def test_a_refused_context_changes_nothing():
    """The core notes absence in a context, which a Storage that nobody shared and read has not."""
    with TracingAllocator() as memory:
        x, made = cowarray.array(N), cowarray.array(N + 1)
        plain = cowarray.array(N)
        Bringer(N).manages(x)
        memory.refuse(1)
        with pytest.raises(MemoryError):
            evict(x.storage, 1)
        memory.refuse(0)
        assert x.tolist() == N.tolist()
        evict(x.storage, 1)
        memory.refuse(1)
        with pytest.raises(MemoryError):
            fill(x.storage, plain.storage)
        memory.refuse(0)
        assert is_absent_storage(x.storage)
        assert plain.tolist() == N.tolist()
        fill(x.storage, made.storage)
        assert x.tolist() == (N + 1).tolist()
        del x, made, plain


ACCESSES = {
    "read": lambda x: x.tolist(),
    "snapshot": lambda x: memoryview(x),
    "element": lambda x: x[1, 2],
    "write": lambda x: x.__setitem__((0, 0), 0),
    "overwrite": lambda x: x.__setitem__(..., N),
    "copy": lambda x: x.copy(),
    "pin": lambda x: x.to_numpy(writable=True),
    "transpose": lambda x: x.T.tolist(),
}


def swept(refuse, stop, n, access, arrays):
    gc.disable()
    refuse(n)
    try:
        return ACCESSES[access](arrays[0])
    except MemoryError:
        return MemoryError
    finally:
        stop()
        gc.enable()


@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize("whose", ["Python's", "the core's"])
@alone()
def test_each_allocation_refused_in_turn(access, whose):
    """The access succeeds or nothing has happened; the next one finds everything."""
    python = pytest.importorskip("_testcapi", reason="CPython's own tests can refuse memory")
    failed = 0
    with TracingAllocator() as core:
        for n in range(1, 80):
            arrays, bringer = managed(N, 2, restless=1)
            storage = arrays[0].storage
            if whose == "Python's":
                result = swept(lambda n: python.set_nomemory(n, n + 1), python.remove_mem_hooks, n, access, arrays)
            else:
                result = swept(core.refuse, lambda: core.refuse(0), n, access, arrays)
            failed += result is MemoryError
            assert arrays[0].storage is storage
            assert arrays[1].tolist() == N.tolist()
            assert arrays[0].tolist() == N.tolist()
            assert arrays[0].storage.share_count + arrays[1].storage.share_count <= 6
            del result, arrays, bringer
    assert failed > 3


# ---- threads ---------------------------------------------------------------------------------------------------------


def evicts(storage, n):
    try:
        evict(storage, n)
    except BufferError:
        return False
    return True


def test_many_threads_read_what_another_keeps_evicting():
    """Readers of all kinds find the values, however often the bytes leave; each eviction is made good once."""
    values = np.arange(2000.0)
    (x, *copies), bringer = managed(values, 9)
    start, end = threading.Barrier(9), threading.Barrier(9)
    wrong = []
    reads = [
        lambda mine: mine.sum(),
        lambda mine: np.asarray(mine[::2]).sum() * 2 + 1000,
        lambda mine: memoryview(mine)[7] + 1998993,
        lambda mine: mine.T[7] + 1998993,
        lambda mine: mine[10:] @ np.ones(1990) + 45,
    ]

    def read(mine, first):
        for turn in range(100):
            start.wait()
            try:
                for how in range(3):
                    got = reads[(turn + first + how) % len(reads)](mine)
                    if got != 1999000:
                        wrong.append((turn, how, got))
            except BaseException as error:
                wrong.append(error)
            end.wait()

    threads = [threading.Thread(target=read, args=(mine, first)) for first, mine in enumerate(copies)]
    for thread in threads:
        thread.start()
    evicted = 1
    for turn in range(100):
        start.wait()
        while end.n_waiting < 8:
            evicted += evicts(x.storage, 9)
        end.wait()
        evicted += evicts(x.storage, 9)  # while all others wait: if they have brought it
        assert is_absent_storage(x.storage) or wrong, turn
    for thread in threads:
        thread.join()
    assert wrong == []
    assert evicted > 100
    assert x.tolist() == values.tolist()
    assert bringer.brought == evicted


# ---- doorkeepers in C ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def keeping(tmp_path_factory):
    """The extension, which has a `Keeper` of its own."""
    pytest.importorskip("Cython", reason="Cython is not installed; it is needed to build cowarray from source")
    folder = tmp_path_factory.mktemp("keeping")
    source, target = folder / "keeping.c", folder / f"keeping{SUFFIX}"
    include = SOURCES.parents[1] / "src"
    run_command([sys.executable, "-m", "cython", "-3", "-I", include, SOURCES / "keeping.pyx", "-o", source])
    build(source, target)
    return load(target)


def test_a_keeper_is_told_of_lazy_copies_before_anybody_has_them(keeping):
    """So each that shares absent bytes gets a doorkeeper; a copy that has none yet is nobody's."""
    x = cowarray.array(N)
    storages = []

    def bring():
        return cowarray.array(N).storage

    def share(storage, made):
        assert storage in (x.storage, *storages)
        assert share_allocation(storage, made)
        storages.append(made)
        keeping.keep(made, bring, share)

    keeper = keeping.keep(x.storage, bring, share)
    assert keeping.evicted(x.storage, 2) == "busy"
    assert keeping.evicted(x.storage, 1) == "ok"
    assert keeping.evicted(x.storage, 1) == "absent"
    y = x.copy()
    z = y[1:].copy()
    assert storages == [y.storage, z.storage]
    assert is_absent_storage(x.storage)
    assert keeping.allocation(x.storage) == 0
    export = memoryview(z)  # a share that is read at once is no lazy copy
    assert len(storages) == 2
    assert export.tolist() == N[1:].tolist()
    first = keeping.allocation(x.storage)
    assert first != 0
    assert first == keeping.allocation(y.storage) == keeping.allocation(z.storage)
    assert keeping.evicted(x.storage, 3) == "busy"
    assert keeping.held_by(x.storage, 3) == "a lazy copy, a snapshot or an export shares them"
    export.release()
    storages.clear()
    del z
    assert keeping.evicted(x.storage, 2) == "ok"
    y[0] = 3
    assert (x.tolist(), y[1:].tolist(), y[0].tolist()) == (N.tolist(), N[1:].tolist(), [3] * 6)
    assert keeping.allocation(x.storage) != keeping.allocation(y.storage)
    assert keeper.intents == [1, 2]  # to copy it, and to list it


def test_a_copy_that_its_keeper_refuses_is_undone(keeping):
    def refuse(storage, made):
        raise KeyError("no copies")

    x = cowarray.array(N)
    keeping.keep(x.storage, None, refuse)
    with pytest.raises(KeyError, match="no copies"):
        x.copy()
    assert x.storage.share_count == 1
    assert keeping.evicted(x.storage, 1) == "ok"


def test_bytes_that_are_being_copied_stay_and_it_is_told_who_copies(keeping):
    said = []
    before = storage_module._allocator()
    x = cowarray.array(N)

    def look():
        for array in (y, z):
            said.append((keeping.evicted(array.storage, 2), keeping.held_by(array.storage, 2)))

    storage_module._use_allocator(keeping.watch_clones(before, look))
    try:
        y = cowarray.array(N)
        z = y.copy()
        x = y.copy()
        said.clear()
        y[0] = 1
    finally:
        storage_module._use_allocator(before)
    assert said == [
        ("busy", "another thread is materializing the array"),
        ("busy", "they are being read, by an operation or by somebody outside"),
    ]
    assert x.tolist() == z.tolist() == N.tolist()
    assert y[0].tolist() == [1] * 6
