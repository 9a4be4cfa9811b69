"""Which bytes may leave and move back in: who is refused, without memory, and beside many threads."""

import gc
import threading

import numpy as np
import pytest
from bringers import Bringer, N, managed
from support.threads import alone
from support.tracing import TracingAllocator

import cowarray
from cowarray._native.storage import evict, fill, is_absent_storage, set_doorkeeper

pytestmark = pytest.mark.sanitized


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
