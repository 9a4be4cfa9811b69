"""What user code does to arrays while an operation on them is under way is never seen as another array's write."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import cowarray
from cowarray._modes.copies import copies as _modes

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

N = 20000


class Counted:
    def __init__(self, value):
        self.value = value


def test_a_plain_field_of_records_with_objects_is_never_shared():
    x = cowarray.array(np.zeros(4, [("a", "i8"), ("o", "O")]))
    x["o"] = np.array([Counted(i) for i in range(4)])
    snapshot = x["a"].to_numpy()
    copy = x["a"].copy()
    x["a"][0] = 1
    del snapshot
    assert [item.value for item in x["o"].tolist()] == [0, 1, 2, 3]
    assert copy.tolist() == [0, 0, 0, 0]
    assert not cowarray.shares_bytes(copy, x)


def arrays():
    x = cowarray.array(np.arange(float(N)))
    return x, x.copy()


def test_einsum_with_objects_reads_no_other_array():
    x, y = arrays()
    state = {"done": False}

    class Element:
        def __mul__(self, other):
            if not state["done"]:
                state["done"] = True
                x[-1] = 7.0
                y[...] = -1.0
            return other

        __rmul__ = __mul__

        def __add__(self, other):
            return other

        __radd__ = __add__

    objects = np.empty(N, object)
    objects[:] = [Element() for _ in range(N)]
    got = np.einsum("i,i->i", x, objects)[-3:].tolist()
    assert state["done"]
    assert -1.0 not in got


def test_objects_that_end_during_an_assignment_change_no_value_of_it():
    y = cowarray.array(np.arange(float(N)))
    z = y.copy()

    class Ending:
        def __del__(self):
            y[0] = 1.0
            z[...] = -1.0

    x = cowarray.array(np.array([Ending()] + [None] * (N - 1), object))
    x[:] = y
    assert x[-3:].tolist() == [N - 3.0, N - 2.0, N - 1.0]
    assert z[0] == -1


@pytest.mark.parametrize(
    "read",
    [
        lambda x, index: x[index,],
        lambda x, index: x[index],
        lambda x, index: x.item(index),
        lambda x, index: x.flat[index],
        lambda x, index: x.flat[index:][-1],
        lambda x, index: x[index:][0],
    ],
)
def test_an_index_that_writes_reads_no_other_array(read):
    x, y = arrays()

    class Index:
        def __index__(self):
            x[-1] = 7.0
            y[...] = -1.0
            return N - 2

    assert read(x, Index()) in (N - 2.0, N - 1.0, 7.0)
    assert y[0] == -1


def test_a_report_that_fails_leaves_no_pin(monkeypatch):
    x, y = arrays()

    def fails(kind, nbytes, reason, unread):
        raise KeyboardInterrupt

    with cowarray.trace():
        monkeypatch.setattr(_modes, "report", fails)
        with pytest.raises(KeyboardInterrupt):
            x[0] = 1
    monkeypatch.undo()
    assert not cowarray.explain(x).pinned
    assert y[0] == 0


# Each copies x, 100 numbers in a 10 by 10 shape, lazily or at once.
COPYING = {
    "copy": lambda x: x.copy(),
    "copy in order": lambda x: x.copy(order="F"),
    "T.copy": lambda x: x.T.copy(),
    "small": lambda x: x[:2].copy(),
    "reshape": lambda x: x.reshape(-1),
    "reshape in order": lambda x: x.reshape(4, 25, order="F"),
    "ravel": lambda x: x.T.ravel(),
    "np.roll": lambda x: np.roll(x, 1),
    "snapshot": lambda x: x.to_numpy(),
    "small snapshot": lambda x: x[:2].to_numpy(),
    "buffer": lambda x: memoryview(x),
    "small buffer": lambda x: memoryview(x[:2]),
    "__array__": lambda x: x.__array__(copy=True),
    "pickle": lambda x: pickle.loads(pickle.dumps(x.T[::2])),
    "dlpack": lambda x: np.from_dlpack(x, copy=True),
}


@pytest.mark.parametrize("hook", ["born", "forbids_eager", "report"])
@pytest.mark.parametrize("name", COPYING)
def test_whoever_is_told_of_a_copy_may_change_the_source(monkeypatch, name, hook):
    """What is copied are the values and the shape that the source had, or has: no mixture, and no byte beyond it."""
    expected = np.asarray(COPYING[name](cowarray.array(np.arange(100.0).reshape(10, 10))))
    told = []
    x = cowarray.array(np.arange(100.0).reshape(10, 10))
    kept = getattr(_modes, hook)

    def changes(*args):
        if not told:
            told.append(hook)
            x.resize(3, refcheck=False)
            x[...] = -1
        return kept(*args)

    with cowarray.trace(), cowarray.no_copy():
        monkeypatch.setattr(_modes, hook, changes)
        found = np.asarray(COPYING[name](x))
        monkeypatch.undo()
    if not told:
        return  # it comes past another hook
    assert found.shape == expected.shape
    assert (found == expected).all()
    assert x.tolist() == [-1, -1, -1]


@pytest.mark.parametrize("hook", ["born", "forbids_eager", "report"])
@pytest.mark.parametrize("name", COPYING)
def test_a_mode_that_fails_leaves_nothing_behind(monkeypatch, name, hook):
    x = cowarray.array(np.arange(100.0).reshape(10, 10))
    told = []

    def fails(*args):
        told.append(hook)
        raise KeyboardInterrupt

    with cowarray.trace(), cowarray.no_copy():
        monkeypatch.setattr(_modes, hook, fails)
        try:
            COPYING[name](x)
        except KeyboardInterrupt:
            assert told
        monkeypatch.undo()
    assert (x.storage.share_count, cowarray.explain(x).pinned) == (1, False)
    assert x.tolist() == np.arange(100.0).reshape(10, 10).tolist()
    x[0] = 1


def test_a_huge_broadcast_of_read_only_memory_is_shared():
    x = cowarray.asarray(np.broadcast_to(np.frombuffer(b"12345678"), (2**59,)))
    assert x.shape == (2**59,)
    assert not x.flags.writeable


def test_shape_and_dtype_setters_refuse_what_numpys_do():
    x = cowarray.array(np.arange(4.0))
    with pytest.raises(TypeError):
        x.shape = None
    x.resize(np.int64(6))
    assert x.tolist() == [0, 1, 2, 3, 0, 0]


WHERE_BYTES_END = """
import gc
import numpy as np, cowarray as ca
arrays, ended = [], 0
class Owner(bytearray):
    def __del__(self):
        global ended
        ended += 1
        for array in arrays:
            array.copy()
            array.sum()
