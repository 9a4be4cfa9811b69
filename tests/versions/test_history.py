"""A history gives back what each version was, in the same arrays, and what it refuses changes nothing.

It is one file because each section keeps histories of the same states. Each can be read alone.
"""

import copy
import os
import pickle
import random
import re
import threading
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pytest
from histories import equal, frozen
from support.seeds import chosen_seed

import cowarray as ca

LARGE = (1200, 1000)  # doubles: an array by the page
SIZES = [(40, 30), LARGE]


@dataclass
class Layer:
    pixels: Any
    name: str = ""
    parts: list = field(default_factory=list)


@dataclass(frozen=True)
class Pair:
    first: Any
    second: Any


@dataclass(slots=True)
class Slotted:
    x: Any


class Point(NamedTuple):
    x: Any
    y: Any


def said(state):
    """A state as text and bytes, to compare."""
    if isinstance(state, dict):
        return type(state), [(key, said(item)) for key, item in state.items()]
    if isinstance(state, (list, tuple)):
        return type(state), [said(item) for item in state]
    if hasattr(state, "__dataclass_fields__"):
        return type(state), [(name, said(getattr(state, name))) for name in state.__dataclass_fields__]
    if hasattr(state, "shape"):
        return state.shape, np.asarray(state).dtype, np.asarray(state).tobytes()
    return type(state), repr(state)


def all_of(history):
    """Everything that a caller can see."""
    versions = {version.number: said(history[version.number]) for version in history.log()}
    return said(history.state), history.version, history.branch_name, history.branches, history.log(), versions


# ---- going back and forth --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_undo_and_redo_write_into_the_same_arrays(shape):
    history = ca.History({"a": ca.zeros(shape), "n": 0})
    state = history.state
    a, row, turned = state["a"], state["a"][3], state["a"].T
    exported = np.asarray(a)
    saved = [np.array(a)]
    for number in range(1, 6):
        a[number] = number
        state["n"] = number
        assert history.commit(f"row {number}") == number
        saved.append(np.array(a))
    kept = a.copy()
    for number in [4, 3, 2, 1, 0]:
        assert history.undo() == number == history.version
        assert state is history.state
        assert state["a"] is a
        assert state["n"] == number
        assert np.array_equal(np.asarray(a), saved[number])
        assert np.array_equal(np.asarray(row), saved[number][3])
        assert np.array_equal(np.asarray(turned), saved[number].T)
    assert np.array_equal(np.asarray(kept), saved[5])
    assert exported.sum() == 0
    for number in [1, 2, 3, 4, 5]:
        assert history.redo() == number
        assert np.array_equal(np.asarray(a), saved[number])
    row[0] = 77
    assert a[3, 0] == 77
    assert np.array_equal(np.asarray(kept), saved[5])


@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_a_writable_export_follows_and_is_followed(shape):
    history = ca.History(ca.zeros(shape))
    alias = history.state.to_numpy(writable=True)
    alias[1, 2] = 5
    assert history.commit() == 1
    alias[30] = 6
    assert history.commit() == 2
    history.undo()
    assert alias[30].sum() == 0
    assert alias[1, 2] == 5
    history.undo()
    assert alias.sum() == 0
    del alias
    history.state[9] = 1
    assert history.commit() == 3
    assert history.state.sum() == shape[1]


def test_a_commit_of_nothing_is_the_present_version():
    history = ca.History([ca.zeros(9), 1])
    assert history.commit("again") == 0
    history.state[0][...] = 0
    history.state[1] = 1
    assert history.commit("again") == 0
    history.state[1] = True
    assert history.commit("a bool is no int") == 1
    history.state[1] = float("nan")
    assert history.commit() == 2
    history.state[1] = float("nan")
    assert history.commit() == 2
    assert len(history) == 3


def test_minus_zero_and_nan_are_changes_of_bytes():
    history = ca.History(ca.zeros(5))
    history.state[0] = -0.0
    assert history.commit() == 1
    history.state[1] = np.nan
    assert history.commit() == 2
    history.state[1] = np.nan
    assert history.commit() == 2


@pytest.mark.parametrize("shape", [(2048, 512), (1_200_002,)], ids=str)
def test_many_scattered_pages_at_once(shape):
    history = ca.History(ca.zeros(shape))
    flat = history.state.reshape(-1, copy=False)
    flat[:: 512 * 7] = 1
    flat[-1] = 1
    history.commit()
    wanted = np.array(history.state)
    history.undo()
    assert history.state.sum() == 0
    history.redo()
    assert np.array_equal(np.asarray(history.state), wanted)


@pytest.mark.parametrize("paging", ["ledger", "eager", "off"])
@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_with_and_without_pages(paging, shape):
    before = ca.paging(paging)
    try:
        history = ca.History({"a": ca.zeros(shape)})
        history.state["a"][5] = 1
        history.commit()
        history.state["a"][6] = 1
        assert history.commit() == 2
        assert history.checkout(0) == 0
        assert history.state["a"].sum() == 0
        assert history[2]["a"].sum() == 2 * shape[1]
    finally:
        ca.paging(before)


@pytest.mark.parametrize("dtype", ["?", "g", "c16", "S3", "U2", "M8[s]", ">i4", "V3", [("a", "u1"), ("b", "f8")], "S0"])
@pytest.mark.parametrize("order", ["C", "F", "permuted"])
def test_dtypes_and_layouts(dtype, order):
    x = np.zeros((3, 4, 50), dtype)
    x = x.transpose(1, 2, 0) if order == "permuted" else np.array(x, order=order)
    history = ca.History(x)
    wanted = said(history.state)
    raw = history.state.view("u1") if history.state.dtype.itemsize == 1 else history.state
    raw[1, 1] = np.ones((), "i1").astype("S1") if history.state.dtype.kind in "SU" else np.zeros(1, raw.dtype)[0]
    np.asarray(x)
    history.commit()
    history.checkout(0)
    assert said(history.state) == wanted
    assert history.state.dtype == x.dtype


