"""Memory that runs out costs a MemoryError and nothing else, at each allocation of every operation.

An operation is run with its 1st, 2nd, ... n-th allocation refused, until it succeeds. After each failure every array is
readable, equal to what it was, still shared, and no block is left behind. Bytes that `stats` tells are bytes that the
allocator has cloned.
"""

import copy
import gc
import pickle

import numpy as np
import pytest
from support.tracing import TracingAllocator

import cowarray as ca

pytestmark = pytest.mark.sanitized

N = 40
VALUES = np.arange(float(N))


@pytest.fixture
def memory():
    with TracingAllocator() as tracing:
        yield tracing
        tracing.refuse(0)
    gc.collect()
    report = tracing.report()
    assert (report["live_blocks"], report["faults"]) == (0, 0)


def foreign():
    source = VALUES.copy()
    source.setflags(write=False)
    return source


class Arrays:
    """x shares its bytes with other; shown is a snapshot; theirs is read-only memory of NumPy's; plain is x's twin."""

    def __init__(self):
        self.x = ca.array(VALUES)
        self.other = self.x.copy()
        self.shown = np.asarray(self.x)
        self.theirs = ca.asarray(foreign())
        self.alone = ca.array(VALUES)
        self.view = self.x[10:30]
        self.text = np.array(["10"] * N)
        self.pinned = ca.array(VALUES)
        self.out = self.pinned.to_numpy(writable=True)

    def look(self):
        """What must not change."""
        names = ("x", "other", "theirs", "alone", "pinned")
        facts = {name: (getattr(self, name).tobytes(), getattr(self, name).storage.share_count) for name in names}
        return facts, self.shown.tobytes(), self.out.tobytes(), self.view.tobytes(), self.x.storage.data_ptr


# Each takes Arrays and gives what it made. A list of their names is at the end of the file's first test.
MAKING = {
    "array": lambda a: ca.array(VALUES),
    "array of a list": lambda a: ca.array([1.0, 2.0]).copy(),
    "asarray read-only": lambda a: ca.asarray(foreign()),
    "asarray bytes": lambda a: ca.asarray(memoryview(bytes(16))),
    "asarray copy=False": lambda a: ca.asarray(VALUES, copy=False),
    "asarray snapshot": lambda a: ca.asarray(a.shown),
    "asarray memoryview": lambda a: ca.asarray(memoryview(bytearray(16))),
    "asarray copy=True": lambda a: ca.asarray(a.x, copy=True),
    "asarray dtype": lambda a: ca.asarray(a.x, dtype="f4"),
    "from_dlpack": lambda a: ca.from_dlpack(VALUES),
    "from_dlpack ours": lambda a: ca.from_dlpack(a.alone),
    "copy": lambda a: a.alone.copy(),
    "copy of a copy": lambda a: a.x.copy().copy(),
    "copy F": lambda a: a.x.reshape(8, 5).copy(order="F"),
    "copy of a small part": lambda a: a.x[3:5].copy(),
    "copy of pinned": lambda a: a.pinned.copy(),
    "copy of foreign": lambda a: a.theirs.copy(),
    "copy of broadcast": lambda a: np.broadcast_to(a.x, (3, N)).copy(),
    "lazy_clone": lambda a: ca.lazy_clone(a.alone),
    "reshape": lambda a: a.alone.reshape(5, 8),
    "reshape to copy": lambda a: a.alone.reshape(5, 8).T.reshape(-1),
    "ravel": lambda a: a.x.ravel(),
    "flatten": lambda a: a.alone.flatten(order="F"),
    "astype": lambda a: a.alone.astype("f8"),
    "astype other": lambda a: a.alone.astype("i4"),
    "np.copy": lambda a: np.copy(a.alone),
    "copy.copy": lambda a: copy.copy(a.alone),
    "deepcopy": lambda a: copy.deepcopy(a.alone),
    "pickle": lambda a: pickle.loads(pickle.dumps(a.alone, protocol=5)),
    "pickle out of band": lambda a: out_of_band(a.alone),
    "snapshot": lambda a: a.alone.to_numpy(),
    "snapshot of a small part": lambda a: a.alone[3:5].to_numpy(),
    "snapshot of pinned": lambda a: a.pinned.to_numpy(),
    "memoryview": lambda a: memoryview(a.alone),
    "sum": lambda a: a.alone.sum(),
    "add": lambda a: a.alone + a.x,
    "equal": lambda a: a.alone == a.x,
    "np.add": lambda a: np.add(a.alone, a.x),
    "divmod": lambda a: divmod(a.alone, 3.0),
    "item": lambda a: a.alone[3],
    "view": lambda a: a.alone.view("i8"),
    "mask": lambda a: a.alone[a.alone > 3],
    "T": lambda a: a.alone.T,
    "np.split": lambda a: np.split(a.alone, 4),
    "np.sort": lambda a: np.sort(a.alone),
    "np.concatenate": lambda a: np.concatenate([a.alone, a.x]),
    "np.where": lambda a: np.where(a.alone > 3, a.x, a.other),
    "repr": lambda a: repr(a.alone),
    "tobytes": lambda a: a.alone.tobytes(),
    "iterate": lambda a: list(a.alone.reshape(8, 5)),
    "einsum": lambda a: np.einsum("i,i->", a.alone, a.x),
    "explain": lambda a: (ca.explain(a.alone), ca.shares_bytes(a.alone, a.x), ca.aliases(a.alone, a.x)),
}

