"""What the library tells of its arrays is what happens: `stats`, `explain`, `aliases`, `shares_bytes`, `x.storage`."""

import numpy as np
import pytest

import cowarray as ca


def pair(n=100):
    x = ca.array(np.arange(float(n)))
    y = x.copy()
    ca.reset_stats()
    return x, y


def nonzero():
    return {name: value for name, value in ca.stats().items() if value}


# ---- stats -----------------------------------------------------------------------------------------------------------


def test_stats_has_the_documented_figures_and_is_a_copy():
    figures = ca.stats()
    by_page = {"page_copies", "pages_copied", "bases", "committed_regions", "give_ups"}
    whole = {"lazy_clones", "copies", "bytes_copied", "steals", "overwrites", "eager_copies"}
    assert set(figures) == whole | by_page
    figures["copies"] = -1
    assert ca.stats()["copies"] >= 0


def test_reset_stats():
    _x, y = pair()
    y[0] = 1
    assert nonzero()
    ca.reset_stats()
    assert not nonzero()


def test_each_figure():
    x, y = pair()
    assert not nonzero()
    z = x.copy()
    assert nonzero() == {"lazy_clones": 1}
    y[0] = 1
    assert nonzero() == {"lazy_clones": 1, "copies": 1, "bytes_copied": 800}
    z += 1
    assert nonzero() == {"lazy_clones": 1, "copies": 1, "bytes_copied": 800, "overwrites": 1}
    x[0] = 2
    assert nonzero() == {"lazy_clones": 1, "copies": 1, "bytes_copied": 800, "overwrites": 1, "steals": 1}
    kept = x[:3].copy()
    assert nonzero() == {
        "lazy_clones": 1,
        "copies": 1,
        "bytes_copied": 824,
        "overwrites": 1,
        "steals": 1,
        "eager_copies": 1,
    }
    assert kept.tolist() == [2, 1, 2]


def test_reads_and_views_and_writes_to_sole_arrays_are_not_counted():
    x = ca.array(np.arange(100.0))
    ca.reset_stats()
    x.sum(), x[3], x[3:5], x.T, repr(x), list(x), x + x, x == x, np.sin(x), x.tolist(), x.tobytes(), np.split(x, 4)
    x[0] = 1
    x += 1
    x.sort()
    assert not nonzero()


# ---- explain ---------------------------------------------------------------------------------------------------------


def reasons():
    x = ca.array(np.arange(100.0))
    readonly = np.arange(100.0)
    readonly.setflags(write=False)
    pinned = ca.array(np.arange(100.0))
    export = pinned.to_numpy(writable=True)
    yield "computed", x + 1
    yield "a view", x[3:]
    yield "a lazy copy", x.copy()
    yield "a lazy copy", x.reshape(10, 10)
    yield "more than twice its size", x[:3].copy()
    yield "overlapped", np.broadcast_to(x, (2, 100)).reshape(2, 10, 10)
    yield "memory layout", x.reshape(10, 10).T.copy()
    yield "writable export", pinned.copy()
    yield "not plain bytes", ca.array(np.array([1, "a"], dtype=object)).copy()
    yield "somebody else's memory", ca.asarray(readonly)
    yield "imported by a copy", ca.array(readonly)
    del export


@pytest.mark.parametrize("i", range(11))
def test_explain_tells_how_an_array_was_made(i):
    text, x = list(reasons())[i]
    found = ca.explain(x)
    assert text in found.made
    assert text in str(found)
    others = [other for j, (other, _) in enumerate(reasons()) if other != text]
    assert not any(other in found.made for other in others)


def test_explain_of_a_shared_array():
    x, y = pair()
    found = ca.explain(y)
    sizes = found.nbytes, found.window, found.allocated, found.next_write_copies
    assert sizes == (800, 800, 800, 800)
    assert (found.shares, found.pinned, found.foreign) == (2, False, False)
    assert "2 share" in found.why
    part = ca.explain(y[:10])
    assert (part.nbytes, part.window, part.next_write_copies) == (80, 800, 800)
    window = ca.explain(x[:60].copy())
    assert (window.nbytes, window.window, window.allocated, window.shares) == (480, 480, 800, 3)


