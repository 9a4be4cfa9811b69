"""`changes` tells exactly which elements differ, by their bytes; `merge` puts what versions have changed together."""

import pickle

import numpy as np
import pytest
from support.seeds import chosen_seed

import cowarray as ca

DTYPES = ["?", "u1", "<i2", ">f4", "f8", "c8", "c16", "g", "G", "S3", "U2", "M8[s]", "V5"]
PADDED = np.dtype([("a", "u1"), ("b", "f8"), ("c", "i2", (2,))], align=True)
N = 5 << 20  # numbers: 40 MiB, which go by the page


def unequal(a, b):
    """Which elements differ, one by one."""
    flags = [x.tobytes() != y.tobytes() for x, y in zip(a.reshape(-1), b.reshape(-1), strict=True)]
    return np.array(flags, np.bool_).reshape(a.shape)


def covered(found, shape):
    """How often the boxes cover each element."""
    counts = np.zeros(shape, int)
    for box in found.boxes():
        counts[box] += 1
    return counts


def check(found, wanted, itemsize):
    mask = np.asarray(found.mask())
    assert mask.dtype == np.bool_
    np.testing.assert_array_equal(mask, wanted)
    np.testing.assert_array_equal(covered(found, wanted.shape), wanted)
    assert (found.size, found.nbytes) == (wanted.sum(), wanted.sum() * itemsize)
    assert bool(found) == wanted.any()
    assert f"{wanted.sum()} of {wanted.size} elements" in repr(found)


def any_array(rng, dtype):
    shape = tuple(rng.integers(0, 6, rng.integers(0, 4)))
    x = rng.integers(0, 3, shape).astype("u1").astype(dtype if dtype != "V5" else "S5").astype(dtype)
    axes = rng.permutation(x.ndim)
    return np.ascontiguousarray(x.transpose(axes)).transpose(np.argsort(axes)) if x.ndim else x


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_and_layout(dtype):
    rng = np.random.default_rng(chosen_seed(7))
    for _ in range(60):
        a = any_array(rng, dtype)
        x = ca.array(a)
        y, b = x.copy(), np.array(a)
        if a.size:
            index = tuple(slice(*sorted(rng.integers(0, length + 1, 2))) for length in a.shape)
            value = a.reshape(-1)[rng.integers(a.size)]
            y[index], b[index] = value, value
        step = (slice(None, None, int(rng.choice([-1, 2]))),) * min(a.ndim, int(rng.integers(0, 2)))
        x, y, a, b = x[step], y[step], a[step], b[step]
        wanted = unequal(a, b) if dtype not in ("g", "G") else np.asarray(a != b)
        for one, other in ((x, y), (y, x), (a, y), (x, b), (a, b)):
            check(ca.changes(one, other), wanted, a.dtype.itemsize)


def test_padding_does_not_count():
    raw = np.zeros((4, PADDED.itemsize), np.uint8)
    other = raw.copy()
    other[1, 1:8] = 7  # between a and b
    assert not ca.changes(raw.view(PADDED)[:, 0], other.view(PADDED)[:, 0])
    other[2, PADDED.fields["c"][1]] = 1
    check(ca.changes(raw.view(PADDED)[:, 0], other.view(PADDED)[:, 0]), np.arange(4) == 2, PADDED.itemsize)
    long = np.ones(3, np.longdouble)
    dirty = long.copy()
    if np.finfo(np.longdouble).nmant == 63:
        dirty.view(np.uint8).reshape(3, -1)[:, 12] ^= 0xFF
    assert not ca.changes(long, dirty)


def test_bytes_and_not_values_are_compared():
    assert not ca.changes([np.nan, 1.0], [np.nan, 1.0])
    check(ca.changes([0.0, 1.0], [-0.0, 1.0]), np.array([True, False]), 8)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match=r"one shape \(got \(3,\) and \(4,\)\)"):
        ca.changes(ca.zeros(3), ca.zeros(4))
    with pytest.raises(TypeError, match="one dtype"):
        ca.changes(ca.zeros(3), ca.zeros(3, dtype="f4"))
    with pytest.raises(TypeError, match="references"):
        ca.changes(ca.array([None]), ca.array([None]))
    with ca.fake():
        fake = ca.zeros(3)
    with pytest.raises(ca.FakeError):
        ca.changes(fake, ca.zeros(3))
    with ca.deferred():
        late = ca.ones(3)
    assert ca.changes(late, ca.zeros(3)).size == 3