@pytest.mark.parametrize("x", [np.zeros(()), np.zeros(0), np.zeros((3, 0)), np.zeros(4097, "u1"), np.zeros(4096, "u1")])
def test_ends_of_sizes(x):
    history = ca.History({"x": x})
    history.state["x"][...] = 1
    assert history.commit() == (1 if x.size else 0)
    wanted = np.ones_like(x)
    assert np.array_equal(np.asarray(history.state["x"]), wanted)
    history.checkout(0)
    assert np.array_equal(np.asarray(history.state["x"]), x)


# ---- states ----------------------------------------------------------------------------------------------------------


def states():
    return [
        ca.zeros(3),
        {"a": ca.zeros(3), "t": "x", "n": None, "when": datetime(2024, 1, 1), "s": np.float32(1.5)},
        [ca.zeros(3), [ca.ones(4), {"deep": ca.zeros(2), "k": 1j}]],
        (ca.zeros(3), [1, b"x"], (ca.ones(2),)),
        Layer(ca.zeros((4, 5)), "top", [Layer(ca.ones(3), "under")]),
        Pair(ca.zeros(3), ca.ones(3)),
        Point(ca.zeros(3), {"v": 1}),
        Slotted(ca.zeros(3)),
        OrderedDict(a=ca.zeros(3)),
        defaultdict(list, a=ca.zeros(3)),
        {1: ca.zeros(2), True and "b": 2, None: 3, 1.5: ca.ones(1)},
        {},
        [],
    ]


def arrays(state):
    if hasattr(state, "shape") and state.shape:
        yield state
    elif isinstance(state, dict):
        yield from (x for item in state.values() for x in arrays(item))
    elif isinstance(state, (list, tuple)):
        yield from (x for item in state for x in arrays(item))
    elif hasattr(state, "__dataclass_fields__"):
        yield from (x for name in state.__dataclass_fields__ for x in arrays(getattr(state, name)))


@pytest.mark.parametrize("number", range(len(states())))
def test_every_kind_of_state(number):
    given = states()[number]
    wanted = said(given)
    history = ca.History(given)
    assert said(history.state) == wanted
    found = list(arrays(history.state))
    for x in found:
        x[...] = 5
    assert said(given) == wanted, "the state that was given has changed"
    after = said(history.state)
    history.commit()
    assert said(history[0]) == wanted
    history.checkout(0)
    assert said(history.state) == wanted
    assert all(a is b for a, b in zip(found, arrays(history.state), strict=True))
    history.checkout("main")
    assert said(history.state) == after


def test_versions_are_read_only_and_stay():
    history = ca.History({"a": ca.zeros(10), "list": [1]})
    old = history[0]
    assert old is not history[0]
    with pytest.raises(ValueError, match="read-only"):
        old["a"][0] = 1
    old["list"].append(2)
    history.state["a"][...] = 3
    history.commit()
    assert np.asarray(old["a"]).sum() == 0
    assert history[0]["list"] == [1]
    assert history.state["list"] == [1]


def test_arrays_come_and_go_and_change_their_kind():
    history = ca.History({"a": ca.zeros(5)})
    state, a = history.state, history.state["a"]
    state["b"] = np.arange(3)
    history.commit()
    state["a"] = ca.ones((2, 2))
    history.commit()
    state["a"] = ca.ones((2, 2), dtype="i4")
    history.commit()
    del state["b"]
    state["a"] = "no array"
    history.commit()
    a[...] = 99  # out of the state
    kinds = [(5,), (5,), (2, 2), (2, 2)]
    for number in (3, 0, 2, 1, 3, 1):
        history.checkout(number)
        assert state["a"].shape == kinds[number]
        assert ("b" in state) == (number > 0)
    assert state["a"] is a
    assert a.sum() == 0
    history.checkout(4)
    assert list(state) == ["a"]
    assert state["a"] == "no array"


def test_a_rebound_entry_is_assigned_into_the_old_array():
    history = ca.History({"a": ca.zeros(5), "b": ca.ones(5)})
    state, a, b = history.state, history.state["a"], history.state["b"]
    new = ca.full(5, 7.0)
    state["a"] = new
    history.commit()
    assert state["a"] is a
    assert np.asarray(a).tolist() == [7.0] * 5
    new[...] = 1
    assert np.asarray(a).tolist() == [7.0] * 5
    state["a"], state["b"] = b[::-1], a[::-1]  # views of each other
    history.commit()
    assert (np.asarray(a).tolist(), np.asarray(b).tolist()) == ([1.0] * 5, [7.0] * 5)
    history.undo()
    assert (np.asarray(a).tolist(), np.asarray(b).tolist()) == ([7.0] * 5, [1.0] * 5)


def test_arrays_that_change_places_keep_their_values():
    history = ca.History({"a": ca.zeros(5), "b": ca.ones(5)})
    state, a, b = history.state, history.state["a"], history.state["b"]
    state["a"], state["b"] = b, a
    assert history.commit() == 1
    assert state["a"] is b
    history.undo()
    assert state["a"] is a
    assert (a.sum(), b.sum()) == (0, 5)


