"""What `deferred` promises: exact bytes in any order, in place, once; and what ends a recipe.

It is one file because it is a table of cases, and a test over each. Each can be read alone.
"""

import gc
import math
import os
import pickle
import weakref

import numpy as np
import pytest
from support.seeds import all_or
from support.threads import together

import cowarray as cw
from cowarray import deferred, is_deferred, materialize


def bits(x):
    array = np.asarray(x)
    return array.shape, array.dtype, array.tobytes()


def is_made(x):
    return not is_deferred(x)


VIEWS = {
    "diagonal": lambda x, k: x.diagonal(k),
    "swapaxes": lambda x, k: x.swapaxes(0, k),
    "np.swapaxes": lambda x, k: np.swapaxes(x, k, 0),
    "diagonal of T": lambda x, k: x.T.diagonal(offset=k),
    "getfield": lambda x, k: x.getfield("u1", k),
    "unravel_index": lambda x, k: np.unravel_index(k + 4, (2, 3))[1],
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("is_inside", [False, True])
def test_where_a_view_begins_is_read(view, is_inside):
    numbers = np.arange(16.0).reshape(4, 4)
    with deferred():
        offset = cw.ones((), int) + 0
        if is_inside:
            result = view(cw.array(numbers), offset)
    if not is_inside:
        result = view(cw.array(numbers), offset)
    assert np.array_equal(result, view(numbers, np.array(1)))
    with cw.budget("1 MiB", small=0):
        offset = cw.ones((), int).reshape(1) + 0
        offset = offset.reshape(())
        cw.evict(offset)
        assert np.array_equal(view(cw.array(numbers), offset), view(numbers, np.array(1)))


# ---- the cases of others, and where they fail


def test_a_real_array_is_itself():
    a = cw.ones(5)
    assert materialize(a) is a
    assert is_made(a)


def test_all_references_see_the_bytes():
    with deferred():
        p = cw.ones(5)
        q = p
    storage = p.storage
    assert is_deferred(p)
    assert materialize(q) is q
    assert is_made(p)
    assert p.storage is storage
    assert p.tolist() == [1] * 5


def test_an_array_is_made_from_another():
    with deferred():
        b1 = cw.ones(3)
        b2 = cw.zeros_like(b1) + b1
    assert b2.tolist() == [1, 1, 1]
    assert is_made(b1)  # it had to be made, and is made once


@pytest.mark.parametrize("asked", ["a", "b"])
@pytest.mark.parametrize("dropped", [False, True])
def test_writes_through_views_are_seen_whoever_is_asked(asked, dropped):
    with deferred():
        names = {"a": cw.ones((2, 2))}
        names["b"] = names["a"].view()
        names["a"] += 2
        names["b"][0] *= 5
    assert cw.aliases(names["a"], names["b"])
    if dropped:
        del names["b" if asked == "a" else "a"]
    assert materialize(names[asked]).tolist() == [[15, 15], [3, 3]]
    if not dropped:
        assert bits(names["a"]) == bits(names["b"])
        assert cw.aliases(names["a"], names["b"])


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_copy_has_what_was_there_when_it_was_made(order):
    with deferred():
        made = {"a": cw.ones((2, 2))}
        made["b"] = made["a"].reshape(-1)
        made["a"] += 2
    found = {name: made[name].tolist() for name in order}
    assert found == {"a": [[3, 3], [3, 3]], "b": [1, 1, 1, 1]}


@pytest.mark.parametrize("order", ["cad", "dca", "adc", "dac"])
def test_readers_of_an_older_version_get_it(order):
    with deferred():
        made = {"a": cw.zeros(4)}
        made["c"] = made["a"][:2] * 1
        made["a"][:2] = 7
        made["d"] = made["a"].sum()
    found = {name: made[name].tolist() for name in order}
    assert found == {"a": [7, 7, 0, 0], "c": [0, 0], "d": 14}


@pytest.mark.parametrize("kind", ["ours", "numpy", "list"])
def test_inputs_from_outside_may_change_later(kind):
    x = {"ours": cw.array, "numpy": np.array, "list": list}[kind]([1.0, 2.0])
    with deferred():
        y = cw.multiply(x, 2)
    x[0] = 9
    assert y.tolist() == [2, 4]


def test_a_pinned_input_is_copied_at_once():
    x = cw.arange(4.0)
    writer = x.to_numpy(writable=True)
    with deferred():
        y = x + 1
    writer[:] = 9
    assert y.tolist() == [1, 2, 3, 4]


def test_a_part_that_cannot_be_held_as_it_lies_is_read_at_once():
    x = cw.arange(1000.0)
    with deferred():
        y = x[::100] * 2
    x[...] = 0
    assert y.tolist() == (np.arange(1000.0)[::100] * 2).tolist()


def draws(rng):
    return rng.normal(size=3), rng.integers(9, size=4), rng.standard_exponential(5), rng.permutation(4)


@pytest.mark.parametrize("first", range(4))
def test_draws_are_those_of_eager_execution(first):
    eager = np.random.default_rng(7)
    expected = draws(eager)
    rng = cw.random.default_rng(7)
    with deferred():
        found = draws(rng)
    assert is_deferred(found[0])
    materialize(found[first])
    for each, other in zip(found, expected, strict=True):
        assert bits(each) == bits(other)
    assert rng.normal() == eager.normal()


@pytest.mark.parametrize(
    "look",
    [
        lambda rng: rng.normal(),
        lambda rng: rng.bit_generator.state["state"]["state"],
        lambda rng: pickle.loads(pickle.dumps(rng)).normal(),
        lambda rng: rng.spawn(1)[0].normal(),
        lambda rng: rng.choice(7),
        lambda rng: rng.bytes(5),
    ],
)
def test_whoever_looks_at_a_generator_has_its_draws_made(look):
    eager = np.random.default_rng(3)
    eager.normal(size=5)
    rng = cw.random.default_rng(3)
    with deferred():
        rng.normal(size=5)  # nobody keeps it; the generator has drawn it all the same
    assert look(rng) == look(eager)


def test_draws_of_the_hidden_state_are_made_at_once():
    np.random.seed(5)  # noqa: NPY002
    with deferred():
        x = cw.random.normal(size=3)
        assert is_made(x)
    np.random.seed(5)  # noqa: NPY002
    assert bits(x) == bits(np.random.normal(size=3))  # noqa: NPY002


def test_what_needs_a_value_gets_it():
    with deferred():
        n = int(cw.arange(4).sum())
        z = cw.zeros(n)
        x = cw.arange(5)
        picked = x[x > 2]
    assert z.shape == (6,)
    assert picked.tolist() == [3, 4]


def test_strict_refuses_what_needs_a_value():
    with deferred(strict=True):
        x = cw.arange(5)
        y = x + 1
        for ask in (lambda: bool(x[0]), lambda: x[x > 2], lambda: np.asarray(x), lambda: x.tolist()):
            with pytest.raises(cw.FakeError, match=r"strict, .*test_deferred\.py.* has no bytes; .*materialize"):
                ask()
    assert materialize(y).tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("strict", [False, True])
def test_the_method_makes_the_bytes_too(strict):
    with deferred(strict=strict):
        x = cw.arange(3) + 1
    assert x.materialize() is x
    assert is_made(x)
    assert x.tolist() == [1, 2, 3]


def test_a_fake_is_not_recorded():
    with cw.fake():
        f = cw.ones(3)
    with deferred(), pytest.raises(cw.FakeError, match="not recorded"):
        f + 1


def test_eight_threads_ask_at_once():
    with deferred():
        x = cw.arange(1000.0)
        for _ in range(20):
            x = x * 1.5 + 1
        parts = [x + i for i in range(8)]
    expected = np.arange(1000.0)
    for _ in range(20):
        expected = expected * 1.5 + 1
    found = together(*[lambda part=part: bits(part) for part in parts])
    assert found == [bits(expected + i) for i in range(8)]


LONG = all_or(100_000, 40_000)


def test_a_long_chain_of_writes_is_made_and_freed():
    with deferred():
        a = cw.zeros(3)
        for _ in range(LONG):
            a += 1
    assert a.tolist() == [LONG] * 3


def test_a_long_chain_of_results_is_forgotten():
    with deferred():
        a = cw.zeros(3)
        for _ in range(LONG):
            a = a + 1
    del a


def test_what_cannot_be_allocated_stays_deferred_and_can_be_tried_again():
    with deferred():
        big = cw.zeros(1 << 44)
        small = big[:3] + 1
    assert big.shape == (1 << 44,)
    for _ in range(2):
        with pytest.raises(MemoryError) as caught:
            materialize(small)
        assert any("test_deferred.py" in note for note in caught.value.__notes__)
        assert is_deferred(big)
        assert is_deferred(small)


def test_an_error_changes_nothing_and_the_generator_goes_back():
    rng = cw.random.default_rng(1)
    with deferred(), np.errstate(divide="raise"):
        a = rng.normal(size=3)
        a[0] = 0
        a *= 2
        b = 1 / a
    for _ in range(2):
        with pytest.raises(FloatingPointError):
            materialize(b)
        assert is_deferred(b)
    expected = np.random.default_rng(1).normal(size=3)
    expected[0] = 0
    assert bits(a) == bits(expected * 2)
    assert rng.normal() == np.random.default_rng(1).normal(size=4)[3]


def test_the_way_errors_are_handled_is_that_of_the_recording():
    with deferred(), np.errstate(divide="ignore", invalid="ignore"):
        x = cw.zeros(2) / 0
    with np.errstate(all="raise"):
        assert np.isnan(x.tolist()).all()


# ---- what ends a recipe, and what does not


def test_what_is_made_is_an_array_as_any():
    with deferred():
        a = cw.ones(4)
        b = a * 2
    materialize(a)
    a[0] = 5
    assert is_made(a)
    assert is_deferred(b)
    assert b.tolist() == [2, 2, 2, 2]
    a += 1
    assert a.tolist() == [6, 2, 2, 2]


@pytest.mark.parametrize(
    "write",
    [
        lambda a: a.to_numpy(writable=True).__setitem__(0, 5),
        lambda a: memoryview(a).release() or a.__setitem__(0, 5),
        lambda a: np.from_dlpack(a).__setitem__(0, 5),
        lambda a: a.ctypes.data and a.__setitem__(0, 5),
        lambda a: cw.random.default_rng(0).random(out=a) is None or a.fill(0) or a.__setitem__(0, 5),
        lambda a: a.__setitem__(0, 5),
    ],
)
def test_a_write_from_outside_is_not_seen_by_earlier_readers(write):
    with deferred():
        a = cw.zeros(3)
        before = a + 1
    write(a)
    assert a.tolist() == [5, 0, 0]
    assert before.tolist() == [1, 1, 1]


def test_recording_goes_on_after_the_block():
    with deferred():
        a = cw.ones(3)
    b = a + 1
    a += 5
    assert is_deferred(a)
    assert is_deferred(b)
    assert b.tolist() == [2, 2, 2]
    assert a.tolist() == [6, 6, 6]


def test_a_deferred_value_in_a_real_array_is_computed():
    real = cw.zeros(3)
    with deferred():
        a = cw.ones(3)
    real[...] = a
    assert real.tolist() == [1, 1, 1]


def test_a_small_result_of_real_arrays_stays_real():
    with deferred():
        value = cw.ones(3)
        for make in (lambda: cw.asarray([0.0, 0, 0]), lambda: np.median(cw.arange(12.0).reshape(4, 3), axis=0)):
            small = make()
            small[...] = value
            assert not cw.is_fake(small)
            assert small.tolist() == [1, 1, 1]


def test_setters_act_on_the_array_alone():
    with deferred():
        a = cw.arange(6)
        v = a[1:]
    a.shape = (2, 3)
    assert is_deferred(a)
    assert a.shape == (2, 3)
    assert v.shape == (5,)
    v.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        v[0] = 1
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert cw.aliases(a, v)


def test_what_numpy_gives_as_a_scalar_is_never_changed():
    with deferred():
        a = cw.arange(4.0)
        s = a.sum()
        t = s
        s += 1
        u = s
        u **= 2
    assert (t.tolist(), s.tolist(), u.tolist()) == (6, 7, 49)
    t += 1
    assert t == 7


def test_a_scalars_conversions_are_those_of_the_value():
    conversions = [int, float, complex, bool, math.floor, "{:.2f}".format, str, lambda x: x.item(), lambda x: x == 6]
    conversions += [round, lambda x: round(x, 1)]
    for convert in conversions:
        with deferred():
            x = cw.arange(4.0).sum()
            assert is_deferred(x)
            assert convert(x) == convert(np.float64(6))
    with deferred():
        n = cw.arange(4).sum()
        assert list(range(9))[n] == 6
        with pytest.raises(TypeError):
            hash(n)
        with pytest.raises(TypeError, match="without axes"):
            round(cw.arange(4.0))
        assert n.item() in {6}


def test_zero_axes_that_numpy_keeps_are_changed_in_place():
    with deferred():
        a = cw.zeros(())
        b = a
        a += 1
    assert b is a
    assert b.tolist() == 1


def test_objects_and_text_of_any_length_are_not_recorded():
    with deferred():
        assert is_made(cw.array([None, 1]))
        assert is_made(cw.zeros(2, "O"))


def test_small_results_are_computed_at_once_where_asked():
    with deferred(at_least=100):
        assert is_made(cw.zeros(3))
        big = cw.zeros(100)
        assert is_deferred(big)
        assert is_deferred(big.sum())


def test_functions_of_the_user_run_at_once():
    seen = []
    with deferred():
        x = cw.arange(3)
        y = cw.apply_along_axis(lambda row: seen.append(1) or row * 2, 0, x)
    assert seen
    assert y.tolist() == [0, 2, 4]


def test_the_collector_finds_nothing_to_do():
    gc.collect()
    gc.disable()
    try:
        held = cw.arange(1000.0)
        with deferred():
            a = held + 1
            b = a * 2
            a += b
            c = a.reshape(10, -1)
        del a, b, c
        reference = weakref.ref(held.storage)
        assert held.storage.share_count == 1  # the nodes have let go of their lazy copies
        assert reference() is not None
    finally:
        gc.enable()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_makes_its_own():
    with deferred():
        a = cw.arange(5) + 1
    child = os.fork()
    if child == 0:
        os._exit(0 if a.tolist() == [1, 2, 3, 4, 5] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert a.tolist() == [1, 2, 3, 4, 5]


# ---- containers


class Slots:
    __slots__ = ("__dict__", "a")


def test_containers_are_looked_into():
    thing = Slots()
    with deferred():
        thing.a = cw.ones(2)
        thing.b = [cw.ones(2), {"c": (cw.zeros(2),)}]
    thing.itself = thing
    assert is_deferred(thing)
    assert materialize(thing, where=lambda x: x.sum() == 0 if False else x is thing.a) is thing
    assert is_made(thing.a)
    assert is_deferred(thing.b)
    assert materialize(thing) is thing
    assert not is_deferred(thing)


def test_deferred_init_calls_a_function():
    made = cw.deferred_init(lambda n, fill: [cw.full(2, fill) for _ in range(n)], 3, fill=4)
    assert is_deferred(made)
    assert materialize(made[1]).tolist() == [4, 4]
    assert is_deferred(made[0])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"strict": 1}, TypeError),
        ({"at_least": -1}, ValueError),
        ({"at_least": 1.5}, ValueError),
    ],
)
def test_bad_options_are_refused(options, error):
    with pytest.raises(error, match="deferred: "):
        deferred(**options)


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match=r"^deferred_init: expected a function \(got int\)$"):
        cw.deferred_init(5)


def test_a_repr_makes_nothing():
    with deferred():
        x = cw.ones((2, 3), "int8")
    assert repr(x) == "array(..., shape=(2, 3), dtype=int8, deferred)"
    assert is_deferred(x)
    assert str(x) == "[[1 1 1]\n [1 1 1]]"


def test_explain_says_that_bytes_are_not_there():
    with deferred():
        x = cw.ones(3)
    assert "deferred" in str(cw.explain(x))
    assert is_deferred(x)
    materialize(x)
    assert "deferred" not in str(cw.explain(x))
    assert "fake" in str(cw.explain(cw.fake_like(x)))


def test_results_that_are_one_array_are_made_as_two():
    """NumPy returns the edges that both axes have twice."""
    x = cw.array([0.0, 3.0])
    with cw.deferred():
        _, first, second = cw.histogram2d(x, x, [0, 1, 2])
    assert first.tolist() == second.tolist() == [0, 1, 2]
    second[0] = 1
    assert second.tolist() == [1, 1, 2]