@pytest.mark.parametrize("mode", ["off", "ledger", "eager"])
def test_large_copies_and_their_views(mode):
    before = ca.paging(mode)
    rng = np.random.default_rng(3)
    x = ca.array(rng.random((1280, N // 1280)))
    a, b, part = x.copy(), x.copy(), x[100:].copy()
    wanted = np.zeros(x.shape, np.bool_)
    for one in (a, b):
        for _ in range(5):
            i, j = (int(rng.integers(length - 40)) for length in x.shape)
            one[i : i + 7, j : j + 30] = rng.random()
            wanted[i : i + 7, j : j + 30] = True
    assert np.array_equal(np.asarray(ca.changes(a, b).mask()), wanted)
    assert np.array_equal(np.asarray(ca.changes(a, b).mask()), np.asarray(a) != np.asarray(b))
    assert not ca.changes(a, a.copy())
    assert ca.changes(a[100:], part).size == (np.asarray(a[100:]) != np.asarray(part)).sum()
    assert ca.changes(a[:, 3], b[:, 3]).size == (np.asarray(a[:, 3]) != np.asarray(b[:, 3])).sum()
    assert ca.changes(a.T, b.T).size == wanted.sum()
    ca.paging(before)


def test_only_what_differs_is_read(monkeypatch):
    x = ca.zeros(N).by_page()
    a, b = x.copy(), x.copy()
    if a.storage.own_nbytes == a.nbytes:
        pytest.skip("the system grants no pages")
    a[N // 2] = 1.0
    b[N // 3] = 2.0
    compared = []
    real = ca._versions.changes.differ
    monkeypatch.setattr(ca._versions.changes, "differ", lambda x, y: compared.append(x.nbytes) or real(x, y))
    assert ca.changes(a, b).boxes() == [(slice(N // 3, N // 3 + 1),), (slice(N // 2, N // 2 + 1),)]
    assert sum(compared) == 2 * 4096


@pytest.mark.parametrize("mode", [ca.aliasing, ca.simulate, ca.deferred])
def test_inside_modes(mode):
    x = ca.zeros(10)
    with mode():
        y = x.copy()
        y[3] = 1.0
        found = ca.changes(x, y)
        merged = ca.merge(x, y)
    assert found.boxes() == [(slice(3, 4),)]
    assert merged[3] == 1.0
    assert x[3] == 0.0


# ---- merge -----------------------------------------------------------------------------------------------------------


def merged(base, versions, conflicts):
    """By NumPy: the array, and which elements two have changed to different values."""
    made, taken = base.copy(), np.zeros(base.shape, np.bool_)
    clash = np.zeros(base.shape, np.bool_)
    for version in versions:
        changed = version != base
        clash |= changed & taken & (version != made)
        put = changed & ~taken if conflicts == "first" else changed
        made[put] = version[put]
        taken |= changed
    return made, clash


def test_merging_is_what_numpy_says():
    rng = np.random.default_rng(chosen_seed(5))
    conflicting = 0
    for _ in range(1500):
        a = any_array(rng, "i4")
        base = ca.array(a)
        versions = []
        for _ in range(rng.integers(0, 4)):
            version = base.copy()
            if a.size:
                index = tuple(slice(*sorted(rng.integers(0, length + 1, 2))) for length in a.shape)
                version[index] = rng.integers(0, 3)
            versions.append(version)
        for conflicts in ("first", "last", "raise"):
            wanted, clash = merged(a, [np.array(version) for version in versions], conflicts)
            if conflicts == "raise" and clash.any():
                conflicting += 1
                with pytest.raises(ca.MergeConflict) as refusal:
                    ca.merge(base, *versions)
                again = pickle.loads(pickle.dumps(refusal.value))
                assert (str(again), again.boxes) == (str(refusal.value), refusal.value.boxes)
                covers = np.zeros(a.shape, np.bool_)
                for box in refusal.value.boxes:
                    covers[box] = True
                np.testing.assert_array_equal(covers, clash)
            else:
                np.testing.assert_array_equal(np.asarray(ca.merge(base, *versions, conflicts=conflicts)), wanted)
        np.testing.assert_array_equal(np.asarray(base), a)
    assert conflicting > 50


def test_merging_costs_pages():
    x = ca.zeros(N).by_page()
    if x.storage.own_nbytes == x.nbytes:
        pytest.skip("the system grants no pages")
    parts = [x.copy() for _ in range(4)]
    for k, part in enumerate(parts):
        part[k * N // 4 : k * N // 4 + 100] = k + 1
    made = ca.merge(x, *parts)
    assert [made[k * N // 4] for k in range(4)] == [1.0, 2.0, 3.0, 4.0]
    assert made.sum() == 1000.0
    assert made.storage.own_nbytes <= 8 * 4096
    assert x.sum() == 0.0


def test_merge_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="conflicts must be one of"):
        ca.merge([1], [2], conflicts="mine")
    with pytest.raises(ValueError, match="one shape"):
        ca.merge([1], [1, 2])
    assert ca.merge([1.0, 2.0]).tolist() == [1.0, 2.0]
