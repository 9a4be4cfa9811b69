"""`cowarray.random`: NumPy's streams as arrays of ours, and arrays of ours that are written to and shuffled."""

import copy
import inspect
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support.oracle import LAYOUTS, OWNERSHIPS, Witness, agree, native, outcome, same, subject
from support.programs import run

import cowarray
from cowarray.random import Generator, default_rng

X = np.arange(12.0).reshape(4, 3)
PROBABILITIES = np.array([0.1, 0.2, 0.3, 0.4])
MEANS = np.array([0.5, 2.0, 4.0])

# Method -> calls of it, as (positional, by name). NumPy's arrays become ours for ours.
CALLS = {
    "beta": [((1.5, 2), {}), ((MEANS, MEANS[:, None]), {"size": None}), ((1, 2, (2, 3)), {})],
    "binomial": [((9, 0.3, 5), {}), ((np.array([3, 9]), PROBABILITIES[:2]), {})],
    "bytes": [((7,), {})],
    "chisquare": [((MEANS,), {}), ((2,), {"size": 4})],
    "choice": [
        ((5,), {}),
        ((5, 3), {}),
        ((5, (2, 2), False), {}),
        ((X, 2), {}),
        ((X,), {}),
        ((X[0],), {}),
        ((X[:, 0], 3, True, PROBABILITIES), {}),
        ((X, 2, False), {"axis": 1, "shuffle": False}),
        (([1, 2, 3], 4), {}),
        ((np.array([None, [1], "a"], object), 2), {}),
        ((np.array([None, [1], "a"], object),), {}),
    ],
    "dirichlet": [((MEANS,), {}), ((MEANS, 4), {})],
    "exponential": [((), {}), ((MEANS,), {}), ((2.0, (2, 2)), {})],
    "f": [((2, 3, 4), {}), ((MEANS, 3), {})],
    "gamma": [((2, 3, 4), {}), ((MEANS,), {"scale": MEANS})],
    "geometric": [((0.3, 5), {}), ((PROBABILITIES,), {})],
    "gumbel": [((), {"size": 3}), ((MEANS, 2), {})],
    "hypergeometric": [((5, 4, 3, 6), {}), ((np.array([5, 6]), 4, 3), {})],
    "integers": [((9,), {}), ((9,), {"size": (2, 3)}), ((np.array([3, 9]), 20), {"dtype": np.uint8, "endpoint": True}),
                 ((2,), {"size": 4, "dtype": bool})],
    "laplace": [((), {"size": 3}), ((MEANS, 2), {})],
    "logistic": [((), {"size": 3}), ((MEANS, 2), {})],
    "lognormal": [((), {"size": 3}), ((MEANS, 2), {})],
    "logseries": [((0.3, 4), {}), ((PROBABILITIES,), {})],
    "multinomial": [((9, PROBABILITIES), {}), ((9, PROBABILITIES, 2), {})],
    "multivariate_hypergeometric": [((np.array([3, 4, 5]), 4), {}), (([3, 4], 4, 3), {"method": "count"})],
    "multivariate_normal": [((MEANS[:2], np.eye(2)), {}), ((MEANS, np.eye(3), (2, 2)), {"method": "cholesky"})],
    "negative_binomial": [((3, 0.3, 4), {}), ((MEANS, 0.5), {})],
    "noncentral_chisquare": [((3, 2, 4), {}), ((MEANS, 2), {})],
    "noncentral_f": [((3, 2, 1, 4), {}), ((MEANS, 2, 1), {})],
    "normal": [((), {}), ((MEANS, 2.0), {}), ((0, 1, (2, 0)), {}), ((), {"size": ()})],
    "pareto": [((3, 4), {}), ((MEANS,), {})],
    "permutation": [((6,), {}), ((X[:0, 0],), {}), ((X,), {}), ((X,), {"axis": 1}), ((X[0],), {}), (([3, 1, 2],), {}),
                    ((np.int8(4),), {}), ((np.array([None, [1], "a"], object),), {})],
    "permuted": [((X,), {}), ((X,), {"axis": 1}), (([3, 1, 2],), {})],
    "poisson": [((3, 4), {}), ((MEANS,), {})],
    "power": [((3, 4), {}), ((MEANS,), {})],
    "random": [((), {}), ((5,), {}), (((2, 3),), {"dtype": "f4"})],
    "rayleigh": [((3, 4), {}), ((MEANS,), {})],
    "standard_cauchy": [((4,), {}), ((), {})],
    "standard_exponential": [((4,), {}), ((), {"size": 3, "method": "inv"}), ((3, "f4"), {})],
    "standard_gamma": [((2, 4), {}), ((MEANS,), {})],
    "standard_normal": [((4,), {}), ((3, "f4"), {}), ((), {})],
    "standard_t": [((3, 4), {}), ((MEANS,), {})],
    "triangular": [((0, 1, 3, 4), {}), ((0, MEANS, 9), {})],
    "uniform": [((), {"size": 4}), ((MEANS, 9), {})],
    "vonmises": [((0, 1, 4), {}), ((MEANS, 2), {})],
    "wald": [((1, 2, 4), {}), ((MEANS, 2), {})],
    "weibull": [((2, 4), {}), ((MEANS,), {})],
    "zipf": [((2, 4), {}), ((MEANS + 1,), {})],
}  # fmt: skip
OTHERS = {"bit_generator", "shuffle", "spawn"}
WITH_OUT = ["random", "standard_exponential", "standard_gamma", "standard_normal"]
METHODS = [name for name in dir(np.random.Generator) if not name.startswith("_")]


