"""Indices of integers, slices, None and an ellipsis: views and assignments are NumPy's, also where parts overlap."""

import warnings

import numpy as np
import pytest
from support.seeds import chosen_seed

import cowarray as ca

DTYPES = ["f8", "f4", "c16", "i8", "u1", "?", ">i4", "f2", "M8[s]", "S3"]


def random_key(rng, shape):
    key, axis = [], 0
    ellipsis = False
    while axis < len(shape) or rng.random() < 0.3:
        kind = rng.integers(6)
        if kind == 0:
            key.append(None)
        elif kind == 1 and not ellipsis:
            key.append(Ellipsis)
            ellipsis = True
            axis += int(rng.integers(0, len(shape) - axis + 1)) if axis < len(shape) else 0
        elif kind == 2 or axis >= len(shape):
            if rng.random() < 0.5:
                break
            key.append(int(rng.integers(-5, 5)))
            axis += 1
        else:
            bounds = [None if rng.random() < 0.4 else int(rng.integers(-6, 7)) for _ in range(2)]
            key.append(slice(*bounds, None if rng.random() < 0.5 else int(rng.choice([-3, -2, -1, 1, 2, 0]))))
            axis += 1
    return key[0] if len(key) == 1 and rng.random() < 0.5 else tuple(key)


def outcome(function):
    try:
        return function()
    except (IndexError, ValueError, TypeError, OverflowError) as error:
        return type(error)


def source(rng, dtype):
    shape = tuple(int(n) for n in rng.integers(0, 5, size=rng.integers(1, 4)))
    n = rng.integers(0, 100, size=shape).astype("i8").astype(dtype)
    return np.asarray(n, order=rng.choice(["C", "F"]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_keys_pick_what_they_pick_in_numpy(dtype):
    rng = np.random.default_rng(chosen_seed())
    views = 0
    for _ in range(600):
        n = source(rng, dtype)
        x = ca.array(n, order="K")
        key = random_key(rng, n.shape)
        expected = outcome(lambda n=n, key=key: n[key])
        found = outcome(lambda x=x, key=key: x[key])
        if isinstance(expected, type):
            assert found is expected, key
            continue
        assert type(found) is (ca.ndarray if isinstance(expected, np.ndarray) else type(expected)), key
        assert np.array_equal(np.asarray(found), expected), key
        if isinstance(expected, np.ndarray):
            views += 1
            assert found.shape == expected.shape, key
            assert found.strides == expected.strides or not n.size, key
            assert found.storage is x.storage
    assert views > 200


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_assignments_write_what_they_write_in_numpy(dtype):
    rng = np.random.default_rng(chosen_seed())
    written = 0
    for _ in range(800):
        n = source(rng, dtype)
        x = ca.array(n, order="K")
        view = x[...]
        kept = x.copy() if rng.random() < 0.3 else None
        before = n.copy()
        key = random_key(rng, n.shape)
        kind = rng.integers(5)
        if kind == 0:
            value = theirs = rng.choice([2, 3.5, True, 300, -1, float("nan")]).item()
        elif kind == 1:  # a part of the array itself, which may overlap
            other = random_key(rng, n.shape)
            theirs, value = outcome(lambda n=n, other=other: n[other]), outcome(lambda x=x, other=other: x[other])
            if isinstance(theirs, type):
                continue
        else:
            part = outcome(lambda n=n, key=key: n[key])
            shape = part.shape if isinstance(part, np.ndarray) and rng.random() < 0.8 else (2,)
            if rng.random() < 0.3:
                shape = tuple(1 if rng.random() < 0.5 else length for length in shape)[int(rng.integers(0, 2)) :]
            theirs = rng.integers(0, 9, size=shape).astype(dtype if kind != 2 else "i8")
            value = ca.array(theirs)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = outcome(lambda n=n, key=key, theirs=theirs: n.__setitem__(key, theirs))
            found = outcome(lambda x=x, key=key, value=value: x.__setitem__(key, value))
        assert found is expected, (key, theirs)
        assert np.array_equal(np.asarray(x), n, equal_nan=dtype in ("f8", "f4", "c16", "f2")), (key, theirs)
        assert np.array_equal(np.asarray(view), np.asarray(x), equal_nan=dtype in ("f8", "f4", "c16", "f2"))
        if kept is not None:
            assert np.array_equal(np.asarray(kept), before)
        written += expected is None
    assert written > 250


def test_the_last_step_of_an_in_place_operator_writes_nothing():
    n = np.arange(12.0).reshape(3, 4)
    x = ca.array(n)
    part = x[1, :2]
    with ca.no_copy():
        x[1, :2] = part
        x[1, :2] += 1
    n[1, :2] += 1
    assert np.array_equal(np.asarray(x), n)
    x.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        x[1, :2] = x[1, :2]


def test_a_shared_array_gets_bytes_of_its_own_first():
    x = ca.array(np.zeros((4, 4)))
    y = x.copy()
    x[1, :] = ca.array(np.ones(4))
    x[2, ...] = 5.0
    x[None, 3] = y[0]
    assert not y.any()
    assert x.sum() == 24
