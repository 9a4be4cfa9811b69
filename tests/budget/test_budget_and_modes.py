"""A budget beside the other modes: what it does for itself is its own, and only one mode has an operation."""

import contextlib
import warnings

import numpy as np
import pytest

import cowarray

N = 1 << 15
MODES = {
    "no_copy": lambda: cowarray.no_copy(eager=True),
    "trace": cowarray.trace,
    "simulate": cowarray.simulate,
    "fake": cowarray.fake,
    "deferred": cowarray.deferred,
    "budget": lambda: cowarray.budget("1 MiB"),
}
# Operations that copy, or do others, when they are done again.
MAKERS = {
    "a partial write to a copy": lambda x: written(x.copy()),
    "order": lambda x: np.sort(x.reshape(64, -1), axis=0),
    "composite": lambda x: np.average(x.reshape(64, -1), axis=0, weights=np.arange(64.0)),
    "median": lambda x: np.median(x.reshape(64, -1), axis=0),
    "a copy": lambda x: x.reshape(64, -1).T.copy(),
    "gradient": lambda x: np.gradient(x),
    "numbers of NumPy's": lambda x: x * np.arange(float(N)),
}


def written(x):
    x[3:9] = 5
    return x


@pytest.fixture
def x():
    return cowarray.linspace(0, 1, N)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("mode", MODES)
def test_what_is_away_comes_back_inside_any_mode(x, mode, maker):
    plain = np.linspace(0, 1, N)
    with cowarray.budget("16 MiB", small=0) as run:
        base = x * 2
        made = MAKERS[maker](base)
        made.evict()
    with MODES[mode]() as inside:
        found = memoryview(made)
    assert bytes(found) == np.ascontiguousarray(MAKERS[maker](plain * 2)).tobytes()
    assert run.remakes >= 1
    if mode == "trace":
        assert list(inside) == []
    if mode == "simulate":
        assert inside.watched == 0


def test_what_a_budget_copies_for_itself_is_neither_refused_nor_told(x):
    foreign = np.linspace(1, 2, N)
    pin = x.to_numpy(writable=True)
    with cowarray.trace() as told, cowarray.no_copy(eager=True), cowarray.budget("16 MiB", small=0):
        found = [x * foreign, x[100:140] + 1, x[::-1] - foreign[::-1]]
    assert list(told) == []
    foreign += 1
    pin += 1
    for each in found:
        each.evict()
    plain, foreign = np.linspace(0, 1, N), np.linspace(1, 2, N)
    for each, wanted in zip(found, (plain * foreign, plain[100:140] + 1, (plain - foreign)[::-1]), strict=True):
        assert np.array_equal(each, wanted)


def test_what_the_program_copies_is_told_and_refused_inside_as_outside(x):
    def program():
        y = x * 2
        s = y.copy()
        s[3] = 1
        part = y[:7].copy()
        y[...] = part[0]
        return y, s

    def told(mode):
        with mode, cowarray.trace() as found:
            program()
        return [(event.kind, event.nbytes, event.lineno) for event in found]

    assert told(cowarray.budget("16 MiB", small=0)) == told(contextlib.nullcontext()) != []
    for mode in (cowarray.budget("16 MiB", small=0), contextlib.nullcontext()):
        with mode, cowarray.no_copy(), pytest.raises(cowarray.CopyError):
            program()


def test_what_a_budget_holds_is_shared(x):
    with cowarray.budget("16 MiB", small=0):
        y = x * 2
    with cowarray.no_copy(), pytest.raises(cowarray.CopyError, match="2 Storages share them"):
        x[0] = 5
    x[0] = 5
    y.evict()
    assert y[0] == 0


@pytest.mark.parametrize("order", ["simulate outside", "budget outside", "started"])
def test_inside_simulate_nothing_is_managed(x, order):
    def program():
        y = x.reshape(2, -1)
        y[0, 0] = 7
        with warnings.catch_warnings(action="ignore"):
            return float(x[0]), x + 1

    simulation, budget = cowarray.simulate(), cowarray.budget("4 MiB", small=0)
    if order == "started":
        budget.start()
        blocks = [simulation]
    else:
        blocks = [simulation, budget] if order == "simulate outside" else [budget, simulation]
    try:
        with blocks[0], blocks[-1] if len(blocks) > 1 else contextlib.nullcontext():
            found, made = program()
    finally:
        if order == "started":
            budget.stop()
    assert found == 7
    assert len(simulation) == 1
    assert not cowarray.is_checkpointed(made)
    assert budget.stats()["live_bytes"] == 0


def test_managed_arrays_are_not_watched(x):
    with cowarray.budget("4 MiB", small=0):
        y = x * 2
        with cowarray.simulate() as simulation:
            copy = y.reshape(2, -1)
            copy[0, 0] = 7
            assert y[0] == 0
        assert simulation.watched == 0
        del copy
        y.evict()
    assert y[0] == 0


def test_arrays_that_are_watched_make_constants(x):
    with cowarray.simulate(), warnings.catch_warnings(action="ignore"):
        y = x.reshape(2, -1)
        y[0, 0] = 7
    with cowarray.budget("4 MiB", small=0), warnings.catch_warnings(action="ignore"):
        z = x * 2
    assert z[0] == 14
    with pytest.raises(BufferError, match="could not be kept"):
        z.evict()


def test_deferred_arrays_are_made_for_a_budget():
    with cowarray.deferred():
        later = cowarray.ones(N) + 1
        other = cowarray.ones(N) * 3
    with cowarray.budget("1 MiB", small=0) as run:
        x = later * 2
        other += 1
        y = x + other
        for each in (x, y):
            each.evict()
    assert run.peak_bytes <= 1 << 20
    assert np.all(x == 4)
    assert np.all(y == 8)


@pytest.mark.parametrize("mode", ["fake", "deferred"])
def test_a_block_inside_has_its_own_operations(x, mode):
    with cowarray.budget("4 MiB", small=0):
        y = x * 2
        y.evict()
        with MODES[mode]():
            z = y + 1
        assert not cowarray.is_checkpointed(z)
        with cowarray.budget("4 MiB", small=0):
            assert cowarray.is_checkpointed(y + 1)
    if mode == "deferred":
        assert z[0] == 1
    y.evict()
    assert y[-1] == 2


@pytest.mark.parametrize("name", ["fake", "deferred", "budget"])
def test_a_fake_like_an_array_can_be_had_inside(name, x):
    with MODES[name]():
        made = cowarray.fake_like(x)
    assert cowarray.is_fake(made)
    assert made.shape == x.shape
