"""Real arrays inside blocks: they are written and viewed as ever, and nothing takes their bytes."""

import functools

import numpy as np
import pytest

import cowarray as cw

BLOCKS = {"deferred": cw.deferred, "fake": cw.fake, "fake(real=4096)": functools.partial(cw.fake, real=4096)}
in_each_block = pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)


def is_real(x):
    return not cw.is_fake(x) and not cw.is_deferred(x)


@in_each_block
@pytest.mark.parametrize("shape", [(3, 3), (200, 200)])
@pytest.mark.parametrize(
    "function",
    [
        np.diag,
        np.atleast_2d,
        np.atleast_3d,
        lambda x: x.reshape(-1, copy=False),
        lambda x: np.reshape(x, -1, copy=False),
        lambda x: np.einsum("ij->ji", x),
        np.unstack,
    ],
)
def test_what_views_takes_no_bytes(block, shape, function):
    x = cw.ones(shape)
    with block():
        function(x)
    assert is_real(x)
    assert float(x.sum()) == x.size


@in_each_block
@pytest.mark.parametrize("size", [4, 30_000])
@pytest.mark.parametrize("name", ["mean", "sum", "var", "std", "prod", "max", "any"])
def test_what_is_written_has_the_result(block, size, name):
    x = cw.ones((4, size))
    out = cw.zeros(size, "?" if name == "any" else "f8")
    expected = getattr(np.ones((4, size)), name)(axis=0)
    with block():
        result = getattr(x, name)(axis=0, out=out)
    assert result is out
    assert is_real(out)
    assert np.array_equal(out, expected)


@in_each_block
@pytest.mark.parametrize("size", [4, 30_000])
def test_functions_that_write_do(block, size):
    x, y = cw.zeros((size, 4)), cw.array([1, np.nan] * size)
    base, matrix, other = cw.full(3, 2.0), cw.ones((2, 2)), cw.ones((2, 2))
    with block():
        np.fill_diagonal(x, 5)
        np.nan_to_num(y, copy=False)
        base **= 3
        matrix @= other
    assert (float(x[1, 1]), float(x[1, 2]), float(y[1])) == (5, 0, 0)
    assert base.tolist() == [8, 8, 8]
    assert matrix.tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize("function", [lambda x: cw.unstack(x)[0], lambda x: cw.einsum("ij->ji", x)[0]])
@pytest.mark.parametrize("shape", [(3, 3), (300, 300)])
def test_views_of_real_arrays_alias_them(function, shape):
    x = cw.ones(shape)
    with cw.deferred():
        view = function(x)
    view[...] = 7
    assert float(x[0, 0]) == 7


# ---- what is asked for inside a block, and errors


def test_what_is_made_inside_a_block_is_made_for_real():
    with cw.deferred():
        s = cw.arange(10).sum()
        n = cw.arange(5).max()
        y = cw.arange(10)[:n]
        z = np.resize(cw.arange(16.0) + 1, (2, 2)).tolist()
    with cw.fake():
        assert float(s) == 45
    assert n.tolist() == 4
    assert y.tolist() == [0, 1, 2, 3]
    assert z == [[1, 2], [3, 4]]


def test_no_copy_is_for_who_asks():
    with cw.deferred():
        x = cw.arange(4.0) + 1
        y = x.copy()
        y += 1
    with cw.no_copy(eager=True):
        assert y.tolist() == [2, 3, 4, 5]


def test_text_is_as_long_as_numpys():
    with cw.deferred():
        x = cw.array(cw.arange(3.0) * 50.25, dtype="S")
    assert x.tolist() == np.array(np.arange(3.0) * 50.25, dtype="S").tolist()


def test_a_draw_that_cannot_be_is_refused_at_its_line():
    rng = cw.random.default_rng(1)
    with cw.deferred():
        for draw in (lambda: rng.normal(0, -1.0, 3), lambda: rng.integers(5, 3)):
            with pytest.raises(ValueError, match=r"scale < 0|low >= high"):
                draw()
    assert rng.normal() == np.random.default_rng(1).normal()


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.__setitem__(0, "a"),
        lambda x: x.__setitem__(slice(None), 1j),
        lambda x: x.__setitem__([9], 1),
        lambda x: x[[9]],
    ],
)
def test_a_literal_that_is_wrong_is_refused_at_its_line(write):
    with cw.deferred():
        x = cw.arange(4.0)
        with pytest.raises((ValueError, TypeError, IndexError)):
            write(x)
    assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("write", [lambda x: np.add.at(x, [9], 1), lambda x: x.flat.__setitem__([9], 1)])
def test_a_write_that_fails_is_told_once(write):
    with cw.deferred():
        x = cw.arange(4.0)
        try:
            write(x)
        except IndexError:
            pass
        else:
            with pytest.raises(IndexError) as caught:
                x.tolist()
            assert any("test_blocks" in note for note in caught.value.__notes__)
        assert x.tolist() == [0, 1, 2, 3]


def test_objects_that_can_be_called_are_looked_into():
    class Layer:
        def __call__(self):
            """Nothing."""

    layer = Layer()
    layer.weights = cw.deferred_init(cw.ones, 3)
    assert cw.is_deferred(layer)
    cw.materialize(layer)
    assert is_real(layer.weights)