# Without np.add.reduce(..., out=x): NumPy 2.4 leaks a reference to out when __array_ufunc__ raises.
WRITING = {
    "item": lambda x: x.__setitem__(3, -1.0),
    "items": lambda x: x.__setitem__(slice(3, 5), -1.0),
    "all": lambda x: x.__setitem__(..., -1.0),
    "list": lambda x: x.__setitem__(slice(0, 2), [1.0, 2.0]),
    "mask": lambda x: x.__setitem__(x > 3, -1.0),
    "index": lambda x: x.__setitem__([1, 2], -1.0),
    "own part": lambda x: x.__setitem__(slice(0, 4), x[4:8]),
    "fill": lambda x: x.fill(-1.0),
    "+=": lambda x: x.__iadd__(1.0),
    "+= array": lambda x: x.__iadd__(x[::-1]),
    "**=": lambda x: x.__ipow__(2.0),
    "part +=": lambda x: x[1:].__iadd__(1.0),
    "out": lambda x: np.add(x, 1, out=x),
    "where": lambda x: np.add(x, 1, out=x, where=x > 5),
    "at": lambda x: np.add.at(x, [0], 5),
    "copyto": lambda x: np.copyto(x, 4.0),
    "put": lambda x: x.put([1], 4.0),
    "put_along_axis": lambda x: np.put_along_axis(x, np.array([1]), 3.0, 0),
    "sort": lambda x: x[::-1].sort(),
    "partition": lambda x: x[::-1].partition(3),
    "flat": lambda x: setattr(x, "flat", 5.0),
    "real": lambda x: setattr(x, "real", 5.0),
    "setfield": lambda x: x.setfield(5, "u1"),
    "byteswap": lambda x: x.byteswap(inplace=True),
    "export": lambda x: x.to_numpy(writable=True).fill(3.0),
    "dlpack": lambda x: np.from_dlpack(x).sum(),
    "ctypes": lambda x: x.ctypes.data > 0,
    "cumsum": lambda x: np.cumsum(x, out=x),
    "materialize": lambda x: x.materialize(),
}


def out_of_band(array):
    buffers = []
    return pickle.loads(pickle.dumps(array, protocol=5, buffer_callback=buffers.append), buffers=buffers)


def sweep(memory, every, prepare, operate, check_failure):
    """Refuse the 1st, 2nd, ... allocation (with every, all after it, too) until none is; how many raised."""
    raised = 0
    for n in range(1, 50):
        arrays = prepare()
        live, refused = memory.report()["live_blocks"], memory.report()["refused"]
        memory.refuse(n, every)
        try:
            operate(arrays)
            failed = False
        except MemoryError:
            failed = True
        memory.refuse(0)
        refused = memory.report()["refused"] - refused
        if refused == 0:
            assert not failed
            return raised
        if failed:
            raised += 1
            check_failure(arrays, live)
            operate(arrays)
        assert memory.report()["faults"] == 0
    pytest.fail("never succeeds")


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("operation", MAKING)
def test_operation_that_makes_something(memory, operation, every):
    before = {}

    def prepare():
        arrays = Arrays()
        before.clear()
        before.update(enumerate(arrays.look()))
        arrays.alone = ca.array(VALUES)  # nobody has looked at it: no context, no header
        return arrays

    def check(arrays, live):
        # A context that was made for reading may stay with its Storage: it is not lost, and the next one uses it.
        assert memory.report()["live_blocks"] <= live + 1
        assert dict(enumerate(arrays.look())) == before

    raised = sweep(memory, every, prepare, MAKING[operation], check)
    assert raised > 0 or not every, "an operation that allocates nothing proves nothing here"


@pytest.mark.parametrize("target", ["x", "theirs"])
@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("operation", WRITING)
def test_write_to_a_shared_array(memory, operation, target, every):
    before = {}

    def prepare():
        arrays = Arrays()
        before["look"] = arrays.look()
        return arrays

    def check(arrays, live):
        assert memory.report()["live_blocks"] <= live
        assert arrays.look() == before["look"]
        assert arrays.x.storage.is_cow

    def operate(arrays):
        WRITING[operation](getattr(arrays, target))
        assert arrays.other.tobytes() == arrays.shown.tobytes() == VALUES.tobytes()

    # One refusal may be made good by another way to the bytes; when all are refused, there is none.
    assert sweep(memory, every, prepare, operate, check) > 0 or not every


@pytest.mark.parametrize("operation", WRITING)
def test_write_to_a_sole_array_needs_no_memory_for_its_bytes(memory, operation):
    x = ca.array(VALUES)
    plain = VALUES.copy()
    x.sum()
    address = x.storage.data_ptr
    copied = ca.stats()["bytes_copied"]
    WRITING[operation](x)
    if operation not in ("export", "dlpack", "ctypes", "materialize"):
        WRITING[operation](plain)
        assert x.tobytes() == plain.tobytes()
    assert x.storage.data_ptr == address
    assert ca.stats()["bytes_copied"] == copied


