"""Whatever user code does in the middle of an operation, arrays stay whole and nobody else's bytes change.

Each test is a way that once broke this. The rule they follow from is in `src/cowarray/gaps.md`; `test_evil_world.py`
looks for the ways that nobody has thought of. What could corrupt memory runs in a process of its own.
"""

import collections
import ctypes
import gc
import io
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest

import cowarray as ca

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

KEPT = sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()

HEAD = """
import gc, sys, threading, weakref
import numpy as np, cowarray as ca
def whole(x):
    # Reads each byte of x and writes it, in bytes of its own.
    assert x.copy().tolist() == x.tolist()
    x[...] = x.copy()
"""


def survives(program):
    ran = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", HEAD + program], capture_output=True, text=True, timeout=300
    )
    assert (ran.returncode, ran.stderr) == (0, "")


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


# ---- indices and values ----------------------------------------------------------------------------------------------

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


# ---- what others made, and what are elements -------------------------------------------------------------------------


class Keeper:
    """Computes by NumPy, and keeps what it gives."""

    __array_priority__ = 1000

    def __array__(self, dtype=None, copy=None):
        return np.ones(4)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        self.kept = np.array(array)
        return self.kept


@pytest.mark.parametrize("operator", ["__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rmod__", "__rpow__"])
def test_a_result_that_a_stranger_kept_is_not_ours_to_share(operator):
    keeper = Keeper()
    x = ca.array(np.full(4, 2.0))
    result = getattr(x, operator)(keeper)
    assert type(result) is ca.ndarray
    copy = result.copy()
    before = copy.tolist()
    keeper.kept[...] = 0  # raises, had its flag been taken
    assert result.tolist() == copy.tolist() == before


class Whole:
    """A 0-d integer, to NumPy."""

    def __array__(self, dtype=None, copy=None):
        return np.array(0)


def first_of_flat(x, key):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # NumPy 2.4, of truth
        return x.flat[key]


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.flat[(0,)],
        lambda x: x.flat[np.array(0)],
        lambda x: x.flat[0],
        lambda x: x.flat[np.int64(0)],
        lambda x: first_of_flat(x, True),
        lambda x: first_of_flat(x, np.array(True)),
        lambda x: first_of_flat(x, ca.array(True)),
        lambda x: next(x.flat),
        lambda x: x[Whole()],
        lambda x: x[(Whole(),)],
        lambda x: x[np.array(0)],
        lambda x: x[ca.array(0)],
        lambda x: x[0],
        lambda x: x.item(0),
    ],
)
def test_an_element_that_is_an_array_is_the_users_own(read):
    own = np.zeros(3)
    x = ca.array(np.empty(2, object))
    x[0] = own
    assert read(x) is own
    own[0] = 5
    assert own.flags.writeable


@pytest.mark.parametrize("read", ["loadtxt", "genfromtxt"])
def test_what_another_library_made_of_text_is_its_own(read):
    class Other:
        made = np.arange(3.0)

        def __array_function__(self, function, types, args, kwargs):
            return self.made

    result = getattr(ca, read)(io.StringIO("1 2 3"), like=Other())
    copy = ca.array(result)
    Other.made[0] = 9
    assert copy[0] == 0
    assert Other.made.flags.writeable


def test_what_another_function_gave_and_kept_is_not_taken_over():
    made = np.arange(3.0)
    shown = []

    def function(x):
        shown.append(x)
        return made

    x = ca.array(np.ones(3))
    x.sum()
    result = x.__array_function__(function, (ca.ndarray,), (x,), {})
    spoil(shown[0])
    made[0] = 9.0
    assert result.tolist() == [0.0, 1.0, 2.0]
    assert x.sum() == 3


class Equal:
    """A callable that says it is another, and gives what it keeps."""

    signature = None

    def __init__(self, other):
        self.other, self.kept = other, np.arange(1000.0)
        self.__name__, self.__module__ = other.__name__, "numpy"

    def __eq__(self, other):
        return other is self.other

    def __hash__(self):
        return hash(self.other)

    def __call__(self, *args, **kwargs):
        return self.kept


