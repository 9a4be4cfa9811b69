"""Threads, forks and callbacks in the middle of a call of a history: each call is whole, or refused with an error; none
waits for ever, and no version is lost."""

import gc
import os
import re
import signal
import threading
import time
import weakref

import numpy as np
import pytest
from histories import equal, frozen
from support.limits import LONGEST
from support.seeds import chosen_seed

import cowarray as ca
from cowarray._versions import store as stores

LARGE = 1 << 20  # numbers: 8 MiB, which go by the page


@pytest.fixture(params=["in memory", "in a folder"])
def begin(request, tmp_path):
    """Makes a history of a state."""
    if request.param == "in memory":
        yield ca.History
    else:
        made = []

        def create(state):
            made.append(ca.History(tmp_path / f"h{len(made)}", state))
            return made[-1]

        yield create
        for history in made:
            history.close()


class Hooked(dict):
    """A container that calls back when a history looks at it."""

    hook = None

    def items(self):
        if self.hook is not None:
            self.hook()
        return super().items()


CALLS = {
    "commit": lambda history: history.commit(),
    "undo": lambda history: history.undo(discard=True),
    "checkout": lambda history: history.checkout(0, discard=True),
    "branch": lambda history: history.branch("new"),
    "merge": lambda history: history.merge(0),
    "keep": lambda history: history.keep(last=1),
    "flush": lambda history: history.flush(),
    "close": lambda history: history.close(),
    "read": lambda history: history[0],
}


def refused(call, history, errors):
    """Call, and note the refusal."""
    try:
        call(history)
    except RuntimeError as error:
        if "in the middle" not in str(error):
            raise
        errors.append(error)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_in_the_middle_of_another_is_refused(begin, name):
    history, errors = begin(Hooked(a=ca.zeros(5))), []
    state = history.state
    state["a"][0] = 1.0
    history.commit()
    state["a"][1] = 2.0
    state.hook = lambda: refused(CALLS[name], history, errors)
    assert history.commit() == 2
    state.hook = None
    assert errors
    assert history.branches == {"main": 2}
    assert [history[k]["a"].sum() for k in range(3)] == [0.0, 1.0, 3.0]
    assert history.undo() == 1


def test_a_weak_reference_calls_back_when_an_array_is_let_go_of(begin):
    history, errors = begin({"a": ca.zeros(5), "b": ca.zeros(7)}), []
    watched = weakref.ref(history.state["b"], lambda _: refused(CALLS["commit"], history, errors))
    del history.state["b"]
    for k in range(3):
        history.state["a"][k] = 1.0
        history.commit()
    history.keep(last=1)
    gc.collect()
    assert watched() is None
    assert len(errors) == 1
    assert [version.number for version in history.log()] == [3]
    assert history.state["a"].sum() == 3.0


class Returning:
    """Garbage in a cycle, which makes more of it when it is collected, and does something."""

    def __init__(self, act):
        self.act, self.itself = act, self

    def __del__(self):
        if self.act():
            Returning(self.act)


@pytest.mark.sampled
def test_a_collection_at_any_allocation_commits_nothing_of_its_own(begin):
    history, came, going = begin({"a": ca.zeros(LARGE), "n": 0}), [], [True]
    state, was = history.state, []

    def act():
        # Not while the lock is let go of: then the call has been made; not in another thread, which would wait for it.
        if history._caller == threading.get_ident():
            before = len(came)
            refused(CALLS["commit" if before % 2 else "undo"], history, came)
            assert len(came) > before
        return going[0]

    before = gc.get_threshold()
    gc.set_threshold(20, 1, 1)
    try:
        for k in range(1, 30):
            state["a"][k] = k
            state["n"] = k
            value = frozen(state)
            Returning(act)
            history.commit()
            was.append((k, value))
            assert history.version == k
    finally:
        going[0] = False
        gc.set_threshold(*before)
        gc.collect()
    assert len(came) > 10
    assert all(equal(history[k], value) for k, value in was)


LOOKS = {
    "log": lambda history: history.log(),
    "repr": lambda history: re.sub(", .* bytes", "", repr(history)),
    "html": lambda history: re.sub(", .* bytes", "", history._repr_html_()),
}