def test_one_array_twice_is_one_array():
    x = np.zeros(4)
    history = ca.History({"a": x, "b": [x]})
    state = history.state
    assert state["a"] is state["b"][0]
    state["a"][0] = 1
    history.commit()
    state["c"] = state["a"]
    history.commit()
    history.checkout(0)
    assert state["a"] is state["b"][0]
    assert state["a"].sum() == 0


def test_containers_that_became_one_are_two_again():
    history = ca.History({"a": [1], "b": [2]})
    state = history.state
    state["a"] = state["b"]
    history.commit()
    history.undo()
    assert state == {"a": [1], "b": [2]}
    assert state["a"] is not state["b"]


def test_keys_are_told_apart_by_their_types():
    history = ca.History({1: "x"})
    del history.state[1]
    history.state[True] = "x"
    assert history.commit() == 1
    history.undo()
    assert [type(key) for key in history.state] == [int]


def made_another(x, how):
    """Another shape, size, dtype or order of elements for an array with two axes, in place."""
    if how == "shape":
        x.shape = (x.shape[1], x.shape[0])
    elif how in ("shrink", "grow"):
        x.resize((5, x.shape[1] - 1) if how == "shrink" else (5 + x.shape[0], x.shape[1]), refcheck=False)
    elif how == "dtype":
        x.dtype = "i8"
    else:
        with pytest.warns(DeprecationWarning, match="strides"):
            x.strides = (x.itemsize, x.itemsize * x.shape[0])


ANOTHER = ["shape", "shrink", "grow", "dtype", "strides"]


@pytest.mark.parametrize("in_folder", [False, True], ids=["in memory", "in a folder"])
@pytest.mark.parametrize("how", ANOTHER)
@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_versions_stay_while_an_array_is_made_another(shape, how, in_folder, tmp_path):
    x = np.arange(shape[0] * shape[1], dtype="f8").reshape(shape)
    history = ca.History(tmp_path / "h", {"a": x, "b": 0}) if in_folder else ca.History({"a": x, "b": 0})
    state, wanted = history.state, [said({"a": x, "b": 0})]
    state["a"][3, 1] = state["b"] = 1
    history.commit()
    x[3, 1] = 1
    wanted.append(said({"a": x, "b": 1}))
    state["b"] = 2
    history.commit()
    wanted.append(said({"a": x, "b": 2}))
    state["a"][2, 2] = -2
    made_another(state["a"], how)
    assert [said(history[number]) for number in range(3)] == wanted
    state["a"][0, 0] = 99
    assert [said(history[number]) for number in range(3)] == wanted
    if in_folder:
        with ca.History(tmp_path / "h", mode="r") as reader:
            assert [said(reader[number]) for number in range(3)] == wanted
    history.checkout(1, discard=True)
    assert said(history.state) == wanted[1]


@pytest.mark.parametrize("how", ANOTHER)
def test_an_array_that_was_made_another_comes_back(how):
    history = ca.History({"a": ca.arange(24.0).reshape(4, 6).copy()})
    state, before = history.state, said(history.state)
    made_another(state["a"], how)
    after = said(state)
    assert said(history[0]) == before
    with pytest.raises(ValueError, match="not committed"):
        history.undo() if history.version else history.checkout(0)
    assert history.commit() == 1
    assert said(state) == after
    history.undo()
    assert said(state) == before
    state["a"][0] = 1
    assert history.commit() == 2
    history.checkout(1)
    assert said(state) == after


# ---- what is refused -------------------------------------------------------------------------------------------------


def contains_itself():
    state: list = []
    state.append(state)
    return state


def fake():
    with ca.fake():
        return ca.zeros(3)


def deferred():
    with ca.deferred():
        return ca.zeros(3) + 1


REFUSED = [
    (lambda: object(), TypeError, "cannot keep object"),
    (lambda: {1, 2}, TypeError, "cannot keep set"),
    (lambda: {(1, 2): 3}, TypeError, "keys must be plain values"),
    (lambda: (1, 2), TypeError, "tuple"),
    (lambda: Pair(ca.zeros(3), 1), TypeError, "Pair"),
    (lambda: Point(ca.zeros(3), 1), TypeError, "Point"),
    (
        lambda: np.array([None]),
        TypeError,
        r"History: elements of dtype\('O'\) at (the top|deep\[0\]|b\[1\]) are references",
    ),
    (lambda: np.ma.zeros(3), TypeError, "MaskedArray"),
    (lambda: np.zeros(1, "i4,i4")[0], TypeError, "void"),
    (contains_itself, ValueError, "cannot contain itself"),
    (fake, TypeError, "is fake, and has no bytes"),
    (deferred, TypeError, r"is deferred, and has no bytes yet; call its materialize\(\) first"),
]


@pytest.mark.parametrize(("make", "error", "text"), REFUSED, ids=[text for *_, text in REFUSED])
def test_what_cannot_be_kept(make, error, text):
    with pytest.raises(error, match=text):
        ca.History(make())
    with pytest.raises(error, match=text):
        ca.History({"deep": [make()]})
    history = ca.History({"a": ca.zeros(3), "b": [1]})
    state, a = history.state, history.state["a"]
    before = all_of(history)
    new = ca.ones(3)
    state["a"], state["more"] = new, ca.zeros(9)
    state["b"].append(make())
    for refused in (history.commit, lambda: history.checkout(0), lambda: history.checkout(0, discard=True)):
        with pytest.raises(error, match=text):
            refused()
        assert state["a"] is new
        assert a.sum() == 0
        assert len(state["b"]) == 2
    del state["more"], state["b"][1]
    state["a"] = a
    assert all_of(history) == before
    assert history.commit() == 0