def pair(seed=5):
    return default_rng(seed), np.random.default_rng(seed)


def own(value):
    return cowarray.array(value) if isinstance(value, np.ndarray) else value


def test_every_method_of_numpys_is_ours_and_has_a_call():
    assert set(METHODS) == set(CALLS) | OTHERS
    for name in METHODS:
        if name not in ("bit_generator", "bytes"):
            assert name in vars(Generator), f"{name} would give NumPy's arrays"


@pytest.mark.parametrize("name", [name for name in METHODS if name != "bit_generator"])
def test_parameters_are_numpys(name):
    ours, theirs = [inspect.signature(getattr(cls, name)) for cls in (Generator, np.random.Generator)]
    assert [(each.name, each.kind, each.default) for each in ours.parameters.values()] == [
        (each.name, each.kind, each.default) for each in theirs.parameters.values()
    ]


@pytest.mark.parametrize("name", CALLS)
def test_results_are_numpys_and_so_is_what_comes_next(name):
    """Scalars and arrays, of NumPy's arguments and of ours, which stay the lazy copies that they are."""
    ours, theirs = pair()
    for args, named in CALLS[name]:
        for convert in (own, lambda value: value):
            given = [convert(value) for value in args]
            taken = {key: convert(value) for key, value in named.items()}
            arrays = [each for each in (*given, *taken.values()) if type(each) is cowarray.ndarray]
            copies = [each.copy() for each in arrays]
            cowarray.reset_stats()
            result = outcome(getattr(ours, name), *given, **taken)
            assert cowarray.stats()["copies"] == 0
            expected = outcome(getattr(theirs, name), *args, **named)
            assert expected[1] is None
            agree(result, expected)
            for each, kept in zip(arrays, copies, strict=True):
                assert each.dtype == object or not each.size or cowarray.shares_bytes(each, kept)
            if type(result[0]) is cowarray.ndarray:
                assert result[0].flags.writeable
                assert not any(cowarray.shares_bytes(result[0], each) for each in arrays)
    assert ours.random() == theirs.random()


@pytest.mark.parametrize("name", CALLS)
def test_bad_arguments_get_numpys_errors(name):
    ours, theirs = pair()
    for args in (("text",), (-1,), (None, None, None), (1, 2, 3, 4, 5, 6, 7, 8, 9), (np.nan, "x"), ([[1], [2, 3]],)):
        agree(outcome(getattr(ours, name), *args), outcome(getattr(theirs, name), *args))


