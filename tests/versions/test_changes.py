"""`changes` tells exactly the elements whose bytes differ, whatever the arrays are like."""

import itertools

import numpy as np
import pytest
from support.seeds import chosen_seed

import cowarray as ca

PADDED = np.dtype({"names": ["a", "b"], "formats": ["u1", "f8"], "offsets": [0, 8], "itemsize": 24})
DTYPES = [
    "?",
    "u1",
    "i2",
    "f4",
    "f8",
    "c16",
    "g",
    "G",
    "S3",
    "U2",
    "M8[s]",
    "m8[D]",
    "V5",
    ">i4",
    PADDED,
    "S0",
    "i4,(2,)f4",
]


def values(rng, shape, dtype):
    """Random values, of which few are equal to others."""
    dtype = np.dtype(dtype)
    x = np.zeros(shape, dtype)
    if dtype.names:
        for name in dtype.names:
            x[name] = rng.integers(0, 100, x[name].shape)
    elif dtype.kind in "SU":
        x[...] = rng.integers(0, 100, shape).astype(f"{dtype.kind}3")
    elif dtype.kind == "V":
        x[...] = np.frombuffer(rng.bytes(x.size * 5), dtype).reshape(shape) if x.size else x
    else:
        x[...] = rng.integers(0, 100, shape)
    return x


def fields_of(x):
    return [x[name] for name in x.dtype.names] if x.dtype.names else [x]


def oracle(x, y):
    """Where bytes differ, padding apart: element by element."""
    unequal = np.zeros(x.shape, bool)
    significant = 10 if np.finfo(np.longdouble).nmant == 63 else 16
    for one, other in zip(fields_of(x), fields_of(y), strict=True):
        for index in np.ndindex(x.shape):
            a, b = one[index].tobytes(), other[index].tobytes()
            if one.dtype.char in "gG":
                a, b = ([part[i : i + significant] for i in range(0, len(part), 16)] for part in (a, b))
            unequal[index] |= a != b
    return unequal


def check(found, wanted, itemsize):
    """The mask, the sizes and the boxes are those of the wanted mask; the boxes are disjoint and in order."""
    assert np.array_equal(np.asarray(found.mask()), wanted)
    assert found.shape == wanted.shape
    assert found.size == wanted.sum()
    assert found.nbytes == found.size * itemsize
    assert bool(found) is bool(wanted.any())
    count = np.zeros(wanted.shape, int)
    for box in found.boxes():
        assert len(box) == wanted.ndim
        count[box] += 1
    assert np.array_equal(count, wanted.astype(int))
    firsts = [tuple(part.start for part in box) for box in found.boxes()]
    assert firsts == sorted(firsts)


def layouts(x):
    """The value in several layouts."""
    yield x.copy("C")
    yield x.copy("F")
    if x.ndim == 3:
        yield np.ascontiguousarray(x.transpose(1, 2, 0)).transpose(2, 0, 1)
    if x.ndim:
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        yield wide[..., ::2]
        yield np.ascontiguousarray(x[::-1])[::-1]
        low = np.zeros((x.shape[0] + 3, *x.shape[1:]), x.dtype)
        low[2:-1] = x
        yield low[2:-1]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (7,), (3, 4), (2, 3, 4), (0,), (3, 0, 2), (1, 5)])
def test_changes_are_those_of_the_bytes(dtype, shape):
    rng = np.random.default_rng(chosen_seed(28))
    x = values(rng, shape, dtype)
    y = x.copy()
    if x.dtype.itemsize:
        np.copyto(y, values(rng, shape, dtype), where=rng.random(x.shape) < 0.4)
    wanted = oracle(x, y) if x.dtype.itemsize else np.zeros(shape, bool)
    for one, other in itertools.product(layouts(x), layouts(y)):
        for a, b in [(one, other), (ca.asarray(one), ca.asarray(other)), (one, ca.asarray(other))]:
            check(ca.changes(a, b), wanted, x.dtype.itemsize)


@pytest.mark.parametrize("shape", [(50,), (9, 11), (4, 5, 6)])
def test_changes_of_copies_and_their_views(shape):
    rng = np.random.default_rng(chosen_seed(28))
    x = ca.asarray(rng.random(shape))
    y = x.copy()
    y[tuple(rng.integers(0, shape, (9, len(shape))).T)] = 0
    views = [np.s_[...], np.s_[1:], np.s_[::2], np.s_[::-1], np.s_[..., 1:-1], np.s_[2]]
    for view in views:
        one, other = x[view], y[view]
        check(ca.changes(one, other), np.asarray(one) != np.asarray(other), 8)
        check(ca.changes(one.T, other.T), np.asarray(one.T) != np.asarray(other.T), 8)


def test_a_nan_equals_itself_and_the_zeros_differ():
    x = ca.asarray([np.nan, 0.0, 1.0])
    y = ca.asarray([np.nan, -0.0, 1.0])
    assert np.asarray(ca.changes(x, y).mask()).tolist() == [False, True, False]