def test_uncommitted_changes_are_refused_or_dropped():
    history = ca.History({"a": ca.zeros(LARGE), "b": ca.zeros(3), "n": 1})
    state, a, b = history.state, history.state["a"], history.state["b"]
    a[0] = 1
    history.commit()
    history.branch("other")

    def edit_large():
        a[500, 3] = 9

    def edit_small():
        b[1] = 9

    def rebind():
        state["b"] = ca.ones(3)

    def come():
        state["c"] = ca.zeros(3)

    def plain():
        state["n"] = 2

    steps = [
        history.undo,
        lambda **options: history.checkout(0, **options),
        lambda **options: history.switch("main", **options),
    ]
    for edit in (edit_large, edit_small, rebind, come, plain):
        for step in steps:
            clean = all_of(history)
            edit()
            before, bound = all_of(history), dict(state)
            with pytest.raises(ValueError, match="changes that are not committed; commit them, or drop them"):
                step()
            assert all_of(history) == before
            assert all(state[key] is bound[key] for key in bound)
            step(discard=True)
            history.checkout("other")
            history.switch("other")
            assert all_of(history) == clean
            assert state["b"] is b
    edit_small()
    with pytest.raises(ValueError, match=r"History\.merge: the state has changes"):
        history.merge("main")
    assert len(history._slots) == 2


def test_steps_that_are_not_there():
    history = ca.History([1])
    for step, error, text in [
        (history.undo, ValueError, "History.undo: version 0 is the first"),
        (history.redo, ValueError, "History.redo: version 0 is the last of branch 'main'"),
        (lambda: history.checkout(7), KeyError, "History.checkout: there is no version 7"),
        (lambda: history.checkout("x"), KeyError, "History.checkout: there is no version 'x'"),
        (lambda: history.switch("x"), KeyError, "there is no branch 'x'"),
        (lambda: history.branch("main"), ValueError, "there is a branch 'main'"),
        (lambda: history.branch(""), ValueError, "History.branch: a name must not be empty"),
        (lambda: history.keep(last=0), ValueError, "last must be at least 1"),
        (lambda: history[3], KeyError, r"History\[\.\.\.\]: there is no version 3"),
        (lambda: history.merge(3), KeyError, "History.merge: there is no version 3"),
        (lambda: history.changes(0, 3), KeyError, "History.changes: there is no version 3"),
        (lambda: history.merge(0, conflicts="no"), ValueError, "conflicts must be one of"),
    ]:
        before = all_of(history)
        with pytest.raises(error, match=text):
            step()
        assert all_of(history) == before


@pytest.mark.parametrize("value", [5, None, b"x", ["x"]], ids=repr)
def test_names_and_messages_are_text(value):
    history = ca.History({"a": ca.zeros(3)})
    history.state["a"][0] = 1
    history.commit()
    for step, text in [
        (lambda: history.branch(value), "History.branch: a name is text"),
        (lambda: history.switch(value), "History.switch: a name is text"),
        (lambda: history.commit(value), "History.commit: a message is text"),
        (lambda: history.merge(0, value), "History.merge: a message is text"),
    ]:
        before = all_of(history)
        with pytest.raises(TypeError, match=re.escape(f"{text} (got {value!r})")):
            step()
        assert all_of(history) == before


@pytest.mark.parametrize("value", ["False", 0, 1, None, np.True_], ids=repr)
def test_what_was_not_committed_is_dropped_by_true_alone(value):
    history = ca.History({"a": ca.zeros(3)})
    history.branch("other")
    history.state["a"][0] = 1
    history.commit()
    history.state["a"][1] = 7
    before = all_of(history)
    for name, arguments in [
        ("undo", ()),
        ("redo", ()),
        ("checkout", (0,)),
        ("switch", ("main",)),
        ("merge", ("main",)),
    ]:
        text = f"History.{name}: discard must be True or False (got {value!r})"
        with pytest.raises(TypeError, match=re.escape(text)):
            getattr(history, name)(*arguments, discard=value)
        assert all_of(history) == before


@pytest.mark.parametrize("value", [True, False, 1.0, None, b"main", np.True_], ids=repr)
def test_versions_are_numbers_or_branches(value):
    history = ca.History([ca.zeros(3)])
    for name, step in [
        ("checkout", lambda: history.checkout(value)),
        ("[...]", lambda: history[value]),
        ("merge", lambda: history.merge(value)),
        ("changes", lambda: history.changes(0, value)),
    ]:
        called = f"History{name}" if name == "[...]" else f"History.{name}"
        text = f"{called}: a version is a number, or a branch's name (got {value!r})"
        with pytest.raises(TypeError, match=re.escape(text)):
            step()
    assert value not in history


@pytest.mark.parametrize("last", [True, 2.0, "2", None], ids=repr)
def test_how_many_are_kept_is_an_integer(last):
    history = ca.History([1])
    with pytest.raises(TypeError, match=re.escape(f"History.keep: last must be an integer (got {last!r})")):
        history.keep(last=last)
    history.keep(last=np.int64(1))


@pytest.mark.parametrize("how", [{"mode": "r"}, {"template": [0]}, {"mode": "r", "template": [0]}], ids=repr)
def test_a_new_history_takes_neither_mode_nor_template(tmp_path, how):
    for where in ([ca.zeros(3)],), (tmp_path / "new", [ca.zeros(3)]):
        with pytest.raises(ValueError, match="History: mode and template are for a folder that has a history"):
            ca.History(*where, **how)
    assert not (tmp_path / "new").exists()
    assert ca.History([ca.zeros(3)], mode="r+", template=None).version == 0


