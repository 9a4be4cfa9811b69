"""Draws of fakes have shape and dtype, and leave the generator where it is."""

import contextlib

import numpy as np
import pytest
from support.crosscheck import EXACT, CrossCheck

import cowarray as cw

DRAWS = {
    "normal": lambda rng, x: rng.normal(x, 2),
    "normal, size": lambda rng, x: rng.normal(0, 1, (3, 4)),
    "broadcast": lambda rng, x: rng.normal(x, x[:, None], (2, 4, 4)),
    "integers": lambda rng, x: rng.integers(10, size=5, dtype="i2"),
    "poisson": lambda rng, x: rng.poisson(x),
    "dirichlet": lambda rng, x: rng.dirichlet(x, 3),
    "multinomial": lambda rng, x: rng.multinomial(5, [0.5, 0.5], size=(2, 3)),
    "permutation": lambda rng, x: rng.permutation(x),
    "permutation of a number": lambda rng, x: rng.permutation(7),
    "permuted": lambda rng, x: rng.permuted(x),
    "choice": lambda rng, x: rng.choice(x, (2, 3)),
    "choice of one": lambda rng, x: rng.choice(x),
    "shuffle": lambda rng, x: rng.shuffle(x),
    "out": lambda rng, x: rng.random(out=x),
    "a vector of floats": lambda rng, x: rng.standard_normal(4, dtype="f4"),
}
ON_FAKES = (
    "normal",
    "broadcast",
    "poisson",
    "dirichlet",
    "permutation",
    "permuted",
    "choice",
    "choice of one",
    "shuffle",
)


def described(made):
    return getattr(made, "shape", ()), getattr(made, "dtype", None)


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_draw_is_forecast(draw):
    with cw.fake():
        pass
    x = cw.array([1.0, 2.0, 3.0, 4.0])
    check = CrossCheck()
    with check.watching():
        draw(cw.random.default_rng(1), x)
    assert all(each.verdict == EXACT for each in check.outcomes), check.outcomes


@pytest.mark.parametrize("name", [*ON_FAKES, "out"])
def test_a_draw_of_a_fake_is_a_fake_and_draws_nothing(name):
    values = np.array([1.0, 2.0, 3.0, 4.0])
    rng, other = cw.random.default_rng(1), np.random.default_rng(1)
    x = cw.fake_like(values)
    made = DRAWS[name](rng, x)
    assert rng.random() == np.random.default_rng(1).random()
    numpys = DRAWS[name](other, values.copy())
    if numpys is None:
        assert made is None
    else:
        assert cw.is_fake(made)
        assert described(made) == described(numpys)


def test_the_old_functions_too():
    x = cw.fake_like(np.ones(4))
    made = cw.random.RandomState(3).normal(x, size=(2, 4))
    assert cw.is_fake(made)
    assert made.shape == (2, 4)
    cw.random.shuffle(x)
    assert cw.is_fake(cw.random.choice(x, 3))


@pytest.mark.parametrize("random", [cw.random, cw.random.default_rng(2)], ids=["old", "new"])
def test_a_choice_of_many_is_planned_and_one_by_fake_probabilities_too(random):
    p = cw.fake_like(np.full(4, 0.25))
    assert [random.choice(4, p=p).shape, random.choice(np.arange(4.0), 3, p=p).shape] == [(), (3,)]
    with cw.fake(real=100) as plan:
        drawn = [random.choice(9, 1000), random.choice(cw.arange(9.0), (10, 100)), random.choice(["a", "b"], 1000)]
        few = random.choice(9, 3)
        assert [*map(cw.is_fake, drawn), cw.is_fake(few)] == [True, True, True, False]
        assert random.choice([3, 3]).item() == 3
        assert plan.live_bytes == 8000 + 8000 + 4000


@pytest.mark.parametrize("block", [contextlib.nullcontext, cw.fake, cw.deferred])
def test_draws_from_numbers_and_from_nothing(block):
    with block():
        rng = cw.random.default_rng(0)
        for count in (np.uint64(10), np.int8(10), 10):
            assert rng.permutation(count).dtype == np.random.default_rng(0).permutation(count).dtype
        assert rng.choice(np.array(5), size=4).shape == (4,)
        with pytest.raises(ValueError, match="a cannot be empty"):
            rng.choice(cw.zeros(0), 1)
        with pytest.raises(ValueError, match="a must be 1-dimensional"):
            cw.random.choice(cw.zeros((2, 2)), 1)
        with pytest.raises(IndexError, match="x must be an integer"):
            cw.random.permutation(2.0)
        cw.random.shuffle(x=cw.zeros(3))