for i in range(300):
    x = ca.asarray(np.frombuffer(Owner(64)), copy=False)
    view = x[1:]
    view.sum(), x.sum()
    arrays[:] = [x, view]
    {write}
    arrays.clear()
    others = [np.empty(3) for _ in range(10)]
    x.sum(), view.sum()
del x, view
gc.collect()
print(ended)
"""


@pytest.mark.parametrize("write", ["x[0] = 5", "x += 5", "view.fill(1)", "x.resize(12)", "x.sort()"])
def test_user_code_at_the_end_of_bytes_finds_whole_arrays(write):
    """It finds no NumPy array that is going away: in a process of its own, since memory would be corrupt."""
    program = WHERE_BYTES_END.format(write=write)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("300\n", "")


# Another thread has given x other bytes and waits for the GIL, so that the next reader lets go of the old ones.
WHERE_OLD_BYTES_END = """
import sys, threading, time
import numpy as np, cowarray as ca
SIZE = 1 << 24
x = None
class Owner(bytearray):
    def __del__(self):
        {change}
        ended.append(threading.current_thread())
for i in range(20):
    ended = []
    sys.setswitchinterval(1000)
    base = ca.asarray(np.frombuffer(Owner(SIZE), "u1"), copy=False)
    x = {x}
    writer = threading.Thread(target={write})
    writer.start()
    time.sleep(0.0005)
    x.sum()
    until = time.perf_counter() + 0.1
    while time.perf_counter() < until:
        pass
    shape = x.shape
    shown = {read}
    found = ended == [threading.current_thread()]
    assert shown.shape == shape, shown.shape
    assert not np.asarray(shown).any()
    del shown
    sys.setswitchinterval(0.005)
    writer.join()
    if found:
        print("seen")
        break