@pytest.mark.parametrize("state", [5, None, True, b"folder", 2.5], ids=repr)
def test_a_plain_value_is_no_state(tmp_path, state):
    text = f"History: a state is an array, a dict, a list, a tuple or a dataclass (got {state!r})"
    with pytest.raises(TypeError, match=re.escape(text)):
        ca.History(state)
    with pytest.raises(TypeError, match=re.escape(text)):
        ca.History(tmp_path / "new", state)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_history_is_not_copied(how):
    history = ca.History([ca.zeros(3)])
    with pytest.raises(TypeError, match=r"History: .* open its folder again, or take its state"):
        how(history)
    assert history.commit() == 0


# ---- branches and merges ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_branches_and_merges(shape):
    history = ca.History({"a": ca.zeros(shape), "n": 0})
    state = history.state
    history.branch("what if")
    state["a"][1] = 1
    history.commit("one")
    assert history.switch("main") == 0
    state["a"][2] = 2
    history.commit("two")
    assert history.branches == {"main": 2, "what if": 1}
    number = history.merge("what if")
    assert number == 3
    assert (state["a"].sum(), state["a"][1, 0], state["a"][2, 0]) == (3 * shape[1], 1, 2)
    last = history.log()[-1]
    assert (last.parent, last.merged, last.message) == (2, 1, "merge what if")
    assert history.undo() == 2
    history.redo()
    # what is in common is now what was merged
    history.switch("what if")
    state["a"][1, 0] = 5
    state["n"] = 3
    history.commit()
    history.switch("main")
    history.merge("what if", "again")
    assert state["a"][1, 0] == 5
    assert state["n"] == 3
    assert state["a"][2, 0] == 2


@pytest.mark.parametrize(("policy", "value"), [("first", 1.0), ("last", 2.0)])
def test_conflicts(policy, value):
    history = ca.History({"a": ca.zeros((20, 30)), "t": "x"})
    state = history.state
    history.branch("other")
    state["a"][3:5, 4], state["a"][0, 0] = 2, 7
    history.commit()
    history.switch("main")
    state["a"][3:5, 4] = 1
    history.commit()
    before = all_of(history)
    with pytest.raises(ca.MergeConflict, match="both have changed 2 elements") as caught:
        history.merge("other")
    assert caught.value.boxes == [np.s_[3:5, 4:5]]
    assert all_of(history) == before
    history.merge("other", conflicts=policy)
    assert (state["a"][3, 4], state["a"][0, 0]) == (value, 7)
    state["t"] = "mine"
    history.commit()
    history.switch("other")
    state["t"] = "theirs"
    history.commit()
    before = all_of(history)
    with pytest.raises(ca.MergeConflict, match="plain values"):
        history.merge("main")
    assert all_of(history) == before
    history.merge("main", conflicts=policy)
    assert state["t"] == {"first": "theirs", "last": "mine"}[policy]


def test_what_one_branch_alone_has_changed_is_merged_part_by_part():
    start = {"a": ca.zeros(4), "epoch": 0, "rate": 0.1, "log": [1], "deep": {"x": 1, "y": 2}, "gone": 3}
    history = ca.History(start)
    state = history.state
    history.branch("other")
    state["a"][0], state["rate"], state["deep"]["y"], state["new"] = 1, 0.5, 5, ca.ones(2)
    del state["gone"]
    history.commit()
    history.switch("main")
    state["a"][1], state["epoch"], state["deep"]["x"], state["more"] = 2, 1, 7, ca.full(3, 9.0)
    state["log"].append(2)
    history.commit()
    history.merge("other")
    merged = {name: value.tolist() if isinstance(value, ca.ndarray) else value for name, value in state.items()}
    assert merged == {
        **{"a": [1, 2, 0, 0], "epoch": 1, "rate": 0.5, "log": [1, 2], "deep": {"x": 7, "y": 5}},
        **{"more": [9, 9, 9], "new": [1, 1]},
    }
    assert equal(state, frozen(history[3]))
    history.undo()
    assert (state["epoch"], state["rate"], "gone" in state, "new" in state) == (1, 0.1, True, False)


def test_what_is_merged_already_is_not_merged_again():
    history = ca.History({"a": ca.zeros(3)})
    state = history.state
    history.branch("other")
    state["a"][0] = 1
    history.commit()
    history.switch("main")
    state["a"][1] = 1
    history.commit()
    merged = history.merge("other")
    before = all_of(history)
    for other in ("main", "other", 0, 1, 2, merged):
        assert history.merge(other, "again") == merged
        assert all_of(history) == before
    history.switch("other")
    assert history.merge("main") == 4  # which has more
    state["a"][2] = 1
    with pytest.raises(ValueError, match=r"History\.merge: the state has changes"):
        history.merge("main")
    assert history.merge("main", discard=True) == 4
    assert state["a"].tolist() == [1, 1, 0]
    assert len(history) == 5


