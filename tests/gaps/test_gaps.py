"""Whatever user code does in the middle of an operation, arrays stay whole and nobody else's bytes change.

Each test is a way that once broke this; those beside this file (`test_gaps_*.py`) are by what let the user in. The rule
that they follow from is in `src/cowarray/_array/gaps.md`; `test_evil_world.py` looks for the ways that nobody has
thought of.
What could corrupt memory runs in a process of its own.
"""

import collections
import ctypes
import gc
import weakref

import numpy as np
import pytest
from harm import survives

import cowarray as ca

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

# ---- weak references -------------------------------------------------------------------------------------------------


def test_the_callback_of_a_dying_view_may_write_to_its_base():
    survives("""
for _ in range(200):
    base = ca.array(np.zeros(1000))
    copy = base.copy()
    view = base[1:]
    view.sum()
    def callback(_):
        base[0] = 1.0
        base[1:].sum()
    gone = weakref.ref(view, callback)
    del view
    assert base[0] == 1 and copy[0] == 0
    whole(base)
""")


def test_views_in_a_weak_dictionary_may_die_while_another_thread_writes():
    survives("""
sys.setswitchinterval(1e-6)
base = ca.array(np.zeros(1000))
views = weakref.WeakValueDictionary()
over = False
def write():
    while not over:
        kept = base.copy()
        base[0] += 1.0
thread = threading.Thread(target=write)
thread.start()
for i in range(20000):
    view = base[i % 7:]
    view.sum()
    views[i % 5] = view
over = True
thread.join()
whole(base)
""")


# ---- what a write leaves behind --------------------------------------------------------------------------------------


WHOLE = {
    "[...] =": lambda x: x.__setitem__(Ellipsis, 7.0),
    "[:] = list": lambda x: x.__setitem__(slice(None), [7.0] * 1000),
    "[:] = itself": lambda x: x.__setitem__(slice(None), x),
    "fill": lambda x: x.fill(7.0),
    "+=": lambda x: x.__iadd__(1.0),
    "+= itself": lambda x: x.__iadd__(x),
    "out=": lambda x: np.add(x, 1.0, out=x),
    "ca out=": lambda x: ca.add(x, x, out=x),
}


@pytest.mark.parametrize("write", WHOLE)
@pytest.mark.parametrize("read", [False, True])
def test_the_last_sharer_of_what_was_computed_steals(write, read):
    x = ca.array(np.zeros(1000)) + 1.0
    y = x.copy()
    if read:
        x.sum()
        y.sum()
    WHOLE[write](x)
    ca.reset_stats()
    address = y.storage.data_ptr
    y[0] = 5.0
    assert (ca.stats()["steals"], ca.stats()["copies"]) == (1, 0)
    assert y.storage.data_ptr == address
    assert y[1] == 1.0


# ---- edges -----------------------------------------------------------------------------------------------------------


def test_the_truth_of_an_argument_is_asked_once():
    class Copy:
        asked = 0

        def __bool__(self):
            self.asked += 1
            return True

    class DType:
        asked = 0

        @property
        def dtype(self):
            self.asked += 1
            return np.dtype("f4" if self.asked == 1 else "O")

    x = ca.array(np.zeros(3))
    for ask in (
        lambda copy: x.__dlpack__(copy=copy),
        lambda copy: x.__array__(copy=copy),
        lambda copy: ca.asarray(x, copy=copy),
        lambda flag: x.setflags(write=flag),
        lambda flag: ca.median(x, None, None, flag),
        lambda flag: x.byteswap(flag),
    ):
        copy = Copy()
        ask(copy)
        assert copy.asked == 1
    for ask in (
        lambda dtype: ca.asarray(x, dtype),
        lambda dtype: ca.asarray(x.to_numpy(), dtype),
        lambda dtype: x.astype(dtype),
        lambda dtype: x.view(dtype),
        lambda dtype: x.__array__(dtype),
    ):
        assert ask(DType()).dtype == "f4"


def test_what_is_written_must_be_an_array_itself():
    class Stranger:
        own = np.zeros(3)

        def __array__(self, dtype=None, copy=None):
            return self.own

    x = ca.array(np.ones(3))
    for write in (lambda: ca.copyto(Stranger(), x), lambda: ca.fill_diagonal(Stranger(), 1.0)):
        with pytest.raises((TypeError, AttributeError)):
            write()
        assert not Stranger.own.any()


