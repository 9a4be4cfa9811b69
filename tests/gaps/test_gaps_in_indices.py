"""An index or a value that runs user code: what is written is what was asked, in the array as it then is."""

import collections

import numpy as np
import pytest
from harm import survives

import cowarray as ca

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

CHANGES = """
class Evil:
    def __init__(self, gives=0):
        self.gives = gives
    def __index__(self):
        change()
        return self.gives
class EvilTuple(tuple):
    def __iter__(self):
        change()
        return iter((slice(0, None),))
keep = []
x = ca.array(np.arange(64.0))
shared = x.copy()
def change():
    if x.dtype == "i1":
        return
    x.dtype = "i1"
    x.resize(64)
    keep.append(x.copy())
"""


@pytest.mark.sampled
@pytest.mark.parametrize(
    "key", ["slice(Evil(), None)", "(slice(Evil(), None),)", "Evil()", "(Evil(),)", "(Ellipsis, Evil())", "EvilTuple()"]
)
@pytest.mark.parametrize("value", ["np.ones(64)", "7", "[7] * 64", "np.float64(7)"])
def test_an_index_that_changes_the_array_is_used_on_what_the_array_then_is(key, value):
    survives(
        CHANGES
        + f"""
try:
    x[{key}] = {value}
except (ValueError, IndexError, TypeError):
    pass  # as NumPy has it, for an array of 64 small integers
assert x.dtype == "i1" and x.shape == (64,)
assert shared.tolist() == list(range(64))
assert keep[0].tolist() == np.arange(64.0).view("i1")[:64].tolist()
for array in (x, shared, *keep):
    whole(array)
"""
    )


class Text(str):
    pass


@pytest.mark.parametrize(
    "key",
    [
        Text("a"),
        ["a", "b"],
        [np.str_("a")],
        [Text("b"), "a"],
        np.array(["a", "b"]),
        collections.UserList(["b"]),
        collections.deque(["a", "b"]),
    ],
)
def test_names_of_fields_are_text_of_any_class(key):
    n = np.array([(1, 2.0), (3, 4.0)], [("a", "i8"), ("b", "f8")])
    x = ca.array(n)
    assert x[key].tolist() == n[key].tolist()
    value = n[key][::-1].copy()
    x[key] = value
    n[key] = value
    assert x.tolist() == n.tolist()


@pytest.mark.parametrize("key", [[True, False, True], [0, 2], (1,), slice(None, None, 2), np.array([True] * 3)])
def test_flat_reads_and_writes_what_numpys_does(key):
    n = np.arange(3.0)
    x = ca.array(n)
    for act in (lambda array: array.flat[key], lambda array: array.flat.__setitem__(key, 9.0)):
        outcomes = []
        for array in (x, n):
            try:
                result = act(array)
                outcomes.append(None if result is None else np.asarray(result).tolist())
            except IndexError:
                outcomes.append(IndexError)
        assert outcomes[0] == outcomes[1]
        assert x.tolist() == n.tolist()


def test_an_index_is_asked_once():
    class Index:
        asked = 0

        def __index__(self):
            self.asked += 1
            return 1

    x = ca.array(np.zeros(4))
    _copy = x.copy()  # a shared array looks before it copies
    for key in (Index(), slice(Index(), None), (slice(None, Index()),)):
        index = key if isinstance(key, Index) else (key[0].stop if isinstance(key, tuple) else key.start)
        x[key] = 1.0
        assert index.asked == 1
        x[key]
        assert index.asked == 2


def test_a_value_of_a_class_with_code_of_its_own_is_only_its_elements():
    survives("""
class Evil(np.ndarray):
    def reshape(self, *args):
        change()
        return np.ndarray.reshape(self, *args)
    @property
    def shape(self):
        change()
        return (64,)
    @property
    def ndim(self):
        change()
        return 1
    @property
    def dtype(self):
        change()
        return np.dtype("f4")
keep = []
def change():
    x.dtype = "i1"
    x.resize(64)
    keep.append(x.copy())
for key in (slice(None), Ellipsis, slice(0, 64)):
    x = ca.array(np.arange(64.0))
    shared = x.copy()
    x[key] = np.ones(64, "f4").view(Evil)
    assert shared.tolist() == list(range(64))
    assert x.tolist() == [1] * len(x)
    for array in (x, shared, *keep):
        whole(array)
""")


@pytest.mark.parametrize("hook", ["np.seterrcall(change); np.seterr(all='call')", "warnings.showwarning = change"])
def test_a_report_of_overflow_that_changes_the_array(hook):
    """Where a number is too large for an element, NumPy reports it while it converts, to whoever asked for that."""
    survives(
        f"""
import itertools, warnings
warnings.simplefilter("always")
kept = []
values = (1e300, 10**300, -1, 0.5, np.float64("nan"), np.float64(1e300), np.float32("inf"))
deeds = ("x.resize(4)", "x.dtype = 'i1'", "x.setflags(write=False)", "x.resize(5000)", "kept.append(x.copy())")
def change(*args, **kwargs):
    exec(deed)
for deed, dtype, value in itertools.product(deeds, "f2 f4 F f8 g D i1 u1 u4 i8 ?".split(), values):
    x = ca.array(np.ones(4096, dtype))
    with np.errstate():
        {hook}
        try:
            x[4000] = value
        except Exception:
            pass
    if not x.flags.writeable:
        assert (x == 1).all(), "written to although it is read-only"
    x.tobytes()
    for each in kept:
        each.tobytes()
"""
    )