@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_a_merge_drops_what_was_not_committed_if_it_is_asked_to(shape):
    def edit():
        state["a"][3:5], state["b"], state["n"] = 9, ca.full(4, 9.0), 9
        state["new"] = ca.ones(2)
        out[...] = 9  # of an array that comes with the other branch

    history = ca.History({"a": ca.zeros(shape), "b": ca.zeros(3), "n": 0})
    state = history.state
    history.branch("other")
    state["a"][4, 0], state["out"] = 2, ca.zeros(5)
    history.commit()
    out = state["out"]
    history.switch("main")
    state["a"][4, 0], state["b"][0] = 1, 1
    clean = history.commit()
    before = all_of(history)
    edit()
    edited = said(state)
    with pytest.raises(ValueError, match=r"History\.merge: the state has changes .* discard=True"):
        history.merge("other", conflicts="last")
    with pytest.raises(ca.MergeConflict):
        history.merge("other", discard=True)
    assert said(state) == edited, "nothing was done"
    assert history.merge("other", conflicts="last", discard=True) == clean + 1
    assert sorted(state) == ["a", "b", "n", "out"]
    assert (state["a"].sum(), state["a"][4, 0], state["b"].tolist(), state["n"]) == (2, 2, [1, 0, 0], 0)
    assert state["out"] is out
    assert out.sum() == 0
    assert said(history[clean + 1]) == said(state)
    history.undo()
    assert said(state) == before[0]


def test_a_conflict_of_plain_values_names_its_places():
    history = ca.History({"deep": [{"x": 1, "y": 2}], "list": [1], "z": 0})
    state = history.state
    history.branch("other")
    state["deep"][0]["x"], state["z"] = 2, 4
    state["list"].append(2)
    history.commit()
    history.switch("main")
    state["deep"][0]["x"] = 3
    state["list"].insert(0, 0)
    history.commit()
    with pytest.raises(ca.MergeConflict, match=r"both have changed .*, at deep\[0\]\['x'\], list$") as caught:
        history.merge("other")
    assert (caught.value.paths, caught.value.boxes) == (["deep[0]['x']", "list"], [])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.paths, str(again)) == (caught.value.paths, str(caught.value))
    history.merge("other", conflicts="first")
    assert state == {"deep": [{"x": 3, "y": 2}], "list": [0, 1], "z": 4}
    history.undo()
    history.merge("other", conflicts="last")
    assert state == {"deep": [{"x": 2, "y": 2}], "list": [1, 2], "z": 4}


def test_keys_that_are_equal_and_of_two_types_are_a_conflict():
    history = ca.History({"d": {"x": 0}})
    history.branch("other")
    history.state["d"][True] = "theirs"
    history.commit()
    history.switch("main")
    history.state["d"][1] = "mine"
    history.commit()
    with pytest.raises(ca.MergeConflict, match=r"at d$"):
        history.merge("other")
    history.merge("other", conflicts="first")
    assert repr(history.state["d"]) == "{'x': 0, 1: 'mine'}"


def test_an_array_that_both_have_written_to_and_dropped_is_no_conflict():
    history = ca.History({"a": ca.zeros(3), "b": 0})
    for branch, value in (("other", 1), ("main", 2)):
        if branch == "other":
            history.branch(branch)
        else:
            history.switch(branch)
        history.state["a"][0] = value
        history.commit()
        del history.state["a"]
        history.state[branch] = value
        history.commit()
    history.merge("other")
    assert history.state == {"b": 0, "main": 2, "other": 1}


@pytest.mark.parametrize("policy", ["first", "last"])
def test_any_changes_of_plain_values_are_merged(policy):
    chooser = random.Random(chosen_seed(11))
    values = [0, 0.0, False, "", None, float("nan")]
    for _ in range(200):
        three = [{key: chooser.choice(values) for key in "abcde" if chooser.random() < 0.7} for _ in range(3)]
        history = ca.History(dict(three[0]))
        for name, values_then in (("other", three[2]), ("main", three[1])):
            if name == "other":
                history.branch("other")
            else:
                history.switch("main")
            history.state.clear()
            history.state.update(values_then)
            history.commit(name)
        history.merge("other", conflicts=policy)
        wanted = {}
        for key in "abcde":
            start, ours, theirs = (repr(each[key]) if key in each else None for each in three)
            taken = ours if theirs in (ours, start) else theirs if ours == start or policy == "last" else ours
            wanted |= {} if taken is None else {key: taken}
        assert {key: repr(value) for key, value in history.state.items()} == wanted


@pytest.mark.parametrize("who", ["ours", "theirs"])
def test_a_change_of_an_array_that_the_other_has_no_more_is_a_conflict(who):
    """Who drops it changes nothing else."""

    def change(state):
        state["a"][0] = 5.0

    def drop(state):
        state["a"] = np.ones(7)

    mine, other = (change, drop) if who == "ours" else (drop, change)
    history = ca.History({"a": ca.zeros(3)})
    history.branch("other")
    other(history.state)
    history.commit()
    history.switch("main")
    mine(history.state)
    history.commit()
    was = np.array(history.state["a"])
    with pytest.raises(ca.MergeConflict, match="one has changed an array that the other has no more"):
        history.merge("other")
    assert equal(history.state["a"], was)
    assert len(history) == 3
    history.merge("other", conflicts="first")
    assert equal(history.state["a"], was)
    history.undo()
    history.merge("other", conflicts="last")
    assert equal(history.state["a"], np.array(history["other"]["a"]))


def test_the_numbers_of_versions():
    history = ca.History({"a": ca.zeros(5)})
    for k in range(4):
        history.state["a"][k] = 1
        history.commit()
    history.keep(last=2)
    assert list(history) == [version.number for version in history.log()] == [3, 4]
    assert [each in history for each in (3, 4, "main", 0, 99, "other", None, 3.0, [])] == [True] * 3 + [False] * 6
    assert {number: history[number]["a"].sum() for number in history} == {3: 3, 4: 4}


