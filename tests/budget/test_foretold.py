"""What operations give is remembered by what they are given, and by all of it that matters.

Each pair has two calls that differ in one thing. Whichever comes first, within a budget each gives what NumPy gives,
and is known beforehand to take the bytes that it takes: results of fewer bytes than `small` cannot be evicted.
"""

import itertools

import numpy as np
import pytest

import cowarray

PAIRS = [
    ("x + y", "x[0] + y[0]"),
    ("x + y", "x[:, 0] + y[:, 0]"),
    ("x + y", "x.astype('f4') + y.astype('f4')"),
    ("x + y", "x > y"),
    ("x + y", "y + 1"),
    ("x.astype('f4') + 1", "x.astype('f4') + np.float64(1)"),
    ("x.astype('f4') + 1.0", "x.astype('f4') + 1j"),
    ("x.astype('i1') + True", "x.astype('i1') + 1.0"),
    ("x.astype('i1') * 2", "x.astype('i1') * np.int64(2)"),
    ("x.sum(axis=0)", "x.sum(axis=1)"),
    ("x.sum(axis=0)", "x.sum(axis=(0,), dtype='f4')"),
    ("x.sum(0, 'f4')", "x.sum(0, 'f8')"),
    ("x.cumsum(0)", "x.sum(0)"),
    ("np.add.reduce(x, 0)", "np.add.accumulate(x, 0)"),
    ("np.add.reduce(x, 0)", "np.add.reduce(x, 1)"),
    ("np.add.outer(x, y)", "np.add(x, y)"),
    ("np.add(x, y)", "np.add(x, y, dtype='f4', casting='unsafe')"),
    ("np.divmod(x, 2.0)", "np.divmod(x, y + 1)"),
    ("x @ y.T", "x.T @ y"),
    ("np.concatenate([x, y])", "np.concatenate([x, y, x])"),
    ("np.concatenate([x, x])", "np.concatenate([x, x[:1]])"),
    ("np.stack([x, y], axis=1)", "np.stack([x[0], y[0]], axis=1)"),
    ("np.repeat(x, 2)", "np.repeat(x, 3)"),
    ("np.full_like(x, 1)", "np.full_like(x, 1, dtype='i2')"),
    ("np.full_like(x, 1, shape=5)", "np.full_like(x, 1, shape=6)"),
    ("np.full_like(x, 1, shape=(2, 3))", "np.full_like(x, 1, shape=(2, 4))"),
]


def given(make):
    return {"np": np, "x": make(np.arange(12.0).reshape(3, 4)), "y": make(np.arange(12.0)[::-1].reshape(3, 4))}


def parts(result):
    return list(result) if isinstance(result, tuple) else [result]


def is_evictable(x):
    try:
        cowarray.evict(x)
    except BufferError:
        return False
    return True


@pytest.mark.parametrize("pair", PAIRS, ids=" | ".join)
def test_calls_that_differ_in_one_thing_are_told_apart(pair):
    for texts in itertools.permutations(pair):
        for text in texts * 2:
            expected = parts(eval(text, given(np.array)))
            nbytes = sum(each.nbytes for each in expected)
            for small, leaves in ((nbytes, True), (nbytes + 1, False)):
                with cowarray.budget("1 GiB", small=small):
                    found = parts(eval(text, given(cowarray.array)))
                    for one, other in zip(expected, found, strict=True):
                        assert (one.dtype, one.shape, one.strides) == (other.dtype, other.shape, other.strides)
                        assert is_evictable(other) is leaves
                        assert one.tobytes() == other.tobytes()


def test_what_is_remembered_is_counted_each_time():
    with cowarray.budget("1 GiB", small=0) as run:
        x = cowarray.zeros(1000) + 0
        kept = [x + x]
        first = run.live_bytes
        for i in range(1, 20):
            kept.append(x + x)
            assert run.live_bytes == first + 8000 * i


@pytest.mark.parametrize("views", list(itertools.product([True, False], repeat=3)))
def test_a_write_through_a_view_reaches_the_whole_and_a_write_to_a_copy_does_not(views):
    expected = np.arange(24.0)
    with cowarray.budget("1 GiB", small=0):
        found = cowarray.array(expected) + 0
        for is_view in views:
            mine, numpys = (x if is_view else x.copy() for x in (found, expected))
            np.add(found[:12], 1, out=mine[12:])
            np.add(expected[:12], 1, out=numpys[12:])
            for one, other in ((found, expected), (mine, numpys)):
                cowarray.evict(one)
                assert one.tobytes() == other.tobytes()
