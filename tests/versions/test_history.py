"""A history's versions are what the state was; going back writes into the same arrays, and what others hold stays."""

import dataclasses
import os
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest
from histories import equal, frozen, run_program
from support.seeds import chosen_seed

import cowarray as ca

N = 1 << 20  # numbers: 8 MiB, which go by the page


@dataclasses.dataclass
class Scene:
    image: Any
    title: str


@dataclasses.dataclass(frozen=True)
class Pair:
    left: Any
    right: Any


class Named(NamedTuple):
    first: Any
    second: Any


@pytest.fixture(params=[1000, N])
def history(request):
    return ca.History({"a": ca.zeros(request.param), "n": 1, "l": [np.arange(3), "x"]})


# ---- there and back --------------------------------------------------------------------------------------------------


def test_undo_and_redo(history):
    state = history.state
    was = [frozen(state)]
    for k in range(1, 6):
        state["a"][k * 100] = k
        state["n"] = k
        assert history.commit(f"number {k}") == k
        was.append(frozen(state))
    assert history.commit() == 5, "nothing has changed"
    for k in reversed(range(5)):
        assert history.undo() == history.version == k
        assert equal(state, was[k])
    with pytest.raises(ValueError, match="is the first"):
        history.undo()
    for k in range(1, 6):
        assert history.redo() == k
        assert equal(state, was[k])
    with pytest.raises(ValueError, match="is the last of branch 'main'"):
        history.redo()
    for k in (3, 0, 5, 2):
        assert history.checkout(k) == k
        assert equal(state, was[k])
        assert all(equal(history[number], value) for number, value in enumerate(was))
    assert [(v.number, v.parent, v.message, v.pages) for v in history.log()][1:3] == [
        (1, 0, "number 1", {"a": 1}),
        (2, 1, "number 2", {"a": 1}),
    ]


def test_a_commit_after_undo_leaves_the_other_way(history):
    state = history.state
    state["a"][0] = 1.0
    history.commit()
    history.undo()
    state["a"][0] = 2.0
    assert history.commit() == 2
    assert history.log()[2].parent == 0
    with pytest.raises(ValueError, match="last of branch"):
        history.redo()
    assert [history[k]["a"][0] for k in range(3)] == [0.0, 1.0, 2.0]
    history.checkout(1)
    assert state["a"][0] == 1.0


def test_what_is_not_committed_is_not_lost_by_mistake(history):
    state = history.state
    history.branch("other")
    state["a"][5] = 5.0
    history.commit()
    state["a"][6] = 6.0
    state["n"] = "new"
    before = frozen(state)
    steps = [
        history.undo,
        lambda **more: history.checkout(0, **more),
        lambda **more: history.switch("main", **more),
    ]
    for step in (*steps, lambda: history.merge("main")):
        with pytest.raises(ValueError, match="not committed"):
            step()
        assert equal(state, before)
        assert (history.version, history.branch_name) == (1, "other")
    for step in steps:
        step(discard=True)
        assert history.version == 0
        assert (state["a"][5], state["a"][6], state["n"]) == (0.0, 0.0, 1)
        history.switch("other")
        state["a"][6] = 7.0


# ---- the same arrays -------------------------------------------------------------------------------------------------


def test_arrays_containers_and_views_stay_themselves(history):
    state = history.state
    a, inner, view = state["a"], state["l"], state["a"][90:110]
    a[100] = 1.0
    inner[0][1] = -1
    history.commit()
    history.undo()
    assert state["a"] is a
    assert state["l"] is inner
    assert view[10] == 0.0
    view[10] = 3.0
    history.commit()
    assert history[2]["a"][100] == 3.0
    assert ca.aliases(view, state["a"])


def test_lazy_copies_exports_and_snapshots_keep_what_they_were(history):
    a = history.state["a"]
    a[100] = 1.0
    copy, snapshot = a.copy(), np.asarray(a)
    history.commit()
    a[100] = 2.0
    second = a[:900].copy()
    history.commit()
    history.undo()
    history.undo()
    assert (copy[100], snapshot[100], second[100], a[100]) == (1.0, 1.0, 2.0, 0.0)
    copy[101] = 5.0
    history.redo()
    history.redo()
    assert (copy[100], copy[101], snapshot[100], second[100], a[100], a[101]) == (1.0, 5.0, 1.0, 2.0, 2.0, 0.0)


