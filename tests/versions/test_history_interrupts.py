"""A history that is interrupted at any bytecode is as it was or as it was to become, and goes on."""

import gc
import os
import random
import signal
import sys
from collections import Counter
from functools import partial
from itertools import cycle

import numpy as np
import pytest
from support import extensions
from support.seeds import all_or, chosen_seed

import cowarray as ca

HOME = os.path.join(os.path.dirname(ca.__file__), "_versions")
SIZES = [(40, 30), (1100, 500)]  # doubles; the second by the page


class Interrupt(BaseException):
    pass


class Timeout(Exception):
    """As a signal's handler raises it."""


class Tracer:
    """Raises before the n-th bytecode of the versions' code; for n = 0 it notes where each lies."""

    def __init__(self, at, error=Interrupt):
        self.at, self.count, self.error = at, 0, error
        self.places = []

    def __call__(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(HOME):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        if event == "opcode":
            self.count += 1
            if self.count == self.at:
                raise self.error
            if not self.at:
                self.places.append((frame.f_code, frame.f_lasti))
        return self


def run(step, at, error=Interrupt):
    """Whether the interrupt came out."""
    return traced(step, Tracer(at, error))


def traced(step, tracer):
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        step()
    except tracer.error:
        return True
    finally:
        sys.settrace(before)
    return False


def moments(step, times, fewer):
    """Which bytecodes of a step to interrupt: at each place in the code the first times and the last; or fewer."""
    tracer = Tracer(0)
    traced(step, tracer)
    passed, last = Counter(), {place: at for at, place in enumerate(tracer.places)}
    found = []
    for at, place in enumerate(tracer.places):
        passed[place] += 1
        if passed[place] <= times or last[place] == at:
            found.append(at + 1)
    assert len(found) > 10
    return sorted(random.Random(chosen_seed()).sample(found, min(len(found), all_or(len(found), fewer))))


def said(state):
    return [np.array(state["a"]).tobytes(), np.array(state["b"]).tobytes(), state["n"], sorted(state)]


def world(shape):
    """A history with two branches and something that is committed in none of them."""
    history = ca.History({"a": ca.zeros(shape), "b": np.zeros(5), "n": 0})
    state = history.state
    versions = {0: said(state)}
    history.branch("other")
    state["a"][1], state["n"] = 1, 1
    versions[history.commit()] = said(state)
    history.switch("main")
    for number in (2, 3):
        state["a"][number], state["b"][0] = number, number
        versions[history.commit()] = said(state)
    return history, versions


def edit(history):
    history.state["a"][5] = 5
    history.state["b"] = np.full(5, 7.0)
    history.state["c"] = np.ones(4)


STEPS = {
    "commit": lambda history: history.commit("text"),
    "undo": lambda history: history.undo(),
    "undo with discard": lambda history: history.undo(discard=True),
    "checkout": lambda history: history.checkout("other"),
    "switch": lambda history: history.switch("other"),
    "branch": lambda history: history.branch("new"),
    "merge": lambda history: history.merge("other"),
    "keep": lambda history: history.keep(last=1),
    "compact": lambda history: history.compact(),
    "read": lambda history: history[0],
}
EDITED = {"commit", "undo with discard"}
ERRORS = [Interrupt, Timeout]
PARTS = range(all_or(8, 1))  # so that all cores share the work of a whole run
IN_MEMORY = [name for name in STEPS if name != "compact"]


def seen(history):
    return history.version, history.branch_name, history.branches, [version.number for version in history.log()]


@pytest.mark.sampled
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("shape", SIZES, ids=str)
@pytest.mark.parametrize("name", IN_MEMORY)
def test_an_interrupt_at_any_bytecode(name, shape, part):
    step = STEPS[name]
    history, _ = world(shape)
    if name in EDITED:
        edit(history)
    before, start = seen(history), said(history.state)
    points = moments(partial(step, history), 2 if shape == SIZES[0] else 1, 30)[part :: len(PARTS)]
    after, goal = seen(history), said(history.state)
    came = 0
    for point in points:
        history, versions = world(shape)
        kept, held = history.state["a"].copy(), history[2]
        wanted = np.array(kept)
        if name in EDITED:
            edit(history)
        state = history.state
        came += run(partial(step, history), point)
        history[0]  # finishes what is under way
        now = seen(history)
        assert now in (before, after), point
        wanted_now = [start] if now == before else [goal]
        if name == "undo with discard" and now == before:
            wanted_now.append(versions[3])  # what was to be dropped is, and the rest is to come
        assert said(state) in wanted_now, point
        assert history.state is state
        if now == before and name in EDITED:
            versions[history.commit()] = said(state)
        elif name == "commit":
            versions[4] = said(state)
        for number in [version.number for version in history.log()]:
            if number in versions:
                assert said(history[number]) == versions[number], (point, number)
                history.checkout(number, discard=True)
                assert said(history.state) == versions[number], (point, number)
        state["a"][7] = 7
        last = history.commit()
        history.undo()
        history.checkout(last)
        assert state["a"][7].sum() == 7 * shape[1]
        assert np.array_equal(np.asarray(kept), wanted)
        assert np.asarray(held["a"])[3].sum() == 0
    assert came > len(points) / 2


@pytest.mark.sampled
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("shape", SIZES, ids=str)
@pytest.mark.parametrize("name", IN_MEMORY)
def test_what_is_written_after_an_interrupt_is_kept(name, shape, part):
    step = STEPS[name]
    history, _ = world(shape)
    if name in EDITED:
        edit(history)
    points = moments(partial(step, history), 1, 30)[part :: len(PARTS)]
    for point, error in zip(points, cycle(ERRORS), strict=False):
        history, _ = world(shape)
        if name in EDITED:
            edit(history)
        run(partial(step, history), point, error)
        assert seen(history)[0] in seen(history)[3], point
        state = history.state
        state["a"][7] = 7
        state["a"][5] = 55
        state["b"] = np.full(5, 77.0)
        state["n"] = "written"
        wanted = said(state)
        last = history.commit()
        assert said(state) == wanted, point
        assert said(history[last]) == wanted, point
        history.undo()
        history.checkout(last)
        assert said(state) == wanted, point


@pytest.fixture(scope="module")
def interrupting(tmp_path_factory):
    """Signals come where Python handles them: a lock that is taken is noted. Other threads want those of a folder."""
    return extensions.interrupting(tmp_path_factory.mktemp("interrupting"))


# What comes in a callback of a weak reference, Python reports and drops, whosever it is.
@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", ["commit", "undo", "checkout", "keep", "compact"])
def test_a_folder_opens_after_an_interrupt(tmp_path, interrupting, name, error, part):
    def interrupt(*_):
        raise error

    def world(folder):
        history = ca.History(folder, {"a": ca.zeros((40, 30)), "b": np.zeros(5), "n": 0})
        versions = {0: said(history.state)}
        for number in (1, 2):
            history.state["a"][number], history.state["n"] = number, number
            versions[history.commit()] = said(history.state)
        if name == "commit":
            edit(history)
        return history, versions

    def step(history):
        return history.checkout(0) if name == "checkout" else STEPS[name](history)

    def count(folder):
        history, _ = world(folder)
        with history:
            gc.collect()  # histories that are garbage are looked at, too
            return interrupting.call(partial(step, history), (HOME,), 0)[0]

    total = min(count(tmp_path / f"count-{each}") for each in range(2))  # the first may import
    points = random.Random(chosen_seed()).sample(range(1, total + 1), min(total, all_or(total, 15)))
    turns = all_or(len(ERRORS), 1)  # where all points are taken, the errors take turns
    points = sorted(points)[part :: len(PARTS)][ERRORS.index(error) % turns :: turns]
    came = 0
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        for point in points:
            history, versions = world(tmp_path / f"at-{point}")
            with history:
                came += interrupting.call(partial(step, history), (HOME,), point)[1] is not None
                history.checkout(history.version, discard=True)
                versions.setdefault(history.version, said(history.state))
                assert said(history.state) == versions[history.version], point
                history.state["a"][9], history.state["b"] = 9, np.full(5, point)
                versions[history.commit()] = said(history.state)
                left = list(history)
                assert name != "keep" or left in ([0, 1, 2, 3], [2, 3]), point
                assert all(said(history[number]) == versions[number] for number in left), point
            with ca.History(tmp_path / f"at-{point}") as again:
                assert list(again) == left, point
                assert all(said(again[number]) == versions[number] for number in left), point
                assert again.verify() == [], point
                assert said(again.state) == said(again[again.version]), point
    finally:
        signal.signal(signal.SIGINT, before)
    assert came > len(points) / 2


class Odd(list):
    """A container that raises where a history puts its items back, so often."""

    def __init__(self, items=(), error=None, times=0):
        super().__init__(items)
        self.error, self.times = error, times

    def __delitem__(self, key):
        if self.times:
            self.times -= 1
            raise self.error
        super().__delitem__(key)


@pytest.mark.parametrize("error", [SystemExit, RuntimeError])
@pytest.mark.parametrize("times", [1, 2, 10**9])
def test_a_container_that_raises_loses_nothing(error, times):
    history = ca.History({"m": {"a": np.zeros(5)}, "z": Odd([1, 2], error, 0)})
    state = history.state
    state["z"].error, state["z"].times = error, times
    state["m"]["a"] = np.full(5, 7.0)
    with pytest.raises(error):
        history.commit()
    assert np.array(state["m"]["a"]).tolist() == [7.0] * 5
    if times < 10**9:
        history.commit()
        assert np.array(history[history.version]["m"]["a"]).tolist() == [7.0] * 5
