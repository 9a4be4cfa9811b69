"""A history beside threads, forks, modes and containers that raise is as it was, or as it was to become."""

import os
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from held_states import LARGE, SIZES, all_of

import cowarray as ca


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
