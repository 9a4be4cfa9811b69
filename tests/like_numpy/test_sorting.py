"""Sorting functions: NumPy's results, as ours, and descending ones; operands are only read."""

import functools
import itertools

import numpy as np
import pytest
from support.numpy_versions import happens
from support.oracle import LAYOUTS, agree, outcome, same, subject, value

import cowarray

# ---- descending ------------------------------------------------------------------------------------------------------


def before(one, other):
    """-1, 0 or 1: descending, what is not a number at the end; of complex numbers the real part counts first."""
    for part in ("real", "imag"):
        odd = [bool(getattr(number, part) != getattr(number, part)) for number in (one, other)]
        if odd[0] != odd[1]:
            return 1 if odd[0] else -1
    for part in ("real", "imag"):
        first, second = getattr(one, part), getattr(other, part)
        if first != second and first == first:
            return -1 if first > second else 1
    return 0


def descending(values):
    """Indices of a sequence, the greatest first, equal ones in order."""
    return sorted(range(len(values)), key=functools.cmp_to_key(lambda i, j: before(values[i], values[j])))


def with_ties(dtype, shape=(3, 40)):
    values = np.random.default_rng(11).integers(0, 7, shape)
    made = values.astype(dtype)
    if made.dtype.kind in "fc":
        made[:, ::5] = np.nan
        made[:, 1::9] = -0.0
        made[:, 2::9] = 0.0
        made[:, 3::9] = np.inf
    if made.dtype.kind == "c":
        made[:, ::7] += 1j * np.nan
        made[:, 4::7] += 2j
    return made


DTYPES = ["?", "i1", "u1", "i8", "u8", "f2", "f4", ">f8", "f8", "F", "D"]