def test_explain_tells_what_the_next_write_does_copy():
    x, y = pair()
    readonly = np.arange(100.0)
    readonly.setflags(write=False)
    alone = ca.array(readonly)
    stolen = alone.copy()
    del alone
    for array in (y, x, x[:70].copy(), x[3:], ca.asarray(readonly), stolen, ca.array([1.0]), y.reshape(10, 10)):
        cost = ca.explain(array).next_write_copies
        ca.reset_stats()
        array[..., 0] = 1
        assert ca.stats()["bytes_copied"] == cost
        assert ca.explain(array).next_write_copies == 0
        assert "nobody else" in ca.explain(array).why


def test_explain_of_pinned_and_foreign_arrays():
    x = ca.array(np.arange(100.0))
    export = x.to_numpy(writable=True)
    assert ca.explain(x).pinned
    assert "pinned" in str(ca.explain(x))
    del export
    assert not ca.explain(x).pinned
    foreign = ca.asarray(memoryview(bytes(16)))
    assert ca.explain(foreign).foreign
    assert "somebody else" in ca.explain(foreign).why
    foreign[0] = 1
    assert not ca.explain(foreign).foreign


def test_explain_changes_nothing():
    x, y = pair()
    before = x.storage.share_count, x.storage.data_ptr
    ca.explain(x)
    str(ca.explain(y))
    assert (x.storage.share_count, x.storage.data_ptr) == before
    assert not nonzero()


@pytest.mark.parametrize("stranger", [None, 3, np.zeros(3), [1]])
def test_explain_takes_our_arrays_only(stranger):
    with pytest.raises(TypeError, match="explain"):
        ca.explain(stranger)


# ---- aliases and shares_bytes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [ca.aliases, np.shares_memory, np.may_share_memory])
def test_aliases(ask):
    x, y = pair()
    export = x.to_numpy(writable=True)
    assert ask(x, x)
    assert ask(x, x[3:])
    assert ask(x[3:], x[:4])
    assert ask(x, export)
    assert ask(export[3:], x[:4])
    assert not ask(x[:3], x[3:])
    assert not ask(x[::2], x[1::2])
    assert not ask(x, y)
    assert not ask(x, np.asarray(x))
    assert not ask(y, y.copy())
    assert not ask(y[:0], y)
    assert not ask(y, np.zeros(3))


@pytest.mark.parametrize("ask", [ca.aliases, np.shares_memory])
def test_nothing_read_only_that_left_the_library_aliases(ask):
    _x, y = pair()
    foreign = np.arange(3.0)
    foreign.setflags(write=False)
    assert not ask(y, np.asarray(y))
    assert not ask(np.asarray(memoryview(y)), y[3:])
    assert not ask(ca.asarray(foreign), foreign)


def test_aliases_is_what_a_write_shows():
    x, y = pair()
    arrays = [x, y, x[::2], x[1::2], x[5:], y[5:], x.reshape(10, 10), x.reshape(10, 10, copy=False), y.T, x[::-1][:3]]
    for a in arrays:
        for b in arrays:
            before = b.tobytes()
            told = ca.aliases(a, b)
            a += 1
            assert (b.tobytes() != before) == told


def test_shares_bytes():
    x, y = pair()
    assert ca.shares_bytes(x, y)
    assert ca.shares_bytes(x, np.asarray(y))
    assert ca.shares_bytes(x[3:], y[:4])
    assert not ca.shares_bytes(x[:3], y[3:])
    y[0] = 1
    assert not ca.shares_bytes(x, y)
    assert ca.shares_bytes(y, y[3:])
    foreign = np.arange(3.0)
    foreign.setflags(write=False)
    z = ca.asarray(foreign)
    assert ca.shares_bytes(z, foreign)
    z[0] = 1
    assert not ca.shares_bytes(z, foreign)


def test_asking_copies_nothing_and_leaves_shares_as_they_were():
    x, y = pair()
    for ask in (ca.aliases, ca.shares_bytes, np.shares_memory, np.may_share_memory):
        ask(x, y)
    assert not nonzero()
    assert x.storage.share_count == 2


def test_storage_tells_who_shares():
    x, y = pair()
    assert x.storage is x[3:].storage
    assert x.storage is not y.storage
    assert (x.storage.is_cow, x.storage.share_count, x.storage.nbytes) == (True, 2, 800)
    assert x.storage.data_ptr == y.storage.data_ptr
    y[0] = 1
    assert (x.storage.is_cow, x.storage.share_count) == (False, 1)
    assert x.storage.data_ptr != y.storage.data_ptr
