"""A history that is interrupted at any bytecode is as it was or as it was to become, and goes on."""

import os
import random
import sys
from functools import partial

import numpy as np
import pytest
from support.seeds import all_or, chosen_seed

import cowarray as ca

HOME = os.path.join(os.path.dirname(ca.__file__), "_versions")
SIZES = [(40, 30), (1100, 500)]  # doubles; the second by the page


class Interrupt(BaseException):
    pass


class Tracer:
    """Raises before the n-th bytecode of the versions' code; counts them."""

    def __init__(self, at):
        self.at, self.count = at, 0

    def __call__(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(HOME):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        if event == "opcode":
            self.count += 1
            if self.count == self.at:
                raise Interrupt
        return self


def run(step, at):
    """How many bytecodes ran, and whether the interrupt came out."""
    tracer = Tracer(at)
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        step()
    except Interrupt:
        return tracer.count, True
    finally:
        sys.settrace(before)
    return tracer.count, False


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
    "read": lambda history: history[0],
}
EDITED = {"commit", "undo with discard"}


def seen(history):
    return history.version, history.branch_name, history.branches, [version.number for version in history.log()]


@pytest.mark.parametrize("shape", SIZES, ids=str)
@pytest.mark.parametrize("name", STEPS)
def test_an_interrupt_at_any_bytecode(name, shape):
    step = STEPS[name]
    history, _ = world(shape)
    if name in EDITED:
        edit(history)
    before, start = seen(history), said(history.state)
    total, _ = run(lambda: step(history), -1)
    after, goal = seen(history), said(history.state)
    assert total > 20
    points = range(1, total + 1)
    points = sorted(random.Random(chosen_seed()).sample(points, min(total, all_or(total, 60))))
    came = 0
    for point in points:
        history, versions = world(shape)
        kept, held = history.state["a"].copy(), history[2]
        wanted = np.array(kept)
        if name in EDITED:
            edit(history)
        state = history.state
        came += run(partial(step, history), point)[1]
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


@pytest.mark.parametrize("shape", SIZES, ids=str)
@pytest.mark.parametrize("name", STEPS)
def test_what_is_written_after_an_interrupt_is_kept(name, shape):
    step = STEPS[name]
    history, _ = world(shape)
    if name in EDITED:
        edit(history)
    total, _ = run(lambda: step(history), -1)
    points = sorted(random.Random(chosen_seed()).sample(range(1, total + 1), min(total, all_or(total, 60))))
    for point in points:
        history, _ = world(shape)
        if name in EDITED:
            edit(history)
        run(partial(step, history), point)
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