def test_an_element_that_is_an_array_stays_what_it_is():
    kept = np.arange(3.0)
    objects = np.empty(1, object)
    objects[0] = kept
    assert default_rng(1).choice(cowarray.array(objects)) is kept
    assert default_rng(1).choice(objects) is kept
    assert kept.flags.writeable


def test_results_cost_no_copy():
    rng = default_rng(1)
    cowarray.reset_stats()
    x = rng.normal(size=1000)
    x += 1
    assert cowarray.stats()["bytes_copied"] == cowarray.stats()["copies"] == 0


# ---- out -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_OUT)
@pytest.mark.parametrize("ownership", OWNERSHIPS)
def test_out_is_written_and_returned(name, ownership):
    args = (2.0,) if name == "standard_gamma" else ()
    for layout in LAYOUTS:
        held = subject(layout, ownership)
        ours, theirs = pair()
        result = outcome(getattr(ours, name), *args, out=held.x)
        expected = outcome(getattr(theirs, name), *args, out=held.n)
        agree(result, expected)
        assert result[1] is not None or result[0] is held.x
        held.check()
        assert not held.x.storage.is_cow or result[1] is not None  # and it is not pinned any more:
        if result[1] is None and held.x.size > 1 and layout == "contiguous":
            assert cowarray.shares_bytes(held.x, held.x.copy())


@pytest.mark.parametrize("name", WITH_OUT)
def test_a_bad_out_gets_numpys_error(name):
    args = (2.0,) if name == "standard_gamma" else ()
    for make in (lambda: np.zeros(3, int), lambda: np.zeros(3, "f4"), lambda: np.zeros(3, ">f8")):
        ours, theirs = pair()
        agree(outcome(getattr(ours, name), *args, out=own(make())), outcome(getattr(theirs, name), *args, out=make()))
    x = cowarray.array([1.0, 2.0])
    x.setflags(write=False)
    with pytest.raises(ValueError, match=r"output array must be C?-?contiguous, writable"):
        getattr(default_rng(1), name)(*args, out=x)
    for out in ("text", [1.0], object(), b"\xff" * 64):  # NumPy takes the last for an array with all flags, and crashes
        with pytest.raises(TypeError, match=f"out must be an array, not {type(out).__name__!r}"):
            getattr(default_rng(1), name)(*args, out=out)
    n = np.zeros(3)
    assert getattr(default_rng(1), name)(*args, out=n) is n
    n[0] = 1  # still the caller's


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_permuted_writes_out(axis):
    for ownership in OWNERSHIPS:
        for out_of in (lambda x: x, lambda x: x[...], lambda x: x[::-1], lambda x: x.T):
            held = subject("contiguous", ownership)
            ours, theirs = pair()
            out, expected = out_of(held.x), out_of(held.n)
            assert ours.permuted(held.x, axis=axis, out=out) is out
            theirs.permuted(held.n, axis=axis, out=expected)
            held.check()
    n = np.zeros((4, 3))
    assert ours.permuted(cowarray.array(X), axis=axis, out=n) is n
    same(cowarray.array(n), theirs.permuted(X, axis=axis))
    for bad in (cowarray.array([1.0]), [1.0], cowarray.array(X, dtype="f4")):
        agree(outcome(ours.permuted, X, out=bad), outcome(theirs.permuted, X, out=native(bad)))


# ---- shuffle ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ownership", OWNERSHIPS)
@pytest.mark.parametrize("dtype", [float, "i2", object, "c16", "U3"])
def test_shuffle_moves_what_views_see_and_no_copy(ownership, dtype):
    for layout in LAYOUTS:
        if ownership == "imported" and dtype is object:
            continue
        for axis in (0, 1):
            held = subject(layout, ownership, dtype)
            ours, theirs = pair()
            agree(outcome(ours.shuffle, held.x, axis), outcome(theirs.shuffle, held.n, axis))
            held.check()
            assert ours.random() == theirs.random()


