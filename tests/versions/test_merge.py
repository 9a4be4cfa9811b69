"""`merge` has what each version changed, and says exactly where two disagree."""

import pickle

import numpy as np
import pytest
from support.seeds import chosen_seed

import cowarray as ca


def oracle(base, versions, policy):
    """The merged values, and where versions disagree; elements that nobody else changed are each version's."""
    made, clash = base.copy(), np.zeros(base.shape, bool)
    taken = np.zeros(base.shape, bool)
    for version in versions:
        changed = version != base
        clash |= taken & changed & (version != made)
        put = changed & ~taken if policy == "first" else changed
        made = np.where(put, version, made)
        taken |= changed
    return made, clash


@pytest.mark.parametrize("policy", ["raise", "first", "last"])
def test_random_merges(policy):
    rng = np.random.default_rng(chosen_seed())
    conflicts = 0
    for _ in range(3400):
        shape = tuple(rng.integers(1, 6, rng.integers(1, 4)))
        base = rng.integers(0, 3, shape).astype(rng.choice(["i1", "f4", "i8"]))
        base = np.asfortranarray(base) if rng.random() < 0.3 else base
        edited = [
            np.where(rng.random(shape) < 0.3, rng.integers(0, 3, shape), base).astype(base.dtype)
            for _ in range(rng.integers(0, 4))
        ]
        wanted, clash = oracle(base, edited, policy)
        start = ca.asarray(base)
        given = []
        for value in edited:
            kind = rng.integers(3)
            given.append(start.copy() if kind == 0 else value if kind == 1 else ca.asarray(value))
            given[-1][...] = value
        before = [np.array(x) for x in (start, *given)]
        if policy == "raise" and clash.any():
            conflicts += 1
            with pytest.raises(ca.MergeConflict, match="merge: versions changed") as caught:
                ca.merge(start, *given)
            found = np.zeros(shape, bool)
            for box in caught.value.boxes:
                found[box] = True
            assert np.array_equal(found, clash)
        else:
            made = ca.merge(start, *given, conflicts=policy)
            assert np.array_equal(np.asarray(made), wanted)
            made[...] = 7
        for x, value in zip((start, *given), before, strict=True):
            assert np.array_equal(np.asarray(x), value), "an argument has changed"
    assert policy != "raise" or conflicts > 200


def test_a_scalar():
    assert ca.merge(1.0, 1.0, 2.0, 1.0) == 2.0
    with pytest.raises(ca.MergeConflict) as caught:
        ca.merge(1.0, 2.0, 3.0)
    assert caught.value.boxes == [()]


def test_bytes_decide():
    base = ca.asarray([np.nan, 0.0])
    other = ca.asarray([np.nan, -0.0])
    made = np.asarray(ca.merge(base, base.copy(), other))
    assert np.signbit(made).tolist() == np.signbit(np.asarray(other)).tolist()


def test_no_version_is_a_copy():
    base = ca.zeros(1000)
    made = ca.merge(base)
    assert ca.shares_bytes(made, base)
    made[0] = 1
    assert base[0] == 0


def test_by_page():
    base = ca.zeros(5_000_000).by_page()
    left, right = base.copy(), base.copy()
    left[10], right[4_999_999] = 1, 2
    made = ca.merge(base, left, right)
    wanted = np.zeros(5_000_000)
    wanted[10], wanted[-1] = 1, 2
    assert np.array_equal(np.asarray(made), wanted)


def test_a_conflict_pickles():
    error = ca.MergeConflict("merge: text", [(slice(1, 2), slice(0, 3))])
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == "merge: text"
    assert again.boxes == error.boxes
    assert isinstance(again, ValueError)


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "text"),
    [
        (([1],), {"conflicts": "none"}, ValueError, "merge: conflicts must be one of 'raise', 'first', 'last'"),
        (([1], [1, 2]), {}, ValueError, "merge: expected arrays of one shape"),
        (([1], [1.0]), {}, TypeError, "merge: expected arrays of one dtype"),
        ((np.array([None]),), {}, TypeError, "merge: elements of"),
    ],
)
def test_what_is_refused(arguments, keywords, error, text):
    with pytest.raises(error, match=text):
        ca.merge(*arguments, **keywords)
