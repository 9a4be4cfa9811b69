"""A history gives back what each version was, in the same arrays, and forgets what it is told to."""

import numpy as np
import pytest
from held_states import LARGE, SIZES, Slotted, arrays, said

import cowarray as ca


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