def test_changes_of_versions():
    history = ca.History({"a": ca.zeros(LARGE), "list": [ca.zeros(5)]})
    history.state["a"][3, 4:9] = 1
    history.commit()
    history.state["list"][0][2] = 1
    history.commit()
    found = history.changes(0, 2)
    boxes = {path: each.boxes() for path, each in found.items()}
    assert boxes == {"a": [np.s_[3:4, 4:9]], "list[0]": [(slice(2, 3),)]}
    assert [*history.changes(1, 2)] == ["list[0]"]
    assert history.changes("main", 2) == {}
    assert [version.pages for version in history.log()] == [{}, {"a": 1}, {"list[0]": 1}]


@pytest.mark.parametrize(
    ("make", "paths"),
    [
        (lambda: {1: ca.zeros(3), "1": ca.zeros(3)}, ["1", "'1'"]),
        (lambda: {"a": {"b": ca.zeros(3)}, "a['b']": ca.zeros(3)}, ["'a'['b']", "\"a['b']\""]),
        (lambda: {"a": [ca.zeros(3)], "a[0]": ca.zeros(3)}, ["'a'[0]", "'a[0]'"]),
        (lambda: {"a": Slotted(ca.zeros(3)), "a.x": ca.zeros(3)}, ["'a'.x", "'a.x'"]),
        (lambda: {"": ca.zeros(3), "array": ca.zeros(3)}, ["''", "'array'"]),
        (lambda: {"": {"b": ca.zeros(3)}, "b": ca.zeros(3)}, ["''['b']", "'b'"]),
    ],
)
def test_two_arrays_have_two_places(make, paths):
    history = ca.History(make())
    state = history.state
    for number, x in enumerate(arrays(state), 1):
        x[:number] = 1
    history.commit()
    found = history.changes(0, 1)
    assert {path: each.size for path, each in found.items()} == {paths[0]: 1, paths[1]: 2}
    assert history.log()[1].pages == dict.fromkeys(paths, 1)
    del state[next(iter(state))]
    history.commit()
    assert [each.size for each in history.changes(0, 2).values()] == [2]  # by a path that is clear by now
    assert [each.size for each in history.changes(2, 0).values()] == [2]


def test_one_in_memory_goes_on_after_a_close():
    with ca.History([ca.zeros(3)]) as history:
        history.state[0][0] = 1
    history.close()
    assert history.commit() == 1
    assert history.undo() == 0


def test_forgetting():
    history = ca.History({"a": ca.zeros(3)})
    for number in range(1, 50):
        history.state["a"][...] = number
        history.commit()
    history.checkout(10)
    history.branch("old")
    history.checkout(20)
    history.keep(last=5)
    left = [version.number for version in history.log()]
    assert left == [10, 20, 45, 46, 47, 48, 49]
    for number in left:
        assert history[number]["a"][0] == number
    history.checkout(49)
    for number in (48, 47, 46, 45, 20, 10):
        assert history.undo() == number
        assert history.state["a"][0] == number
    with pytest.raises(KeyError):
        history.checkout(30)
    history.state["a"][...] = 0
    assert history.commit() == 50


def test_forgotten_arrays_are_let_go_of():
    history = ca.History({"a": ca.zeros(3)})
    for number in range(20):
        history.state["b"] = ca.zeros(100 + number)
        history.commit()
    history.keep(last=1)
    assert len(history._slots) == 2
    assert len(history._numbers) == 2
    history.state["b"][5] = 1
    history.commit()
    history.undo()
    assert history.state["b"].sum() == 0


def test_memory_is_what_changed():
    history = ca.History({"a": ca.zeros(LARGE)})
    numbers = np.random.default_rng(28).integers(0, LARGE, (1000, 2))
    first = history.own_nbytes
    for row, column in numbers:
        history.state["a"][row, column] += 1
        history.commit()
    changed = sum(count * 4096 for version in history.log() for count in version.pages.values())
    assert changed == 1000 * 4096
    assert 0 < history.own_nbytes - first <= 3 * changed
    history.keep(last=1)
    assert history.own_nbytes - first <= (2 << 20)


def test_it_is_shown():
    history = ca.History({"a": ca.zeros(3), "<t>": 1})
    assert repr(history).startswith("<cowarray.History of 1 version, ")
    history.state["a"][0] = 1
    history.commit("<b>stroke</b>")
    assert "\n1 * (main)  <b>stroke</b>  a: 4,096 bytes\n0" in repr(history)
    text = history._repr_html_()
    assert "<td>1 * (main)</td><td>&lt;b&gt;stroke&lt;/b&gt;</td><td>a: 4,096 bytes</td>" in text
    history.state["a"][1] = 1
    history.commit("first line\nsecond\rthird")
    assert "\n2 * (main)  first line  a: 4,096 bytes\n1" in repr(history)
    assert "<td>2 * (main)</td><td>first line</td>" in history._repr_html_()
    assert history.log()[2].message == "first line\nsecond\rthird"
    history.undo()
    for number in range(60):
        history.state["a"][0] = number + 2
        history.commit()
    assert repr(history).endswith("and 43 before")
    assert history._repr_html_().count("<tr>") == 51


# ---- threads, forks, modes -------------------------------------------------------------------------------------------