def test_writable_exports_see_what_becomes_of_the_array(history):
    a = history.state["a"]
    alias = a.to_numpy(writable=True)
    alias[100] = 1.0
    assert history.commit() == 1
    alias[100] = 2.0
    assert history.commit() == 2
    history.undo()
    assert alias[100] == a[100] == 1.0
    alias[200] = 4.0
    with pytest.raises(ValueError, match="not committed"):
        history.undo()
    history.undo(discard=True)
    assert (alias[100], alias[200]) == (0.0, 0.0)
    del alias
    a[1] = 1.0
    history.commit()
    assert history[3]["a"][1] == 1.0


def test_old_versions_are_values(history):
    state = history.state
    state["a"][0] = 1.0
    history.commit()
    old = history[0]
    assert not old["a"].flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        old["a"][0] = 5.0
    mine = old["a"].copy()
    mine[0] = 5.0
    for k in range(5):
        state["a"][k] = -1.0
        history.commit()
    assert (old["a"][0], mine[0], old["a"][3]) == (0.0, 5.0, 0.0)
    with pytest.raises(KeyError, match="no version 77"):
        history[77]


# ---- states ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: [x],
        lambda x: (x, ca.zeros(3)),
        lambda x: Named(x, ca.zeros(3)),
        lambda x: Pair(x, ca.zeros(3)),
        lambda x: Scene(x, "t"),
        lambda x: {"d": {"e": [Scene(x, "u"), (ca.zeros(2),)]}, 3: None, True: 1.5},
    ],
)
def test_states_of_every_kind(make):
    history = ca.History(make(ca.arange(5000.0)))

    def array_of(value):
        while not hasattr(value, "shape"):
            value = next(iter(value.values())) if isinstance(value, dict) else value
            value = value[0] if isinstance(value, (list, tuple)) else value
            value = getattr(value, "image", getattr(value, "left", value))
        return value

    x = array_of(history.state)
    x[17] = -1.0
    history.commit()
    assert type(history[0]) is type(history.state)
    assert (array_of(history[0])[17], array_of(history[1])[17]) == (17.0, -1.0)
    history.undo()
    assert array_of(history.state) is x
    assert x[17] == 17.0


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
@pytest.mark.parametrize("dtype", ["u1", "f8", "c16", "S3", "M8[s]", [("a", "u1"), ("b", "f4")]])
def test_every_layout_and_dtype(axes, dtype):
    x = np.zeros((7, 9, 11), dtype).transpose(axes)
    history = ca.History(x)
    assert history.state.strides == x.strides
    x = x.copy("K")
    history.state[1, 2, 3] = history.state[0, 0, 0]
    value = np.frombuffer(bytes(range(1, 1 + x.dtype.itemsize)), x.dtype)[0]
    history.state[1, 2, 3] = value
    history.commit()
    history.undo()
    assert equal(history.state, x)
    assert history[1][1, 2, 3] == value


def test_keys_come_and_go():
    history = ca.History({"a": ca.zeros(3)})
    state = history.state
    state["b"] = np.ones(2000)
    state["c"] = {"d": 1}
    history.commit()
    b = state["b"]
    assert isinstance(b, ca.ndarray)
    del state["a"]
    state["b"] = ca.zeros((2, 2))
    state["c"] = [1, 2]
    history.commit()
    history.undo()
    assert list(state) == ["a", "b", "c"]
    assert state["b"] is b
    assert state["c"] == {"d": 1}
    history.undo()
    assert list(state) == ["a"]
    history.checkout(2)
    assert list(state) == ["b", "c"]
    assert state["b"].shape == (2, 2)


def test_an_array_that_was_out_of_the_state_comes_back_as_it_was():
    history = ca.History({"a": ca.zeros(3)})
    old = history.state["a"]
    history.state["a"] = ca.zeros(4)
    old[:] = 9.0
    history.commit()
    old[:] = 8.0
    history.undo()
    assert history.state["a"] is old
    assert old.tolist() == [0.0] * 3