def test_shuffle_copies_once_where_shared_and_nothing_else():
    x = cowarray.array(np.arange(1000.0))
    cowarray.reset_stats()
    default_rng(1).shuffle(x)
    assert cowarray.stats()["bytes_copied"] == 0
    witness = Witness(x)
    cowarray.reset_stats()
    default_rng(1).shuffle(x)
    assert cowarray.stats()["bytes_copied"] == x.nbytes
    witness.check()


def test_shuffle_of_lists_and_of_numpys_arrays():
    for make in (lambda: [1, 2, 3, 4], lambda: np.arange(4)):
        ours, theirs = pair()
        one, other = make(), make()
        assert ours.shuffle(one) is None
        theirs.shuffle(other)
        assert list(one) == list(other)
    for bad in ("text", (1, 2), 5, None):
        agree(outcome(default_rng(1).shuffle, bad), outcome(np.random.default_rng(1).shuffle, bad))
    locked = cowarray.array([1, 2])
    locked.setflags(write=False)
    assert outcome(default_rng(1).shuffle, locked)[1] is ValueError


# ---- generators ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seed", [0, 2**70, [1, 2, 3], np.array([1, 2], "u4"), (7,), np.random.SeedSequence(3)], ids=str
)
def test_seeds_give_numpys_streams(seed):
    same(default_rng(own(seed)).random(5), np.random.default_rng(seed).random(5))
    agree(outcome(default_rng, "text"), outcome(np.random.default_rng, "text"))
    assert default_rng().random() != default_rng().random()


def test_generators_and_bit_generators_are_taken_as_they_are():
    theirs = np.random.default_rng(3)
    expected = np.random.default_rng(3).random(2)
    ours = default_rng(theirs)
    assert ours.bit_generator is theirs.bit_generator
    assert [ours.random(), theirs.random()] == list(expected)
    assert default_rng(ours) is ours
    assert np.random.default_rng(ours) is ours  # which is one of NumPy's
    for make in (cowarray.random.PCG64, cowarray.random.MT19937, cowarray.random.Philox, cowarray.random.SFC64,
                 cowarray.random.PCG64DXSM):  # fmt: skip
        same(Generator(make(4)).random(3), np.random.Generator(make(4)).random(3))
    assert str(ours) == "Generator(PCG64)"


def test_spawned_generators_are_ours_with_numpys_streams():
    ours, theirs = pair()
    for one, other in zip(ours.spawn(3), theirs.spawn(3), strict=True):
        assert type(one) is Generator
        same(one.normal(size=3), other.normal(size=3))


def test_copies_and_pickles_go_on_by_themselves():
    ours, theirs = pair()
    for again in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert type(again) is Generator
        same(again.random(3), np.random.default_rng(5).random(3))
    assert ours.random() == theirs.random()


def test_all_that_is_numpys_own():
    for name in cowarray.random.__all__:
        if name not in ("Generator", "default_rng"):
            assert getattr(cowarray.random, name) is getattr(np.random, name)


@pytest.mark.threads
def test_threads_share_a_generator_and_fill_parts_of_one_array():
    rng = default_rng(1)
    x = cowarray.array(np.zeros((8, 1000)))
    witness = Witness(x)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda row: rng.random(out=row), [x[i] for i in range(8)]))
    values = np.sort(np.asarray(x), axis=None)
    assert np.array_equal(values, np.sort(np.random.default_rng(1).random(8000)))
    witness.check()


def test_numpys_generators_refuse_an_out_that_they_take_for_an_array_of_theirs():
    """They look at the flags of any object, where an array of ours has a number that is none: see `Array.nd`."""
    run(
        """
        kinds = [(), (0,), (3,), *((n,) for n in range(0x501, 0x2000, 0x200)), (0x502,), (2,) * 6, (1,) * 64]
        for shape in kinds * 3:
            x = ca.zeros(shape)
            for name in "random", "standard_normal", "standard_exponential":
                try:
                    getattr(np.random.default_rng(7), name)(out=x)
                except ValueError as error:
                    assert "must be contiguous, writable" in str(error)
                else:
                    raise AssertionError(shape)
            assert not x.any()
        """,
        MALLOC_PERTURB_="165",
    )