def test_a_callable_that_equals_numpys_is_not_taken_for_it():
    x = ca.array(np.ones(1000))
    for function in (np.mean, np.copy):
        same = Equal(function)
        np.mean(x), np.copy(x)
        result = x.__array_function__(same, (ca.ndarray,), (x,), {})
        same.kept[0] = 9.0
        assert result[0] == 0
    ufunc = Equal(np.add)
    result = x.__array_ufunc__(ufunc, "__call__", x)
    ufunc.kept[0] = 9.0
    assert result[0] == 0
    _copy = x.copy()
    x.__array_ufunc__(ufunc, "__call__", x, x, out=(x,))
    assert set(x.tolist()) == {1.0}


def test_the_parts_of_an_element_that_is_an_array_are_not_shared_with_the_user():
    """NumPy 2.5 gives the element's own, and makes it read-only, of arrays of its own, too."""
    own = np.zeros(3)
    x = ca.array(np.empty((), object))
    x[()] = own
    for parts in (lambda: x.real, lambda: x.imag, lambda: np.real(x), lambda: ca.imag(x), lambda: np.isreal(x)):
        result = parts()
        own.flags.writeable = True
        if type(result) is ca.ndarray and result.dtype == float:
            copy, before = result.copy(), result.tolist()
            own[...] += 1.0
            assert result.tolist() == copy.tolist() == before


def test_text_of_any_length_is_read_flat():
    x = ca.array(np.array([["a", "b" * 100], ["c" * 40, ""]], np.dtypes.StringDType()))
    for source in (x, x.T, x[::-1]):
        plain = [item for row in source.tolist() for item in row]
        assert source.flat[...].tolist() == source.flat[:].tolist() == list(source.flat) == plain
        assert source.flat[[0, 3]].tolist() == [plain[0], plain[3]]
        assert source.flat[1] == plain[1]


def test_all_of_an_array_read_flat_is_a_copy():
    x = ca.array(np.arange(3.0))
    for key in ((), Ellipsis, slice(None)):
        got = x.flat[key]
        x.flat[0] = 7.0
        assert got[0] == 0
        x.flat[0] = 0.0
        got[0] = 5.0
        assert x[0] == 0


# ---- ufuncs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["U", "S"])
def test_no_byte_of_out_is_left_from_freed_memory(dtype):
    for _ in range(50):
        trash = [bytes([65 + i]) * 160 for i in range(20)]
        del trash
        x = ca.array(np.full(4, "x" * 10, dtype + "10"))
        copy = x.copy()
        plain = np.full(4, "x" * 10, dtype + "10")
        short = np.full(4, "a", dtype + "1")
        np.add(short, short, out=x)
        np.add(short, short, out=plain)
        assert x.to_numpy().tobytes() == plain.tobytes()
        assert copy.tolist() == ca.array(np.full(4, "x" * 10, dtype + "10")).tolist()


def test_out_need_not_be_a_tuple():
    x = ca.array(np.arange(3.0))
    copy = x.copy()
    assert x.__array_ufunc__(np.add, "__call__", x, x, out=x) is x
    assert (x.tolist(), copy.tolist()) == ([0.0, 2.0, 4.0], [0.0, 1.0, 2.0])
    assert x.__array_ufunc__(np.add, "reduce", x, out=None) == 6
    with pytest.raises(TypeError):
        x.__array_ufunc__(np.add, "__call__", x, x, out=3)
    with pytest.raises(TypeError):
        x.__array_ufunc__(np.add, "__call__")


def test_a_warning_in_the_middle_of_a_write_runs_in_the_context_of_the_write(monkeypatch):
    import contextvars

    variable = contextvars.ContextVar("variable")
    variable.set(1)
    seen = []

    def tell(*args, **kwargs):
        seen.append(variable.get())
        np.seterr(all="ignore")

    monkeypatch.setattr(warnings, "showwarning", tell)
    for write in (
        lambda x: x.__setitem__(Ellipsis, np.full(3, 1 + 1j)),
        lambda x: np.add(1j, np.ones(3), out=x, casting="unsafe"),
    ):
        x = ca.array(np.ones(3))
        _copy = x.copy()
        with warnings.catch_warnings(), np.errstate(all="warn"):
            warnings.simplefilter("always")
            write(x)
            assert np.geterr()["divide"] == "ignore"
        assert seen.pop() == 1
        with np.errstate(all="raise"):
            _other = x.copy()
            with pytest.raises(FloatingPointError):
                x /= 0.0