"""


@pytest.mark.sampled
@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="readers keep nothing without a GIL")
@pytest.mark.parametrize("read", ["memoryview(x)", "x.to_numpy()", "np.asarray(x)", "x.copy()"])
@pytest.mark.parametrize(
    ("x", "write", "change"),
    [
        ("base[:60000].view()", "lambda: base.__setitem__(-1, 1)", "x.shape = (60000,) + 39 * (1,)"),
        ("base", "lambda: ended.append(base.to_numpy(writable=True)) or ended.clear()", "x.resize(4 * SIZE)"),
        ("base", "lambda: base.materialize()", "x.resize(1)"),
    ],
    ids=["more axes", "grows", "shrinks"],
)
def test_an_array_changed_at_the_end_of_bytes_is_shown_as_it_was(x, write, change, read):
    """In a process of its own, since memory would be corrupt."""
    program = WHERE_OLD_BYTES_END.format(x=x, write=write, change=change, read=read)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")


LIST_CHANGES = {
    "emptied": lambda items: items.clear(),
    "a number": lambda items: items.__setitem__(0, 5),
    "a dict": lambda items: items.__setitem__(0, {"a": 1}),
    "a list": lambda items: items.__setitem__(0, [cowarray.arange(3)]),
    "an array": lambda items: items.__setitem__(0, cowarray.arange(4.0)),
    "longer": lambda items: items.extend([1, 2]),
}


@pytest.mark.parametrize("change", LIST_CHANGES)
@pytest.mark.parametrize("named", [False, True])
def test_a_list_that_changes_during_a_call_is_what_it_was(monkeypatch, change, named):
    """NumPy's result is a view, so it is asked after the call whether it lies in one of the arguments."""
    items = [cowarray.array(1.0) for _ in range(4)] if named else [cowarray.zeros(4)]
    shown = []

    def show(*args, **kwargs):
        shown.append(args)
        LIST_CHANGES[change](items)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", show)
        found = cowarray.cov(cowarray.zeros(4), aweights=items, ddof=10) if named else cowarray.cov(items, ddof=10)
    assert shown
    assert (type(found), found.shape) == (cowarray.ndarray, ())
    assert np.isnan(found)


# ---- readers that are left behind ------------------------------------------------------------------------------------

MOVES = {
    "element": lambda x: x.__setitem__(-1, 1.0),
    "all": lambda x: x.__iadd__(1.0),
    "out": lambda x: np.add(x, 1.0, out=x),
    "materialize": lambda x: x.materialize(),
}


@pytest.mark.parametrize("size", [3, 100_000])
@pytest.mark.parametrize("seen", [False, True], ids=["", "after a guarded read"])
@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("make", [lambda a: cowarray.array(a) + 0, lambda a: cowarray.array(a).copy(), cowarray.array])
def test_a_read_under_way_does_not_see_what_the_last_sharer_writes(make, move, seen, size):
    """x moves on to other bytes in the middle of a computation that reads it; the old ones are then y's alone."""
    values = np.zeros(size)
    values[0] = 5e-324  # the division of the sum, before the second look at the elements, is inexact
    x = make(values)
    x.sum()
    y = x.copy()
    calls = []

    def called(kind, flag):
        if not calls:
            calls.append(kind)
            if seen:
                np.max(x)
            MOVES[move](x)
            y[0] = 1000.0

    before = np.seterrcall(called)
    try:
        with np.errstate(under="call"):
            found = x.var()
    finally:
        np.seterrcall(before)
    assert calls
    assert found < 100 / size, "the reader has seen what belongs to y alone"
    assert y[0] == 1000
    assert x[0] <= 1


@pytest.mark.parametrize("make", [lambda a: cowarray.array(a) + 0, lambda a: cowarray.array(a).copy(), cowarray.array])
@pytest.mark.parametrize("move", MOVES)
def test_without_a_reader_the_last_sharer_steals(make, move):
    x = make(np.zeros(3))
    x.sum()
    repr(x[1:])
    y = x.copy()
    cowarray.reset_stats()
    MOVES[move](x)
    y[0] = 1.0
    assert cowarray.stats()["steals"] == 1
