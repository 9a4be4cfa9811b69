"""Draws that nobody asked for are dropped, and drawn again when somebody does: the numbers are those of NumPy."""

import random

import numpy as np
import pytest
from support.programs import run

import cowarray as cw
from cowarray import deferred, is_deferred, materialize
from cowarray._modes.deferred import making
from cowarray._modes.record.draws import Again

BITS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
SIZE = 1500  # of 12 KB
# Of a generator, and of a number from 0 on.
DRAWS = (
    lambda rng, i: rng.normal(size=SIZE),
    lambda rng, i: rng.normal(i, 2.0, (SIZE, 2)),
    lambda rng, i: rng.random(SIZE),
    lambda rng, i: rng.random((30, 50 + i)),
    lambda rng, i: rng.random(SIZE, dtype="f4"),
    lambda rng, i: rng.uniform(-1, i, SIZE),
    lambda rng, i: rng.uniform(low=-1.0, size=(3, SIZE)),
    lambda rng, i: rng.uniform([0.0, 1.0], 5.0, size=(SIZE, 2)),
    lambda rng, i: rng.uniform((0.0, 1.0), size=(SIZE, 2)),
    lambda rng, i: rng.integers(0, 9, SIZE),
    lambda rng, i: rng.integers(0, 99, 2 * SIZE + 1, dtype="i4"),  # leaves half of a random number
    lambda rng, i: rng.integers(0, 99, 3, dtype="i4"),
    lambda rng, i: rng.standard_exponential(SIZE, method="inv"),
    lambda rng, i: rng.gamma(2.0, size=SIZE),
    lambda rng, i: rng.permutation(SIZE + i),
    lambda rng, i: rng.choice(99, SIZE),
    lambda rng, i: rng.multivariate_normal([0.0, i], [[1.0, 0.2], [0.2, 1.0]], SIZE),
    lambda rng, i: rng.normal(),
)
# What else becomes of an array that was drawn.
LATER = (
    lambda x: x,
    lambda x: x * 2,
    lambda x: x[..., ::-1],
    lambda x: x.sum(axis=0),
    lambda x: x.__iadd__(1),
    lambda x: x.__setitem__(Ellipsis, 3) or x,
)


def program(rng, seed):
    """Arrays that random draws give, some of them changed and some dropped."""
    choose = random.Random(seed)
    found = []
    for i in range(12):
        x = choose.choice(DRAWS)(rng, i)
        if np.ndim(x):
            if choose.random() < 0.4:
                found.append(choose.choice(LATER)(x))
            if choose.random() < 0.2:
                rng.shuffle(x)
            if choose.random() < 0.2:
                x[:3] = 1
        if choose.random() < 0.9:
            found.append(x)
    return found


@pytest.mark.parametrize("bits", BITS)
def test_any_order_gives_the_numbers_of_eager_execution(bits):
    for seed in range(60):
        eager = np.random.Generator(getattr(np.random, bits)(seed))
        expected = program(eager, seed)
        rng = cw.random.Generator(getattr(np.random, bits)(seed))
        with deferred():
            found = program(rng, seed)
        order = list(range(len(found)))
        random.Random(-seed).shuffle(order)
        drawn_at = random.Random(seed).choice([0, 3, len(order)])
        for step, k in enumerate(order):
            if step == drawn_at:
                assert rng.normal() == eager.normal()  # from outside, in the middle
            assert np.asarray(found[k]).tobytes() == np.asarray(expected[k]).tobytes(), (seed, k)
        if drawn_at == len(order):
            assert rng.integers(1 << 40) == eager.integers(1 << 40)


@pytest.mark.parametrize("draw", [lambda rng: rng.normal(size=SIZE), lambda rng: rng.random(SIZE)])
def test_what_was_dropped_is_still_deferred(draw):
    rng, eager = cw.random.default_rng(5), np.random.default_rng(5)
    with deferred():
        layers = [draw(rng) for _ in range(5)]
    expected = [draw(eager) for _ in range(5)]
    materialize(layers[3])
    assert [is_deferred(x) for x in layers] == [True, True, True, False, True]
    assert rng.normal() == eager.normal()
    assert is_deferred(layers)
    for x, y in zip(reversed(layers), reversed(expected), strict=True):
        assert x.tobytes() == y.tobytes()


def test_an_interrupted_draw_leaves_all_as_it_was(monkeypatch):
    rng, eager = cw.random.default_rng(5), np.random.default_rng(5)
    with deferred():
        first = rng.normal(size=SIZE)
        second = rng.normal(size=SIZE)
        third = second.reshape(3, -1) @ cw.ones((SIZE // 3, 1))
    expected = [eager.normal(size=SIZE) for _ in range(2)]
    monkeypatch.setattr(making, "laid", interrupt)
    with pytest.raises(KeyboardInterrupt):
        materialize(third)
    monkeypatch.undo()
    assert is_deferred(first)
    assert is_deferred(third)
    assert second.tobytes() == expected[1].tobytes()
    assert first.tobytes() == expected[0].tobytes()
    assert rng.normal() == eager.normal()


def interrupt(*args):
    raise KeyboardInterrupt


def test_all_of_an_object_is_drawn_once(monkeypatch):
    drawn = []
    again = Again.__call__
    monkeypatch.setattr(Again, "__call__", lambda *args, **kw: drawn.append(1) or again(*args, **kw))
    rng = cw.random.default_rng(5)
    with deferred():
        layers = [rng.normal(size=SIZE) for _ in range(5)]
    materialize({"layers": layers[::-1]})
    assert not drawn
    assert not is_deferred(layers)


@pytest.mark.parametrize("draw", ["rng.normal(size=N)", "rng.random(N)", "rng.normal(size=N) * 0.5"])
def test_a_layer_of_many_takes_its_own_memory(draw):
    run(
        f"""
        import resource

        N = 1 << 20
        ca.keep_freed(0)
        rng = ca.random.default_rng(0)
        with ca.deferred():
            layers = [{draw} for _ in range(50)]
        warm = ca.deferred_init(lambda: ca.random.default_rng(1).normal(size=2000))
        ca.materialize(warm)
        del warm
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        kept = ca.materialize(layers[30])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        assert peak - before < (1.3 if "*" not in {draw!r} else 2.3) * 8 * N, (peak - before) / (8 * N)
        """
    )
