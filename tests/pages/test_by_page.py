"""`by_page` puts an array's Storage into a base: values, views, copies and snapshots stay what they were; what cannot
be moved is refused with the reason, unchanged."""

import numpy as np
import pytest

import cowarray as ca

N = 1 << 20  # numbers: 8 MiB


@pytest.fixture
def off():
    before = ca.paging("off")
    yield
    ca.paging(before)


@pytest.fixture
def can_page(off):
    if not is_paged(ca.zeros(N).by_page()):
        pytest.skip("the system grants no pages")


def is_paged(x):
    return x.storage.own_nbytes < x.nbytes


def test_an_array_stays_itself_and_its_copies_cost_pages(can_page):
    x = ca.arange(float(N))
    view, copy, snapshot = x[::2], x.copy(), np.asarray(x)
    assert x.by_page() is x
    assert ca.by_page(x) is x
    assert ca.aliases(view, x)
    x[4] = -1.0
    assert (view[2], copy[4], snapshot[4]) == (-1.0, 4.0, 4.0)
    y = x.copy()
    y[7] = -2.0
    assert is_paged(x)
    assert is_paged(y)
    np.testing.assert_array_equal(np.asarray(y)[:8], [0, 1, 2, 3, -1, 5, 6, -2])
    assert x[7] == 7.0
    assert "by the page" in str(ca.explain(y))


def test_a_view_moves_its_whole_storage(can_page):
    x = ca.zeros((1024, 1024))
    row = x[3]
    assert row.by_page() is row
    assert is_paged(x)
    row[5] = 1.0
    assert x[3, 5] == 1.0


def test_foreign_memory_is_left_to_its_owner(can_page):
    theirs = np.arange(float(N))
    theirs.flags.writeable = False
    x = ca.asarray(theirs, copy=False).by_page()
    y = x.copy()
    y[0] = -1.0
    assert is_paged(y)
    assert (theirs[0], x[0]) == (0.0, 0.0)


def test_dense_writes_are_never_given_up(can_page):
    x = ca.zeros(N).by_page()
    y = x.copy()
    before = ca.stats()["give_ups"]
    for i in range(0, N, 512):
        y[i] = 1.0
    assert ca.stats()["give_ups"] == before
    assert "by the page" in str(ca.explain(y))
    assert (int(y.sum()), int(x.sum())) == (N // 512, 0)


def test_random_programs_compute_what_numpy_does(can_page):
    chance = np.random.default_rng(ROUND := 20261125)
    ours, theirs = [ca.zeros(N).by_page()], [np.zeros(N)]
    for step in range(200):
        at = int(chance.integers(len(ours)))
        if chance.random() < 0.4:
            ours.append(ours[at].copy())
            theirs.append(theirs[at].copy())
        else:
            first = int(chance.integers(N - 5000))
            part = slice(first, first + int(chance.integers(1, 5000)), int(chance.integers(1, 4)))
            ours[at][part] = step
            theirs[at][part] = step
        if len(ours) > 6:
            gone = int(chance.integers(len(ours)))
            del ours[gone], theirs[gone]
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(np.asarray(mine), other, err_msg=f"seed {ROUND}")


def pinned():
    x = ca.zeros(N)
    return x, x.to_numpy(writable=True)


def managed():
    with ca.budget("1 GiB"):
        return ca.zeros(N) + 1, None


REFUSED = {
    "pinned": (pinned, "pinned"),
    "fake": (lambda: (ca.fake_like(ca.zeros(N)), None), "a fake has no bytes"),
    "managed": (managed, "managed by a budget"),
    "objects": (lambda: (ca.array([None] * N), None), "Python objects"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_move_is_refused_and_unchanged(off, what):
    make, reason = REFUSED[what]
    x, _export = make()
    storage = x.storage
    with pytest.raises(BufferError, match=reason):
        x.by_page()
    assert x.storage is storage


def test_a_deferred_array_is_refused_until_it_is_made(off):
    with ca.deferred():
        x = ca.zeros(N) + 1
    with pytest.raises(BufferError, match="materialize it first"):
        x.by_page()
    assert ca.is_deferred(x)


def test_small_arrays_stay_as_they_are_unless_pages_are_required(off):
    x = ca.arange(10)
    assert x.by_page() is x
    with pytest.raises(BufferError, match="4 MiB"):
        x.by_page(required=True)
    with pytest.raises(BufferError, match="4 MiB"):
        ca.by_page(x, required=True)
    assert x.tolist() == list(range(10))


def test_arguments_are_checked():
    with pytest.raises(TypeError, match=r"expected a cowarray\.ndarray"):
        ca.by_page(np.zeros(3))
    with pytest.raises(TypeError, match="required must be True or False"):
        ca.zeros(3).by_page(required=1)
