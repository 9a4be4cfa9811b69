"""What a history refuses changes nothing, and says why."""

import copy
import pickle
import re

import numpy as np
import pytest
from held_states import LARGE, Pair, Point, all_of

import cowarray as ca


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
