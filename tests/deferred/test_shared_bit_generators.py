"""Draws from a bit generator that more than one can reach come in the order of the program."""

import copy

import numpy as np
import pytest

import cowarray as cw
from cowarray import deferred, is_deferred

PCG64 = np.random.PCG64


def two_of_ours(bits):
    return cw.random.Generator(bits), cw.random.Generator(bits)


def ours_and_numpys(bits):
    return cw.random.Generator(bits), np.random.Generator(bits)


def numpys_and_ours(bits):
    return tuple(reversed(ours_and_numpys(bits)))


def one_and_its_copy(bits):
    rng = cw.random.Generator(bits)
    return rng, copy.copy(rng)


@pytest.mark.parametrize("pair", [two_of_ours, ours_and_numpys, numpys_and_ours, one_and_its_copy])
@pytest.mark.parametrize("where", ["inside", "outside"])
@pytest.mark.parametrize("asked", ["first", "second"])
def test_two_generators_draw_in_order(pair, where, asked):
    one, other = pair(PCG64(5))
    with deferred():
        x = one.normal(size=3)
        y = other.normal(size=3) if where == "inside" else None
    y = other.normal(size=3) if y is None else y
    z = one.normal(size=3)
    expected = np.random.Generator(PCG64(5)).normal(size=(3, 3)).tolist()
    found = {}
    for name in ("x", "y", "z") if asked == "first" else ("z", "y", "x"):
        found[name] = {"x": x, "y": y, "z": z}[name].tolist()
    assert [found["x"], found["y"], found["z"]] == expected


def test_a_bit_generator_used_by_hand_is_followed():
    bits, other = PCG64(5), PCG64(5)
    rng, expected = cw.random.Generator(bits), np.random.Generator(other)
    with deferred():
        x = rng.normal(size=3)
    assert bits.random_raw() == [expected.normal(size=3), other.random_raw()][1]
    assert rng.normal() == expected.normal()
    assert x.tolist() == np.random.Generator(PCG64(5)).normal(size=3).tolist()


def test_whoever_takes_the_bit_generator_later_has_the_draws_made():
    rng, expected = cw.random.default_rng(5), np.random.default_rng(5)
    with deferred():
        rng.normal(size=3)
        bits = rng.bit_generator
        y = rng.normal(size=3)
        assert not is_deferred(y)
        del bits
        assert is_deferred(rng.normal(size=3))
    assert y.tolist() == expected.normal(size=6).tolist()[3:]


@pytest.mark.parametrize("make", [cw.random.default_rng, lambda seed: cw.random.Generator(PCG64(seed))])
def test_what_nobody_else_holds_is_recorded(make):
    rng = make(5)
    with deferred():
        assert is_deferred(rng.normal(size=3))
        assert is_deferred(rng.normal(size=3))
        assert is_deferred(rng.spawn(1)[0].normal(size=3))


def test_two_threads_that_record_the_first_draw_at_once_record_one_after_the_other():
    from cowarray._modes.deferred.recording import note_draw
    from cowarray._modes.record.draws import Waiting, draw_of
    from cowarray._modes.record.nodes import Node
    from cowarray._ops.creation import bearing

    rng = cw.random.default_rng(5)
    first, second = [draw_of(bearing(rng._numpys.normal)) for _ in range(2)]
    nodes = [Node("normal", draw.replay, [], {}, ("", 0)) for draw in (first, second)]
    for draw, node in zip((first, second), nodes, strict=True):
        note_draw(node, Waiting(draw.state))
    (made,) = nodes[0].writes.values()
    assert nodes[1].reads == [made()]


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential", "standard_gamma"])
@pytest.mark.parametrize("size", [None, (), 3])
def test_single_precision_without_a_size_is_a_float(name, size):
    rng, expected = cw.random.default_rng(5), np.random.default_rng(5)
    args = (2.0,) if name == "standard_gamma" else ()
    with deferred():
        x = getattr(rng, name)(*args, size=size, dtype="f4")
    wanted = getattr(expected, name)(*args, size=size, dtype="f4")
    assert is_deferred(x)
    assert x.dtype == np.asarray(wanted).dtype
    assert x.tolist() == np.asarray(wanted).tolist()
    assert rng.normal() == expected.normal()


@pytest.mark.parametrize("asked", ["array", "generator"])
def test_after_a_draw_that_cannot_be_made_others_can(asked, monkeypatch):
    rng, expected = cw.random.default_rng(5), np.random.default_rng(5)
    with deferred():
        before = rng.normal(size=3)
        with monkeypatch.context() as wrong:
            wrong.setattr("cowarray._modes.fake.rules.draws._dtype", lambda *args: np.dtype("f4"))
            x = rng.normal(size=3)
        after = rng.normal(size=3)
    for _ in range(2 if asked == "array" else 1):
        with pytest.raises(RuntimeError, match="an error of cowarray"):
            x.tolist() if asked == "array" else rng.normal()
    assert before.tolist() == expected.normal(size=3).tolist()
    assert after.tolist() == expected.normal(size=3).tolist()
    assert rng.normal() == expected.normal()
    with pytest.raises(RuntimeError, match="an error of cowarray"):
        x.tolist()
    assert rng.normal() == expected.normal()