@pytest.mark.parametrize("stable", [None, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_descending_is_stable_with_nans_last(dtype, stable):
    n = with_ties(dtype)
    for values, axis in [(n, -1), (n.T, 0), (n[:, ::-1], 1), (n[0], -1), (n.reshape(3, 4, 10), None)]:
        rows = [values.ravel()] if axis is None else np.moveaxis(values, axis, -1).reshape(-1, values.shape[axis])
        indices = np.array([descending(row.tolist()) for row in rows])
        moved = (values.size,) if axis is None else np.moveaxis(values, axis, -1).shape
        indices = np.moveaxis(indices.reshape(moved), -1, axis or 0 if axis is not None else -1)
        given = cowarray.array(values)
        same(cowarray.argsort(given, axis, stable=stable, descending=True), indices)
        flat = values.ravel() if axis is None else values
        expected = np.take_along_axis(flat, indices, -1 if axis is None else axis)
        result = cowarray.sort(given, axis, stable=True, descending=True)
        same(result, expected)
        assert result.flags.c_contiguous or values.flags.f_contiguous
        if stable is None:
            result = value(cowarray.sort(given, axis, descending=True))
            np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[s]"])
def test_descending_times_have_nat_last(dtype):
    n = np.array([3, 1, 2, 1], "i8").astype(dtype)
    n[1] = "NaT"
    same(cowarray.sort(cowarray.array(n), descending=True), n[[0, 2, 3, 1]])
    same(cowarray.argsort(cowarray.array(n), descending=True), np.array([0, 2, 3, 1]))


@pytest.mark.parametrize("dtype", ["U3", "S3", "O"])
def test_descending_texts_and_objects(dtype):
    n = np.array(["b", "a", "c", "a"], dtype)
    same(cowarray.sort(cowarray.array(n), descending=True), np.array(["c", "b", "a", "a"], dtype))
    same(cowarray.argsort(cowarray.array(n), descending=True), np.array([2, 0, 1, 3]))


def test_descending_records_keep_their_order_where_the_field_is_equal():
    n = np.array([(1, 2.0), (2, 1.0), (1, 1.0), (2, 5.0)], "i4,f8")
    given = cowarray.array(n)
    expected = np.argsort(n, order="f0", kind="stable")
    same(cowarray.argsort(given, order="f0"), expected)
    descending = cowarray.argsort(given, order="f0", descending=True)
    same(cowarray.sort(given, order="f0", descending=True), n[value(descending)])
    same(descending, np.lexsort((-n["f1"], -n["f0"])))


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_descending_is_numpys_where_numpy_has_it(name):
    if happens("sort has no descending"):
        with pytest.raises(TypeError, match="descending"):
            getattr(np, name)([1], descending=True)
        return
    for dtype in DTYPES:
        n = with_ties(dtype)
        expected = getattr(np, name)(n, descending=True, stable=True)
        same(getattr(cowarray, name)(cowarray.array(n), descending=True, stable=True), expected)


@pytest.mark.parametrize("name", ["sort", "argsort"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_descending_only_reads(name, layout):
    for ownership, axis in itertools.product(("view", "lazy copy"), (-1, 0, None)):
        held = subject(layout, ownership)
        shares, address = held.x.storage.share_count, held.x.storage.data_ptr
        with cowarray.no_copy():
            ours = outcome(getattr(cowarray, name), held.x, axis, descending=True)
        flipped = outcome(lambda n, axis: np.flip(np.sort(n, axis), -1 if axis is None else axis), held.n, axis)
        if name == "sort":
            agree(ours, flipped)
        else:
            assert ours[1] is outcome(np.argsort, held.n, axis)[1]
        held.check()
        ours = None
        assert (held.x.storage.share_count, held.x.storage.data_ptr) == (shares, address)


@pytest.mark.parametrize("name", ["sort", "argsort"])
@pytest.mark.parametrize("bad", [{"axis": 5}, {"axis": "a"}, {"kind": "unknown"}, {"order": "f9"}, {"axis": (0, 1)}])
def test_bad_arguments_are_bad_in_either_direction(name, bad):
    n = np.ones((2, 2))
    expected = outcome(getattr(np, name), n, **bad)
    assert expected[1]
    agree(outcome(getattr(cowarray, name), cowarray.array(n), descending=True, **bad), expected)
    agree(outcome(getattr(cowarray, name), n.tolist(), descending=True, **bad), expected)
    agree(outcome(getattr(cowarray, name), 5, descending=True), outcome(getattr(np, name), 5))


@pytest.mark.parametrize("dtype", ["f4", "i8", "i2", "S3"])
def test_argsort_leaves_equal_elements_in_numpys_order(dtype):
    n = np.random.default_rng(5).integers(0, 3, 5000).astype(dtype)
    x = cowarray.array(n)
    for options in ({}, {"stable": True}, {"stable": False}, {"kind": None}, {"kind": "heapsort"}, {"axis": None}):
        same(cowarray.argsort(x, **options), np.argsort(n, **options))
        same(x.argsort(**options), n.argsort(**options))
    same(cowarray.array_api.argsort(x), np.argsort(n, stable=True))
    if n.dtype.kind != "S":
        same(cowarray.argsort(x, descending=True), np.argsort(-n, stable=True))


# ---- in place --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["i2", "f8", ">f4", "c8", "?", "U2", "M8[s]", "i4,i4", "O", "T"])
def test_in_place_as_numpy_and_no_copy_sees_it(dtype):
    for turned in (lambda a: a, lambda a: a.T, lambda a: a[::-1, ::2], lambda a: a[1]):
        for axis in ((), (0,), (-1,), (1,), (5,)):
            n = np.array([[3, 1, 2], [0, 7, 5]]).astype(dtype)
            x = cowarray.array(n)
            before = x.copy()
            agree(outcome(turned(x).sort, *axis), outcome(turned(n).sort, *axis))
            same(x, n)
            assert before.tolist() == np.array([[3, 1, 2], [0, 7, 5]]).astype(dtype).tolist()
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x.sort()