def test_an_errstates_callable_ends_with_its_block():
    class Call:
        def __call__(self, *args):
            pass

    call = Call()
    gone = weakref.ref(call)
    x = ca.array(np.ones(3))
    with np.errstate(all="call", call=call):
        _copy = x.copy()
        x += 1.0
    del call
    gc.collect()
    assert gone() is None


ERRORS = {
    "/=": lambda x: x.__itruediv__(0.0),
    "out=": lambda x: np.divide(x, 0.0, out=x),
    "xp.divide": lambda x: ca.divide(x, 0.0, out=x),
    "[...]": lambda x: x.__setitem__(Ellipsis, np.array([1e300, 2.0, 3.0], np.longdouble) * np.longdouble(1e300)),
    "fill": lambda x: x.fill(np.longdouble(1e300) * np.longdouble(1e300)),
}


@pytest.mark.parametrize("report", ["call", "warn"])
@pytest.mark.parametrize("write", ERRORS)
@pytest.mark.parametrize("shared", [False, True])
def test_what_the_report_of_an_error_writes_stays_and_it_reads_what_was_computed(shared, write, report, monkeypatch):
    def outcome(x, copy):
        seen = []

        def tell(*args, **kwargs):
            seen.append(x.tolist())
            x[0] = 5.0

        kept = copy(x) if shared else None
        monkeypatch.setattr(warnings, "showwarning", tell)
        with warnings.catch_warnings(), np.errstate(all=report, call=tell):
            warnings.simplefilter("always")
            ERRORS[write](x)
        return x.tolist(), seen, kept is None or kept.tolist()

    ours = outcome(ca.array(np.array([1.0, 2.0, 3.0])), lambda x: x.copy())
    numpys = outcome(Plain(np.array([1.0, 2.0, 3.0])), lambda x: x.array.copy())
    assert ours == numpys


class Plain:
    """NumPy's array, for what is written as methods above."""

    def __init__(self, array):
        self.array = array
        self.tolist = array.tolist
        self.fill = array.fill
        self.__array_interface__ = array.__array_interface__

    def __setitem__(self, key, value):
        self.array[key] = value

    def __itruediv__(self, value):
        self.array /= value
        return self

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        inputs = [item.array if type(item) is Plain else item for item in inputs]
        return getattr(ufunc, method)(*inputs, out=self.array, **kwargs)


# ---- collections -----------------------------------------------------------------------------------------------------

# Fires at the n-th collection from here on, for each n: which of them comes at which allocation is CPython's to say. A
# collection comes at each second allocation, hence the shift. The free lists are emptied, for what comes from there
# begins no collection.
COLLECTED = """
import itertools
emptied = [(i,) * size for size in range(1, 20) for i in range(2100)] + [[i] for i in range(200)]
def at_each_collection(prepare, act, check):
    fired = True
    for n in itertools.count():
        if not fired:
            break
        for shift in (0, 1):
            world = prepare()
            count = itertools.count()
            fired = []
            def fire(phase, info):
                if phase == "start" and next(count) == n:
                    fired.append(n)
                    world.change()
            gc.collect()
            gc.callbacks.append(fire)
            before = gc.get_threshold()
            gc.set_threshold(1)
            emptied.extend([] for _ in range(shift))
            try:
                result = act(world)
            finally:
                gc.callbacks.remove(fire)
                gc.set_threshold(*before)
            global fired_in_time
            fired_in_time = bool(fired)
            check(world, result)
class World:
    def __init__(self):
        self.x = ca.array(np.arange(200_000.0)) + 0.0
        self.view = None
    def change(self):
        self.view = self.x[1:]
        self.view[0] = -1.0
        self.x.resize(1)
"""


@pytest.mark.parametrize(
    "act",
    [
        "ca.array(world.x, copy=None, ndmin=8)",
        "world.x[()]",
        "world.x[..., None]",
        "world.x[slice(np.int64(0), None)]",
        "world.x.T",
        "world.x.transpose(0)",
        "world.x.reshape(2, -1)",
        "world.x.reshape((1, -1, 1))",
        "world.x.view('i8')",
        "np.moveaxis(world.x, 0, 0)",
        "np.expand_dims(world.x, 0)",
        "world.x.to_numpy()",
        "world.x.astype('f4')",
        "memoryview(world.x)",
        "np.flip(world.x)",
    ],
)
def test_a_collection_in_the_middle_of_a_call_finds_and_leaves_whole_arrays(act):
    survives(
        COLLECTED
        + f"""
def act(world):
    try:
        return {act}
    except (ValueError, IndexError):
        return None  # the array is too small by then
def check(world, result):
    if result is None:
        return
    if isinstance(result, (np.ndarray, memoryview)):
        np.asarray(result).sum()
        return
    assert result.nbytes <= result.storage.nbytes, (result.nbytes, result.storage)
    whole(result)
    whole(world.x)
at_each_collection(World, act, check)
"""
    )


