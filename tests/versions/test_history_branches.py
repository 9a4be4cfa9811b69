"""Branches, and what merging them changes, keeps and calls a conflict."""

import pickle
import random

import numpy as np
import pytest
from held_states import SIZES, all_of, said
from histories import equal, frozen
from support.seeds import chosen_seed

import cowarray as ca


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