def test_padding_does_not_count():
    x, y = np.zeros(5, PADDED), np.zeros(5, PADDED)
    y.view("u1").reshape(5, 24)[:, 17:] = 9
    y.view("u1").reshape(5, 24)[:, 2] = 9
    assert not ca.changes(x, y)
    y["a"][3] = 1
    assert ca.changes(ca.asarray(x), ca.asarray(y)).boxes() == [(slice(3, 4),)]


def test_a_rectangle_is_one_box():
    x = ca.zeros((30, 40, 5))
    y = x.copy()
    y[3:9, 10:20, 1:4] = 1
    assert ca.changes(x, y).boxes() == [np.s_[3:9, 10:20, 1:4]]
    x = x.transpose(2, 0, 1)
    assert ca.changes(x, y.transpose(2, 0, 1)).boxes() == [np.s_[1:4, 3:9, 10:20]]


def test_a_scalar_has_the_empty_box():
    assert ca.changes(1.0, 2.0).boxes() == [()]
    assert ca.changes(1.0, 1.0).boxes() == []


def test_lists_are_taken():
    assert ca.changes([1, 2, 3], [1, 5, 3]).boxes() == [(slice(1, 2),)]


def test_changes_stay_what_they_were():
    x, y = ca.zeros(10), ca.ones(10)
    found = ca.changes(x, y)
    y[...] = 0
    mask = found.mask()
    mask[...] = False
    assert found.size == 10
    assert np.asarray(found.mask()).all()


def test_its_text_has_the_sizes():
    assert repr(ca.changes([1, 2], [1, 3])) == "<cowarray.Changes: 1 of 2 elements, 8 bytes, shape (2,)>"


@pytest.mark.parametrize(
    ("a", "b", "error", "text"),
    [
        (np.zeros(3), np.zeros(4), ValueError, r"changes: expected arrays of one shape \(got \(3,\) and \(4,\)\)"),
        (np.zeros(3), np.zeros(3, "i4"), TypeError, "changes: expected arrays of one dtype"),
        (np.array([None]), np.array([None]), TypeError, "changes: elements of dtype"),
    ],
)
def test_what_cannot_be_compared(a, b, error, text):
    with pytest.raises(error, match=text):
        ca.changes(a, b)
    with pytest.raises(error, match=text):
        ca.changes(ca.asarray(a), ca.asarray(b))


# ---- by page ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large():
    """An array by the page, and a copy with bytes of its own."""
    rng = np.random.default_rng(28)
    x = ca.asarray(rng.integers(0, 9, (1100, 4099)).astype("f8"), copy=True)
    y = x.by_page().copy()
    y[3, 7] += 1
    y[500:520, 1000:1010] += 1
    y[-1, -1] += 1
    return x, y


@pytest.mark.parametrize(
    "view",
    [
        np.s_[...],
        np.s_[1:],
        np.s_[501:1000],
        np.s_[:, 5:],
        np.s_[::3],
        np.s_[::-1],
        np.s_[3],
        np.s_[510:511, 1003:2000],
    ],
    ids=str,
)
def test_by_page_changes_are_exact(large, view):
    one, other = (z[view] for z in large)
    check(ca.changes(one, other), np.asarray(one) != np.asarray(other), 8)
    check(ca.changes(one.T, other.T), np.asarray(one.T) != np.asarray(other.T), 8)


def test_by_page_windows_at_other_offsets(large):
    x, y = large
    flat = x.reshape(-1), y.reshape(-1)
    for here, there in [(0, 1), (512, 1024), (700, 0), (4099, 4099)]:
        size = flat[0].size - 5000
        one, other = flat[0][here : here + size], flat[1][there : there + size]
        assert np.array_equal(np.asarray(ca.changes(one, other).mask()), np.asarray(one) != np.asarray(other))


def test_copies_are_compared_for_what_differs(large, monkeypatch):
    x, y = large
    if x.storage.own_nbytes == x.nbytes:
        pytest.skip("the system grants no pages")
    read = 0

    def counted(one, other):
        nonlocal read
        read += one.nbytes
        return differ(one, other)

    from cowarray._versions import changes as module

    differ = module.differ
    monkeypatch.setattr(module, "differ", counted)
    assert ca.changes(x, y).size == 202
    assert 0 < read < x.nbytes / 20


# ---- in modes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["aliasing", "simulate", "deferred", "no_copy", "trace"])
def test_in_a_block_of_a_mode(mode):
    x = ca.zeros((40, 50))
    y = x.copy()
    y[3:5, 4] = 1
    with getattr(ca, mode)():
        found = ca.changes(x, y)
        assert found.boxes() == [np.s_[3:5, 4:5]]
    check(found, np.asarray(x) != np.asarray(y), 8)


def test_deferred_arrays_are_computed():
    x = ca.arange(4.0)
    with ca.deferred():
        y = x * 1 + (x == 2)
        assert ca.is_deferred(y)
    assert ca.changes(x, y).boxes() == [(slice(2, 3),)]


def test_fakes_have_no_bytes_to_compare():
    with ca.fake():
        x = ca.zeros(3)
    with pytest.raises(ca.FakeError):
        ca.changes(x, np.zeros(3))
    with pytest.raises(ca.FakeError):
        ca.merge(x, np.zeros(3))