@pytest.mark.parametrize("spec", [(1,), None, b"", 3])
def test_a_format_must_be_text(spec):
    with pytest.raises(TypeError):
        ca.array(1.0).__format__(spec)


def test_a_long_chain_of_owners_ends_without_a_deep_recursion():
    survives("""
x = ca.array(np.arange(4.0))[::2]
for _ in range(100_000):
    x = ca.asarray(x.to_numpy(), copy=False)
whole(x)
del x
x = np.broadcast_to(ca.array(np.arange(4.0)), (3, 4))
for _ in range(100_000):
    x = ca.asarray(x.to_numpy(), copy=False)
del x
x = ca.array(np.zeros((0, 3)))
for _ in range(100_000):
    x = ca.asarray(x.to_numpy(), copy=False)
del x
x = np.arange(4.0)
for _ in range(100_000):
    x = ca.asarray(ca.asarray(x, copy=False)[:1].to_numpy(), copy=False).to_numpy()
del x
""")


def test_a_write_of_no_elements_copies_nothing_and_is_never_forbidden():
    x = ca.array(np.zeros((0, 3)))
    _copy = x.copy()
    part = ca.array(np.zeros(4))
    _shared = part.copy()
    with ca.no_copy():
        x[...] = 1.0
        x += 1.0
        x.fill(2.0)
        x.sort()
        x.materialize()


def test_cs_sequence_calls_count_from_the_front():
    api = ctypes.pythonapi
    get, put, drop = api.PySequence_GetItem, api.PySequence_SetItem, api.PySequence_DelItem
    get.restype, get.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_ssize_t]
    put.argtypes = [ctypes.py_object, ctypes.c_ssize_t, ctypes.py_object]
    drop.argtypes = [ctypes.py_object, ctypes.c_ssize_t]
    x = ca.array(np.arange(10.0))
    copy = x.copy()
    assert (get(x, 9), get(x, -1), get(x, -10)) == (9, 9, 0)
    for index in (10, -11, -(2**62)):
        with pytest.raises(IndexError):
            get(x, index)
        with pytest.raises(IndexError):
            put(x, index, 1.0)
    put(x, -1, 5.0)
    put(x, 0, 7.0)
    assert (x[9], x[0], copy[9]) == (5, 7, 9)
    with pytest.raises(ValueError, match="delete"):
        drop(x, 0)
    rows = ca.array(np.arange(6.0).reshape(3, 2))
    assert get(rows, -1).tolist() == [4, 5]
    assert ca.aliases(get(rows, 0), rows)
    with pytest.raises(IndexError):
        get(ca.array(1.0), 0)


def test_iteration_ends_where_an_array_has_become_shorter():
    ours, numpys = ca.array(np.arange(6.0)), np.arange(6.0)
    for x, seen in ((ours, []), (numpys, [])):
        for value in x:
            seen.append(float(value))
            if len(seen) == 2:
                x.resize(3, refcheck=False)
        assert seen == [0, 1, 2]


class Items(list):
    def __iter__(self):
        return list.__iter__(self)


class Sequence:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, at):
        return self.items[at]


@pytest.mark.parametrize("container", [Items, collections.deque, collections.UserList, Sequence, tuple])
@pytest.mark.parametrize("function", [np.concatenate, np.hstack, np.vstack, np.stack, ca.concat, ca.hstack])
def test_arrays_in_a_container_of_any_class_are_found(function, container):
    plain = [np.arange(3.0), np.ones(3)]
    result = function(container([ca.array(values) for values in plain]))
    assert type(result) is ca.ndarray
    expected = getattr(np, {"concat": "concatenate"}.get(function.__name__, function.__name__))(plain)
    assert result.tolist() == expected.tolist()


@pytest.mark.parametrize("function", [np.concatenate, np.hstack, ca.concat, ca.hstack])
def test_a_container_that_contains_itself_is_refused(function):
    nested = [ca.array(np.ones(3))]
    nested.append(nested)
    with pytest.raises((RecursionError, ValueError)):
        function(nested)


def test_functions_are_not_kept_for_ever():
    class Callable:
        __name__ = "callable"
        __module__ = "elsewhere"

        def __call__(self, x):
            return 1

    x = ca.array(np.zeros(3))
    other = Callable()
    assert x.__array_function__(other, (ca.ndarray,), (x,), {}) == 1
    gone = weakref.ref(other)
    del other
    gc.collect()
    assert gone() is None