@pytest.mark.parametrize("name", LOOKS)
def test_a_collection_may_commit_while_somebody_looks(name):
    """Looking is no call that a commit could be in the middle of; it shows the time before or after."""
    history, came = ca.History({"a": [ca.zeros(5)]}), []
    look, before = LOOKS[name], gc.get_threshold()

    def act():
        if not came:  # once in a look
            came.append(1)
            history.state["a"].append(ca.zeros(5))
            history.commit()

    inside = 0
    for threshold in range(1, 80):
        gc.collect()
        came.clear()
        Returning(act)
        was = look(history)
        assert not came
        gc.set_threshold(threshold, 1, 1)
        try:
            shown = look(history)
            inside += len(came)
        finally:
            gc.set_threshold(*before)
            gc.collect()
        assert shown in (was, look(history))
        assert history.version == threshold
    assert inside
    assert [version.number for version in history.log()] == list(range(80))


def test_the_writers_thread_does_not_wait_for_one_that_waits_for_it(tmp_path, monkeypatch):
    errors, real = [], stores.write_all
    with ca.History(tmp_path / "h", {"a": ca.zeros(5)}) as history:

        def write(descriptor, data):
            time.sleep(0.05)  # till the other one waits
            refused(CALLS["commit"], history, errors)
            real(descriptor, data)

        monkeypatch.setattr(stores, "write_all", write)
        history.state["a"][0] = 1.0
        history.commit(durable="background")
        history.flush()
        monkeypatch.setattr(stores, "write_all", real)
    assert len(errors) == 1
    with ca.History(tmp_path / "h", mode="r") as history:
        assert history.state["a"].sum() == 1.0


def test_threads_commit_at_once(begin):
    """Who commits first has what both have written."""
    history, problems = begin({"x": [ca.zeros(1000) for _ in range(4)], "a": ca.zeros(LARGE)}), []
    state, rounds = history.state, 15

    def work(number):
        try:
            for k in range(rounds):
                state["x"][number][k] = number + 1
                history.commit()
                history[history.version]
                assert history.changes(history.version, 0).keys() <= {f"x[{j}]" for j in range(4)}
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST)
    history.commit()
    assert not problems
    versions = [version.number for version in history.log()]
    assert versions == list(range(len(versions)))
    before = np.zeros(4000)
    for number in versions:
        now = np.concatenate(history[number]["x"])
        assert (now[before != 0] == before[before != 0]).all(), "a version lacks what one before had"
        before = now
    assert before.sum() == rounds * (1 + 2 + 3 + 4)


# ---- forks -----------------------------------------------------------------------------------------------------------


def in_a_child(function):
    """Whether it has come back as it should, and not waited for ever."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)
        status = 1
        try:
            function()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def test_a_fork_while_a_thread_is_inside(begin):
    history = begin(Hooked(a=ca.zeros(LARGE)))
    state, inside, go = history.state, threading.Event(), threading.Event()
    state["a"][0] = 1.0
    history.commit()

    def wait():
        inside.set()
        go.wait(LONGEST)

    def look():
        state.hook = None
        assert history[0]["a"].sum() == 0.0
        assert history.checkout(0, discard=True) == 0
        assert state["a"].sum() == 0.0

    state["a"][1] = 1.0
    state.hook = wait
    thread = threading.Thread(target=history.commit)
    thread.start()
    assert inside.wait(LONGEST)
    try:
        assert in_a_child(look)
    finally:
        go.set()
        thread.join(LONGEST)
    assert history.version == 2
    assert history[2]["a"].sum() == 2.0


@pytest.mark.sampled
def test_forks_at_random_while_a_thread_commits(begin):
    history = begin({"a": ca.zeros(LARGE), "n": 0})
    state, done = history.state, threading.Event()

    def work():
        k = 0
        while not done.is_set():
            k += 1
            state["a"][k % LARGE] = 1.0
            state["n"] = k
            history.commit()
            if k % 5 == 0:
                history.undo()

    def look():
        for version in history.log()[-4:]:
            value = history[version.number]
            assert np.asarray(value["a"]).sum() >= 0.8 * value["n"] - 1
        last = history.log()[-1].number
        history.checkout(last, discard=True)
        assert equal(frozen(state), frozen(history[last]))

    thread, numbers = threading.Thread(target=work), np.random.default_rng(chosen_seed())
    thread.start()
    try:
        for _ in range(25):
            time.sleep(float(numbers.random() * 0.01))
            assert in_a_child(look)
    finally:
        done.set()
        thread.join(LONGEST)
    assert all(history[version.number]["n"] >= 0 for version in history.log()[:10])