def test_what_is_rebound_is_assigned(history):
    state = history.state
    a = state["a"]
    state["a"] = np.full(a.shape, 3.0)
    history.commit()
    assert state["a"] is a
    assert a[0] == 3.0
    history.undo()
    assert a[0] == 0.0


def test_arrays_that_change_places_or_stand_twice():
    history = ca.History({"a": ca.zeros(3), "b": ca.ones(3), "l": []})
    state = history.state
    a, b = state["a"], state["b"]
    state["a"], state["b"] = b, a
    history.commit()
    assert history.log()[1].pages == {}
    state["l"] += [a, a]
    history.commit()
    assert history.undo() == 1
    assert state["l"] == []
    history.redo()
    assert state["l"][0] is state["l"][1] is a
    state["l"].pop(0)
    state["l"].append(np.full(3, 5.0))  # not into the array that stood in its place
    history.commit()
    assert a.tolist() == [0.0] * 3
    assert [x[0] for x in state["l"]] == [0.0, 5.0]


@pytest.mark.parametrize(
    ("state", "error", "text"),
    [
        ({"x": object()}, TypeError, "cannot keep object at x"),
        ({"x": {"y": {1, 2}}}, TypeError, r"cannot keep set at x\['y'\]"),
        ((1, ca.zeros(3)), TypeError, "tuple at the top has plain values"),
        ({"p": Pair(ca.zeros(3), 1)}, TypeError, "Pair at p has plain values"),
        ({(1, 2): 3}, TypeError, "keys must be plain"),
        (ca.array([None]), TypeError, "references"),
        ([np.ma.zeros(3)], TypeError, "cannot keep MaskedArray"),
    ],
)
def test_states_that_cannot_be_kept(state, error, text):
    with pytest.raises(error, match=text):
        ca.History(state)
    history = ca.History({"x": ca.zeros(3), "more": None})
    history.state["more"] = state
    with pytest.raises(error):
        history.commit()
    assert history.version == 0
    history.state["more"] = None
    history.state["x"][0] = 1.0
    assert history.commit() == 1


def test_a_state_cannot_contain_itself():
    state: dict = {"x": ca.zeros(3)}
    state["self"] = state
    with pytest.raises(ValueError, match="cannot contain itself"):
        ca.History(state)


def test_fakes_and_deferred_arrays_are_refused():
    with ca.fake():
        fake = ca.zeros(3)
    with ca.deferred():
        late = ca.zeros(3)
    for x in (fake, late):
        with pytest.raises(TypeError, match="no bytes"):
            ca.History({"x": x})


@pytest.mark.parametrize("mode", [lambda: ca.budget("100 MiB"), ca.aliasing, ca.simulate])
@pytest.mark.parametrize("size", [1000, N])
def test_histories_inside_modes(mode, size):
    with mode():
        history = ca.History(ca.zeros(size))
        for k in range(3):
            history.state[k] = k + 1.0
            history.commit()
        history.undo()
        assert history.state.sum() == 3.0
        assert history[3].sum() == 6.0
    history.redo()
    assert history.state.sum() == 6.0
    history.state[:] = 1.0
    history.commit()
    history.undo()
    assert history.state.sum() == 6.0


def test_plain_values_are_told_apart():
    history = ca.History({"v": 1})
    for value in (True, 1.0, 1 + 0j, np.float64(1), "1", b"1", None, float("nan"), 0.0, -0.0):
        before = history.version
        history.state["v"] = value
        assert history.commit() == before + 1
        assert history.commit() == before + 1
    history.undo()
    assert str(history.state["v"]) == "0.0"


# ---- branches and merges ---------------------------------------------------------------------------------------------


def test_branches_are_merged(history):
    state = history.state
    history.branch("what if")
    with pytest.raises(ValueError, match="there is a branch"):
        history.branch("main")
    state["a"][0] = 1.0
    state["n"] = 7
    history.commit("if")
    history.switch("main")
    assert (state["a"][0], state["n"]) == (0.0, 1)
    state["a"][600] = 2.0
    history.commit("main")
    number = history.merge("what if")
    assert (state["a"][0], state["a"][600], state["n"]) == (1.0, 2.0, 7)
    assert (history.log()[number].parent, history.log()[number].merged) == (2, 1)
    assert history.branches == {"main": number, "what if": 1}
    assert history.merge("what if") in (number, number + 1)
    with pytest.raises(KeyError, match="no branch 'none'"):
        history.switch("none")