@pytest.mark.parametrize(
    "view",
    ["x[1:, ...]", "x[slice(np.int64(1), None)]", "x[:, None]", "np.expand_dims(x, 0)", "x.view('i8')", "x.T",
     "x.squeeze()", "np.flip(x)"],
)  # fmt: skip
def test_a_view_stays_one_when_its_array_is_resized_in_the_middle(view):
    survives(
        COLLECTED
        + f"""
def act(world):
    x = world.x
    return {view}
def check(world, result):
    storages = [world.x.storage] + ([] if world.view is None else [world.view.storage])
    assert any(result.storage is storage for storage in storages)
at_each_collection(World, act, check)
"""
    )


@pytest.mark.parametrize("write", ["world.x.__iadd__(1.0)", "np.add(world.x, 1.0, out=world.x)"])
def test_a_collection_in_the_middle_of_an_overwrite_loses_no_write(write):
    """As if its finalizer had run before or after the operation: never as if it had not."""
    survives(
        COLLECTED
        + f"""
class World:
    def __init__(self):
        self.x = ca.array(np.full(100, 1.0))
        self.kept = self.x.copy()
    def change(self):
        self.x[...] = 5.0
def check(world, result):
    expected = {{5.0, 6.0}} if fired_in_time else {{2.0}}
    assert len(set(world.x.tolist())) == 1 and set(world.x.tolist()) <= expected, world.x
    assert world.kept[0] == 1
def act(world):
    {write}
at_each_collection(World, act, check)
"""
    )


# ---- headers ---------------------------------------------------------------------------------------------------------


class Spoiler:
    """Changes every NumPy array that it is shown, as far as this can be done to a read-only one."""

    __array_priority__ = 1000

    def __array__(self, dtype=None, copy=None):
        return np.ones(4)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        for shown in context[1]:
            spoil(shown)
        return array


def spoil(shown):
    if type(shown) is np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shown.dtype = "i1"
            shown.shape = (2, -1)


def test_what_user_code_is_shown_of_a_pinned_array_is_not_what_the_array_keeps():
    x = ca.array(np.full(4, 2.0))
    exported = x.to_numpy(writable=True)
    x.sum()
    np.add(Spoiler(), x)
    assert x.shape == (4,)
    assert x.sum() == 8
    assert (x + 1).tolist() == [3.0] * 4
    del exported


def test_an_array_that_became_an_element_is_not_what_the_array_keeps():
    x = ca.array(np.full(4, 2.0))
    exported = x.to_numpy(writable=True)
    x.sum()
    y = ca.array(np.empty(2, object))
    y[0] = x
    spoil(y[0])
    assert x.sum() == 8
    z = ca.array(np.empty(2, [("o", "O")]))
    z["o"][0] = x
    spoil(z["o"][0])
    assert x.sum() == 8
    del exported


@pytest.mark.parametrize("read", [np.array_repr, np.array_str, repr, str, np.array2string])
def test_a_printing_function_of_the_user_is_shown_nothing_that_the_array_keeps(read):
    x = ca.array(np.full(4, 2.0))
    exported = x.to_numpy(writable=True)
    x.sum()
    with np.printoptions(override_repr=lambda shown: spoil(shown) or "", formatter={"all": str}):
        read(x)
    assert x.sum() == 8
    del exported


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


@pytest.mark.parametrize("mode", [ca.no_copy, ca.trace])
def test_a_mode_left_in_another_context_is_over_everywhere(mode):
    import contextvars

    entered = contextvars.copy_context()
    block = mode()
    entered.run(block.__enter__)
    with pytest.raises(ValueError, match="different Context"):
        block.__exit__(None, None, None)
    x = ca.array(np.zeros(3))
    with ca.trace():  # some mode is in use

        def write():
            _copy = x.copy()
            x[0] = 1.0

        entered.run(write)
    if mode is ca.trace:
        assert len(block) == 0
