"""A garbage collection in the middle of a call, whose callbacks change its arrays: results are whole."""

import sys

import pytest
from harm import survives

pytestmark = [pytest.mark.numpy_ends, pytest.mark.sanitized]

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
            victim = prepare()
            count = itertools.count()
            fired = []
            def fire(phase, info):
                if phase == "start" and next(count) == n:
                    fired.append(n)
                    victim.change()
            gc.collect()
            gc.callbacks.append(fire)
            before = gc.get_threshold()
            gc.set_threshold(1)
            emptied.extend([] for _ in range(shift))
            try:
                result = act(victim)
            finally:
                gc.callbacks.remove(fire)
                gc.set_threshold(*before)
            global fired_in_time
            fired_in_time = bool(fired)
            check(victim, result)
class Victim:
    def __init__(self):
        self.x = ca.array(np.arange(200_000.0)) + 0.0
        self.view = None
    def change(self):
        self.view = self.x[1:]
        self.view[0] = -1.0
        self.x.resize(1)
"""


@pytest.mark.sampled
@pytest.mark.parametrize(
    "act",
    [
        "ca.array(victim.x, copy=None, ndmin=8)",
        "victim.x[()]",
        "victim.x[..., None]",
        "victim.x[slice(np.int64(0), None)]",
        "victim.x.T",
        "victim.x.transpose(0)",
        "victim.x.reshape(2, -1)",
        "victim.x.reshape((1, -1, 1))",
        "victim.x.view('i8')",
        "np.moveaxis(victim.x, 0, 0)",
        "np.expand_dims(victim.x, 0)",
        "victim.x.to_numpy()",
        "victim.x.astype('f4')",
        "memoryview(victim.x)",
        "np.flip(victim.x)",
    ],
)
def test_a_collection_in_the_middle_of_a_call_finds_and_leaves_whole_arrays(act):
    survives(
        COLLECTED
        + f"""
def act(victim):
    try:
        return {act}
    except (ValueError, IndexError):
        return None  # the array is too small by then
def check(victim, result):
    if result is None:
        return
    if isinstance(result, (np.ndarray, memoryview)):
        np.asarray(result).sum()
        return
    assert result.nbytes <= result.storage.nbytes, (result.nbytes, result.storage)
    whole(result)
    whole(victim.x)
at_each_collection(Victim, act, check)
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
def act(victim):
    x = victim.x
    return {view}
def check(victim, result):
    storages = [victim.x.storage] + ([] if victim.view is None else [victim.view.storage])
    assert any(result.storage is storage for storage in storages)
at_each_collection(Victim, act, check)
"""
    )


@pytest.mark.parametrize("write", ["victim.x.__iadd__(1.0)", "np.add(victim.x, 1.0, out=victim.x)"])
def test_a_collection_in_the_middle_of_an_overwrite_loses_no_write(write):
    """As if its finalizer had run before or after the operation: never as if it had not."""
    survives(
        COLLECTED
        + f"""
class Victim:
    def __init__(self):
        self.x = ca.array(np.full(100, 1.0))
        self.kept = self.x.copy()
    def change(self):
        self.x[...] = 5.0
def check(victim, result):
    expected = {{5.0, 6.0}} if fired_in_time else {{2.0}}
    assert len(set(victim.x.tolist())) == 1 and set(victim.x.tolist()) <= expected, victim.x
    assert victim.kept[0] == 1
def act(victim):
    {write}
at_each_collection(Victim, act, check)
"""
    )


@pytest.mark.sampled
@pytest.mark.parametrize("change", ["x.resize(2)", "x.resize(50)", "x.dtype = 'i4'", "x.shape = -1"])
@pytest.mark.parametrize("act", ["x.shape = (3, 4)", "x.strides = (8, 32)", "x.dtype = 'f4'", "x.resize(5, 5)"])
def test_a_change_of_form_in_the_middle_of_another_is_as_if_one_came_after_the_other(act, change):
    """Not the shape of before with the dtype of after, nor a change that was made and is undone."""
    survives(
        COLLECTED
        + f"""
import warnings
warnings.simplefilter("ignore")
class Victim:
    def __init__(self):
        self.x = ca.array(np.arange(12.0).reshape(4, 3))
    def change(self):
        run({change!r}, self.x)
def run(statement, x):
    try:
        exec(statement, {{"x": x}})
    except (ValueError, AttributeError):
        pass  # what has changed before may have left no room for it
def form(x):
    return x.dtype, x.shape, x.strides, np.asarray(x).tobytes()
def outcome(*statements):
    x = Victim().x
    for statement in statements:
        run(statement, x)
    return form(x)
alone, outcomes = outcome({act!r}), [outcome({act!r}, {change!r}), outcome({change!r}, {act!r})]
def act(victim):
    run({act!r}, victim.x)
def check(victim, result):
    assert form(victim.x) in (outcomes if fired_in_time else [alone]), (form(victim.x), outcomes)
    whole(victim.x)
at_each_collection(Victim, act, check)
"""
    )


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(
            "x.dtype = 'f4'",
            marks=pytest.mark.skipif(sys.version_info >= (3, 12), reason="no collection begins in it since 3.12"),
        ),
        "x.resize(3, 4)",
    ],
)
def test_a_change_of_form_gives_up_when_each_collection_changes_the_array_again(act):
    """A resize gives an array other memory each time. In a trace each try allocates what begins a collection."""
    survives(
        COLLECTED
        + f"""
x = ca.array(np.arange(12.0).reshape(4, 3))
inside = False
def change(phase, info):
    global inside
    if phase == "start" and not inside:
        inside = True
        x.resize(4, 3)
        inside = False
with ca.trace():
    gc.collect()
    gc.callbacks.append(change)
    gc.set_threshold(1)
    try:
        {act}
    except RuntimeError as error:
        refused = str(error)
    else:
        refused = None
    gc.set_threshold(700)
    gc.callbacks.clear()
assert refused and "100 times in a row" in refused, refused
assert (x.shape, x.dtype) == ((4, 3), float)
assert x.tolist() == np.arange(12.0).reshape(4, 3).tolist()
whole(x)
"""
    )