def test_conflicts_change_nothing(history):
    state = history.state
    history.branch("other")
    state["a"][[1, 2]] = 1.0
    history.commit()
    history.switch("main")
    state["a"][[2, 3]] = 2.0
    history.commit()
    before = frozen(state)
    with pytest.raises(ca.MergeConflict) as refusal:
        history.merge("other")
    assert refusal.value.boxes == [(slice(2, 3),)]
    assert equal(state, before)
    assert (history.version, len(history)) == (2, 3)
    history.merge("other", conflicts="first")
    assert np.asarray(state["a"][:4]).tolist() == [0.0, 1.0, 2.0, 2.0]
    history.undo()
    history.merge("other", conflicts="last")
    assert np.asarray(state["a"][:4]).tolist() == [0.0, 1.0, 1.0, 2.0]


def test_conflicts_of_plain_values():
    history = ca.History({"n": 1, "x": ca.zeros(2)})
    history.branch("other")
    history.state["n"] = 2
    history.commit()
    history.switch("main")
    history.state["n"] = 3
    history.commit()
    with pytest.raises(ca.MergeConflict, match="plain values"):
        history.merge("other")
    history.merge("other", conflicts="last")
    assert history.state["n"] == 2


def test_changes_between_versions(history):
    state = history.state
    state["a"][5:8] = 1.0
    history.commit()
    state["l"][0][2] = 9
    history.commit()
    found = history.changes(0, 2)
    assert {path: difference.boxes() for path, difference in found.items()} == {
        "a": [(slice(5, 8),)],
        "l[0]": [(slice(2, 3),)],
    }
    assert list(history.changes(1, 2)) == ["l[0]"]
    assert history.changes(1, "main").keys() == {"l[0]"}
    assert history.changes(1, 1) == {}


# ---- what it costs ---------------------------------------------------------------------------------------------------


def test_versions_cost_the_pages_that_changed():
    history = ca.History(ca.zeros(4 * N))
    if history.state.storage.own_nbytes == history.state.nbytes:
        pytest.skip("the system grants no pages")
    empty = history.own_nbytes
    rng = np.random.default_rng(1)
    for _ in range(500):
        history.state[int(rng.integers(4 * N))] = 1.0
        history.commit()
    assert history.state.storage.own_nbytes == 0, "the ground has its pages"
    assert history.own_nbytes - empty <= 3 * 500 * 4096
    while history.version:
        history.undo()
    assert history.state.sum() == 0.0
    assert history.own_nbytes - empty <= 3 * 500 * 4096
    history.checkout("main")
    history.keep(last=1)
    assert history.own_nbytes - empty < 100 * 4096
    assert history.state.sum() == len(set(np.flatnonzero(np.asarray(history.state))))


def test_forgetting(history):
    state = history.state
    for k in range(1, 20):
        state["a"][k % 7] = k
        history.commit()
    history.checkout(12)
    history.branch("kept")
    was = {k: frozen(history[k]) for k in range(20)}
    history.keep(last=3)
    assert [version.number for version in history.log()] == [12, 17, 18, 19]
    for k in (12, 17, 18, 19):
        assert equal(history[k], was[k])
    with pytest.raises(KeyError):
        history[5]
    history.switch("main")
    assert history.undo() == 18
    assert history.undo() == 17
    assert history.undo() == 12
    assert equal(state, was[12])
    with pytest.raises(ValueError, match="at least 1"):
        history.keep(last=0)


def test_no_pages_at_all():
    before = ca.paging("off")
    try:
        run_program(chosen_seed(), 30, large=True)
    finally:
        ca.paging(before)


