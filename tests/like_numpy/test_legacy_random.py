"""`cowarray.random.rand`, `seed`, `RandomState`: NumPy's legacy numbers, as arrays of this library."""

# ruff: noqa: NPY002 - they are what is tested

import contextlib
import copy
import inspect
import pickle

import numpy as np
import pytest
from support.oracle import same

import cowarray
from cowarray import random
from cowarray._chapters.legacy_random import NAMES

pytestmark = pytest.mark.numpy_ends

X = np.arange(6.0).reshape(3, 2)
CALLS = {
    "beta": "(2, 3, 4)",
    "binomial": "(9, .5, 4)",
    "bytes": "(4)",
    "chisquare": "(3, 4)",
    "choice": "(A([1., 2., 3.]), 2)",
    "dirichlet": "(A([1., 2.]), 3)",
    "f": "(2, 3, 4)",
    "gamma": "(2, size=4)",
    "geometric": "(.5, 4)",
    "get_state": "()",
    "hypergeometric": "(5, 4, 3, 4)",
    "logseries": "(.5, 4)",
    "multinomial": "(9, [.5, .5], 2)",
    "multivariate_normal": "(A([0., 1.]), np.eye(2), 3)",
    "negative_binomial": "(3, .5, 4)",
    "noncentral_chisquare": "(2, 3, 4)",
    "noncentral_f": "(2, 3, 4, 5)",
    "pareto": "(2, 4)",
    "permutation": "(A([1., 2., 3.]))",
    "power": "(2, 4)",
    "rand": "(2, 3)",
    "randint": "(0, 9, 4)",
    "randn": "(3)",
    "random_integers": "(9, size=4)",
    "seed": "(5)",
    "set_state": "(np.random.RandomState(4).get_state())",
    "shuffle": "(x)",
    "standard_gamma": "(2, 4)",
    "standard_t": "(2, 4)",
    "triangular": "(0, 1, 2, 4)",
    "vonmises": "(0, 1, 4)",
    "wald": "(1, 2, 4)",
    "weibull": "(2, 4)",
    "zipf": "(2, 4)",
    "normal": "(A([1., 2.]), scale=A([3., 4.]))",
}


def test_all_of_numpys_are_here():
    assert set(np.random.__all__) <= {*random.__all__, *NAMES, "RandomState"}
    assert len(NAMES) >= 45
    assert {*NAMES, "RandomState", *random.__all__} <= set(dir(random))
    assert all(hasattr(random, name) for name in NAMES)


def drawn(space, name, make, twice=3):
    """What calls give one after the other, and an argument afterwards."""
    x = make(X)
    call = f"f{CALLS.get(name, '(size=3)')}"
    results = [eval(call, {"f": getattr(space, name), "A": make, "np": np, "x": x}) for _ in range(twice)]
    return [results, x]


def clean(values):
    """Without NumPy's own state, which is NumPy's array."""
    return [[np.asarray(each[1]).tolist() if isinstance(each, tuple) else each for each in values[0]], values[1]]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted(NAMES))
def test_functions_draw_numpys_numbers_from_numpys_state(name):
    np.random.seed(7)
    theirs = drawn(np.random, name, np.array)
    after = np.random.random(2).tolist()
    random.seed(7)
    ours = drawn(random, name, cowarray.array)
    assert np.random.random(2).tolist() == after
    same(clean(ours), clean(theirs))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted(NAMES - {"ranf", "sample"}))
def test_a_random_state_draws_numpys_numbers(name):
    theirs = drawn(np.random.RandomState(7), name, np.array)
    ours = drawn(random.RandomState(7), name, cowarray.array)
    same(clean(ours), clean(theirs))


@pytest.mark.parametrize("name", ["rand", "normal", "choice", "shuffle"])
def test_functions_tell_their_parameters(name):
    for ours, theirs in (
        (getattr(random, name), getattr(np.random, name)),
        (getattr(random.RandomState(1), name), getattr(np.random.RandomState(1), name)),
    ):
        assert inspect.signature(ours) == inspect.signature(theirs)
        assert ours.__name__ == name
        assert ours.__module__ == "cowarray.random"
        assert inspect.getdoc(ours)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))])