def test_threads_read_copies_meanwhile():
    history = ca.History({"a": ca.zeros(LARGE)})
    a, wrong, done = history.state["a"], [], threading.Event()
    copies = []

    def read():
        while not done.is_set():
            for x, value in list(copies):
                if not (np.asarray(x)[:50] == value).all():
                    wrong.append(value)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(1, 40):
            a[:50] = number
            history.commit()
            copies.append((a.copy(), number))
            if number % 3 == 0:
                history.undo()
                copies.append((history[number]["a"], number))
                history.redo()
            del copies[:-8]
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert not wrong
    assert len(history) == 40


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_parent_and_child_go_on():
    history = ca.History({"a": ca.zeros(LARGE)})
    a = history.state["a"]
    a[1] = 1
    history.commit()
    kept = a.copy()

    def go_on(value):
        a[2] = value
        history.commit()
        a[3] = value
        history.commit()
        history.checkout(1)
        assert a[2].sum() == 0
        history.checkout(3)
        assert (a[1, 0], a[2, 0], a[3, 0], kept[2, 0]) == (1, value, value, 0)
        assert history[0]["a"].sum() == 0

    child = os.fork()
    if child == 0:
        status = 1
        try:
            go_on(5)
            status = 0
        finally:
            os._exit(status)
    go_on(7)
    assert os.waitpid(child, 0)[1] == 0
    assert a[3, 0] == 7


@pytest.mark.parametrize("mode", ["aliasing", "simulate", "deferred", "fake", "no_copy", "trace"])
def test_in_a_block_of_a_mode(mode):
    history = ca.History({"a": ca.zeros((40, 50))})
    a = history.state["a"]
    with getattr(ca, mode)():
        a[1] = 1
        history.commit()
        a[2] = 1
        history.commit()
        history.undo()
    assert history.version == 1
    assert np.asarray(a).sum() == 50
    assert np.asarray(history[2]["a"]).sum() == 100


# ---- failures --------------------------------------------------------------------------------------------------------


@dataclass
class Refusing:
    a: Any
    b: Any = 0

    def __setattr__(self, name, value):
        if name == "b" and refuses:
            raise OSError("not now")
        object.__setattr__(self, name, value)


refuses = False


def test_a_container_that_raises_leaves_it_as_it_was(monkeypatch):
    history = ca.History({"n": 1, "r": Refusing(ca.zeros(3)), "x": ca.zeros(3)})
    state = history.state
    state["r"].b = 13
    state["n"] = 2
    state["x"][...] = 1
    history.commit()
    history.undo()
    before = all_of(history)
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "refuses", True)
        with pytest.raises(OSError, match="not now"):
            history.redo()
    assert all_of(history) == before
    assert history.commit() == 0
    history.redo()
    assert (state["r"].b, state["x"].sum()) == (13, 3)


@pytest.mark.parametrize("point", ["commit", "write", "put_back", "add"])
@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_a_failure_leaves_it_as_it_was(point, shape, monkeypatch):
    from cowarray._versions import history as module

    history = ca.History({"a": ca.zeros(shape), "b": ca.zeros(shape)})
    state = history.state
    state["a"][1], state["b"][1] = 1, 2
    history.commit()
    state["a"][2], state["b"][2] = 3, 4
    calls = 0

    def failing(real, at):
        def call(*args, **keywords):
            nonlocal calls
            calls += 1
            if calls == at:
                raise MemoryError
            return real(*args, **keywords)

        return call

    homes = {"commit": module.Tracked, "write": module.Tracked, "put_back": module, "add": module.Tree}
    ran = 0
    for step in (history.commit, history.undo, lambda: history.checkout(0), lambda: history.checkout(2)):
        for at in (1, 2):
            before, calls = all_of(history), 0
            with monkeypatch.context() as patch:
                patch.setattr(homes[point], point, failing(getattr(homes[point], point), at))
                try:
                    step()
                except MemoryError:
                    ran += 1
                    failed = True
                else:
                    failed = False
            if not failed:
                break
            assert all_of(history) == before
        else:
            step()
    assert history.version == 2
    assert state["a"][2, 0] == 3
    assert ran >= 1


@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_what_is_written_between_two_versions_is_not_lost_unasked(shape, monkeypatch):
    """A step fails for memory after its first array, and so does taking it back."""
    from cowarray._versions.tracked import Tracked

    history = ca.History({"a": ca.zeros(shape), "b": ca.zeros(shape)})
    state = history.state
    for value in (1, 2):
        state["a"][1], state["b"][1] = value, value
        history.commit()
    write, calls = Tracked.write, 0

    def failing(*arguments):
        nonlocal calls
        calls += 1
        if calls > 1:
            raise MemoryError
        write(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Tracked, "write", failing)
        with pytest.raises(MemoryError):
            history.undo()
    assert history.version == 2
    state["a"][1] = state["b"][1] = 7
    calls = (
        history.commit,
        history.undo,
        lambda: history.checkout(0),
        lambda: history.merge(1),
        lambda: history[1],
        lambda: history.branch("b"),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"between two versions.*discard=True"):
            call()
        assert state["a"][1, 0] == state["b"][1, 0] == 7
    with monkeypatch.context() as patch:
        patch.setattr(Tracked, "write", failing)
        calls = 0
        with pytest.raises(MemoryError):
            history.undo(discard=True)
    assert history.undo(discard=True) == 1  # of 2, where it was
    assert state["a"][1, 0] == state["b"][1, 0] == 1
    assert history.redo() == 2
    assert state["a"][1, 0] == state["b"][1, 0] == 2


def test_what_was_written_to_a_replaced_array_is_no_change():
    history = ca.History({"a": np.zeros(10)})
    history.state["a"][1] = 5
    history.commit("one")
    history.state["a"][0] = 7
    history.state["a"] = np.array([0.0, 5.0, *np.zeros(8)])  # what the version has
    assert history.undo() == 0
    assert np.array_equal(history.state["a"], np.zeros(10))
    assert history.redo() == 1
    assert np.array_equal(history.state["a"], [0.0, 5.0, *np.zeros(8)])