# ---- forks, threads, interrupts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("pinned", [False, True])
def test_parent_and_child_go_on_after_a_fork(history, pinned):
    state = history.state
    state["a"][1] = 1.0
    history.commit()
    alias = state["a"].to_numpy(writable=True) if pinned else None
    kept = state["a"].copy()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for k in range(2, 8):
                state["a"][k] = -k
                history.commit()
            history.checkout(3)
            assert [history[7]["a"][k] for k in range(9)] == [0, 1, -2, -3, -4, -5, -6, -7, 0]
            assert (state["a"][3], state["a"][4], kept[3]) == (-3.0, 0.0, 0.0)
            status = 0
        finally:
            os._exit(status)
    for k in range(2, 8):
        state["a"][k] = k
        history.commit()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [history[7]["a"][k] for k in range(9)] == [0, 1, 2, 3, 4, 5, 6, 7, 0]
    history.checkout(1)
    assert state["a"].sum() == kept.sum() == 1.0
    assert alias is None or alias.sum() == 1.0


@pytest.mark.threads
def test_copies_in_other_threads_keep_their_values():
    history = ca.History(ca.zeros(N))
    state, stop, wrong = history.state, threading.Event(), []
    root = state.copy()

    def read():
        rng = np.random.default_rng(threading.get_ident() % 1000)
        while not stop.is_set():
            mine = root.copy()
            k = int(rng.integers(N))
            mine[k] = 1.0
            if mine.sum() != 1.0 or root[k] != 0.0:
                wrong.append(k)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    rng = np.random.default_rng(0)
    for k in range(150):
        state[int(rng.integers(N))] = k + 1.0
        history.commit()
        if k % 10 == 9:
            history.checkout(int(rng.integers(k)))
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []


class Interrupted(BaseException):
    pass


def interrupted_at(count, function):
    """Run it with an exception at the n-th line of the room; whether there was one."""
    import sys

    left = [count]

    def trace(frame, event, _):
        if "_versions" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left[0] -= 1
            if left[0] == 0:
                raise Interrupted
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    except Interrupted:
        return True
    finally:
        sys.settrace(before)
    return False


JOBS = {
    "commit": lambda history: history.commit(),
    "undo": lambda history: history.undo(discard=True),
    "checkout": lambda history: history.checkout(1, discard=True),
    "merge": lambda history: (history.commit(), history.merge("other", conflicts="last")),
    "keep": lambda history: history.keep(last=2),
}


@pytest.mark.parametrize("job", JOBS)
def test_an_interrupt_leaves_it_as_it_was_or_as_it_was_to_become(job):
    def begin():
        history = ca.History({"a": ca.zeros(1000), "b": np.arange(5), "n": 0})
        history.branch("other")
        history.state["a"][[0, 700]] = 5.0
        history.commit()
        history.switch("main")
        history.state["a"][1] = 1.0
        history.state["n"] = 1
        history.commit()
        history.state["a"][900] = 2.0
        history.state["b"][3] = -1
        return history

    tried, at = 0, 1
    while True:
        history = begin()
        was = {k: frozen(history[k]) for k in range(3)}
        if not interrupted_at(at, lambda history=history: JOBS[job](history)):
            break
        tried += 1
        for version in history.log():
            if version.number in was:
                assert equal(history[version.number], was[version.number])
        number = history.commit("after")
        assert equal(history[number], frozen(history.state))
        assert history.version == number
        if history.log()[0].number == 0:
            history.checkout(0)
            assert equal(history.state, was[0])
        at += max(1, at // 40)
    assert tried > 60


# ---- shown -----------------------------------------------------------------------------------------------------------


def test_it_shows_its_versions(history):
    history.state["a"][0] = 1.0
    history.commit("a <stroke>")
    text, html = repr(history), history._repr_html_()
    assert "History of 2 versions" in text
    assert "1 * (main)  a <stroke>  a: 4,096 bytes" in text
    assert "a &lt;stroke&gt;" in html
    for _ in range(60):
        history.state["n"] += 1
        history.commit()
    assert "and 42 before" in repr(history)


# ---- at random -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("large", [False, True])
def test_random_programs(large):
    seed = chosen_seed()
    for number in range(4 if large else 60):
        run_program(seed + number, 40, large)


@pytest.mark.long
def test_a_hundred_thousand_programs():
    seed = chosen_seed()
    for number in range(100_000):
        run_program(seed + number, 40, number % 50 == 0)