def test_last_sharer_writes_without_memory(memory):
    x = ca.array(VALUES)
    x.copy()
    x.sum()
    memory.refuse(1, every=True)
    x[0] = 5
    x += 1
    x[:] = 3
    x.sort()
    assert (x[0], x[-1]) == (3, 3)
    memory.refuse(0)


def test_arrays_stay_readable_while_every_allocation_is_refused(memory):
    arrays = Arrays()
    arrays.look()
    memory.refuse(1, every=True)
    assert arrays.x.tobytes() == arrays.other.tobytes() == VALUES.tobytes()
    assert arrays.view[3] == 13
    assert arrays.x[5:8].tolist() == [5, 6, 7]
    for write in WRITING.values():
        with pytest.raises(MemoryError):
            write(arrays.x)
        with pytest.raises(MemoryError):
            write(arrays.theirs)
    with pytest.raises(MemoryError):
        arrays.x.copy()
    memory.refuse(0)
    assert arrays.x.tobytes() == arrays.other.tobytes() == arrays.theirs.tobytes() == VALUES.tobytes()
    assert arrays.x.storage.share_count == 3
    arrays.x[0] = 5
    assert arrays.other[0] == 0


def test_size_that_no_machine_has():
    x = ca.array(np.zeros(3))
    huge = np.broadcast_to(x, (2**58, 3))
    with pytest.raises((MemoryError, ValueError, OverflowError)):
        huge.copy()
    with pytest.raises((MemoryError, ValueError, OverflowError)):
        ca.array(huge)
    assert huge[2**57].tolist() == [0, 0, 0]


# ---- bytes told equal bytes counted ----------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["x", "theirs"])
@pytest.mark.parametrize("operation", WRITING)
def test_bytes_told_are_bytes_cloned_by_writes(memory, operation, target):
    arrays = Arrays()
    ca.reset_stats()
    before = memory.report()
    WRITING[operation](getattr(arrays, target))
    after, figures = memory.report(), ca.stats()
    assert figures["eager_copies"] == 0
    assert figures["copies"] == after["clones"] - before["clones"]
    assert figures["bytes_copied"] == after["cloned_bytes"] - before["cloned_bytes"]
    assert (figures["copies"], figures["overwrites"]) in ((1, 0), (0, 1))


EAGER = {
    "array": (lambda a: ca.array(VALUES), N),
    "memoryview": (lambda a: ca.asarray(memoryview(bytearray(16))), 2),
    "copy F": (lambda a: a.x.reshape(8, 5).copy(order="F"), N),
    "small part": (lambda a: a.x[3:5].copy(), 2),
    "small snapshot": (lambda a: np.asarray(a.x[3:5]), 2),
    "pinned": (lambda a: a.pinned.copy(), N),
    "pinned snapshot": (lambda a: np.asarray(a.pinned), N),
    "broadcast": (lambda a: np.broadcast_to(a.x, (3, N)).copy(), 3 * N),
    "reshape": (lambda a: a.x.reshape(5, 8, copy=False).T.reshape(-1), N),
    "ravel": (lambda a: a.x.reshape(5, 8, copy=False).ravel(order="F"), N),
}


@pytest.mark.parametrize("operation", EAGER)
def test_bytes_told_are_bytes_allocated_by_eager_copies(memory, operation):
    """NumPy carries these out, into memory of the allocator or its own: told are the bytes of the result, no more."""
    operate, elements = EAGER[operation]
    arrays = Arrays()
    ca.reset_stats()
    before = memory.report()
    kept = operate(arrays)
    after, figures = memory.report(), ca.stats()
    assert (figures["eager_copies"], figures["copies"]) == (1, 0)
    assert figures["bytes_copied"] == elements * 8
    assert after["clones"] == before["clones"]
    if operation not in ("reshape", "ravel", "memoryview"):  # NumPy's memory
        grown = after["live_bytes"] - before["live_bytes"]
        assert elements * 8 <= grown < elements * 8 + 600
    assert kept is not None


def test_bytes_told_are_bytes_cloned_in_a_long_program(memory):
    seed = 3
    print("seed", seed)
    rng = np.random.default_rng(seed)
    arrays = [ca.array(VALUES)]
    ca.reset_stats()
    cloned = memory.report()["cloned_bytes"]
    for _ in range(3000):
        i = int(rng.integers(len(arrays)))
        if rng.random() < 0.4 and len(arrays) < 20:
            arrays.append(arrays[i].copy())
        elif rng.random() < 0.2 and len(arrays) > 1:
            arrays.pop(i)
        else:
            arrays[i][int(rng.integers(N))] = float(rng.integers(100))
    figures = ca.stats()
    assert figures["eager_copies"] == 0
    assert figures["bytes_copied"] == figures["copies"] * N * 8 == memory.report()["cloned_bytes"] - cloned
    assert figures["copies"] > 100
    assert figures["steals"] > 10
