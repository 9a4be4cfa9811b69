"""A history keeps every kind of state, and its arrays stay the same arrays: kept, dropped, changed for others, back."""

import contextlib
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import pytest
from held_states import SIZES, Pair, Point, Slotted, arrays, said
from support.numpy_versions import happens

import cowarray as ca


@dataclass
class Layer:
    pixels: Any
    name: str = ""
    parts: list = field(default_factory=list)


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
        warned = happens("setting the strides is deprecated")
        with pytest.warns(DeprecationWarning, match="strides") if warned else contextlib.nullcontext():
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