def test_a_copied_state_goes_on_where_it_was(copied):
    state, numpys = random.RandomState(5), np.random.RandomState(5)
    state.randn(3), numpys.randn(3)  # the second of two normal numbers is kept
    other = copied(state)
    assert type(other) is random.RandomState
    assert other.randn(3).tolist() == numpys.randn(3).tolist()


def test_a_random_state_is_one_to_other_libraries():
    state = random.RandomState(cowarray.array([1, 2]))
    assert isinstance(state, np.random.RandomState)
    assert state.rand(2).tolist() == np.random.RandomState([1, 2]).rand(2).tolist()
    state.seed(3)
    assert state.rand() == np.random.RandomState(3).rand()
    state.set_state(np.random.RandomState(4).get_state())
    assert state.randint(99) == np.random.RandomState(4).randint(99)


@pytest.mark.parametrize("space", [random, random.RandomState(3)])
def test_shuffle_writes_the_array_and_no_copy_of_it(space):
    x = cowarray.array(X)
    kept = x.copy()
    space.shuffle(x)
    assert sorted(x.tolist()) == kept.tolist() == X.tolist()
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        space.shuffle(x)


def test_elements_that_are_arrays_stay_their_owners():
    mine = np.zeros(3)
    things = np.empty(1, object)
    things[0] = mine
    for space in (random, random.RandomState(3)):
        assert space.choice(cowarray.array(things)) is mine


def test_what_neither_has_is_missing():
    for name in ("nothing", "_nothing"):
        assert not hasattr(random, name)
    with pytest.raises(AttributeError, match=r"use numpy\.random\.mtrand"):
        _ = random.mtrand


def test_functions_are_found_by_their_names():
    for name in ("shuffle", "choice", "rand"):
        function = getattr(cowarray.random, name)
        assert pickle.loads(pickle.dumps(function)) is function
        assert repr(function).partition(" at ")[0].endswith(name)
    with pytest.raises(TypeError, match=r"^shuffle\(\) takes"):
        cowarray.random.shuffle()


def test_a_choice_without_a_size_is_a_number_in_every_mode():
    with cowarray.fake():
        assert type(cowarray.random.choice(5)) is int


@pytest.mark.parametrize(
    "mode", [contextlib.nullcontext, cowarray.aliasing, cowarray.deferred, cowarray.fake, cowarray.simulate]
)
@pytest.mark.parametrize(
    "permutation",
    [random.permutation, random.RandomState(1).permutation, random.default_rng(1).permutation],
    ids=["function", "RandomState", "Generator"],
)
def test_a_permutation_of_nothing_is_nothing_and_no_array_of_the_callers(permutation, mode):
    """NumPy does not see that an empty array is the caller's."""
    n = np.zeros(0, "i2")
    with mode():
        for x in (n, cowarray.asarray(n), cowarray.zeros(0, "i2")):
            found = permutation(x)
            assert (found.shape, found.dtype) == ((0,), "i2")
            assert found is not x
            if mode is not cowarray.fake:
                assert found.tolist() == []
    assert n.flags.writeable
    found = permutation(n)
    n.resize(5, refcheck=False)
    assert (found + 1).shape == (0,)
    with pytest.raises(TypeError, match="argument"):
        permutation(n[:0], 0, 0)


@pytest.mark.parametrize("permutation", [random.permutation, random.RandomState(1).permutation])
def test_what_an_object_gives_as_an_array_is_not_taken_over(permutation):
    class Given:
        asked = 0

        def __init__(self, n):
            self.n = n

        def __array__(self, dtype=None, copy=None):
            self.asked += 1
            return self.n

    for n in (np.zeros(0), np.arange(3)):
        given = Given(n)
        assert sorted(permutation(given).tolist()) == n.tolist()
        assert given.asked == 1
        assert n.flags.writeable
