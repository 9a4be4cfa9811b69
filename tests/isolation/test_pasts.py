"""Copies that nobody reads leave their memory to the writer, and keep their values: at the price of what changes."""

import pickle
import random

import numpy as np
import pytest
from support.seeds import chosen_seed, worlds

import cowarray
from cowarray._modes.record import nodes
from cowarray._native.storage import evict

N = 1 << 20  # 8 MiB of float64
PAGE = 512  # elements


@pytest.fixture(autouse=True)
def eager():
    before = cowarray.paging("eager")
    yield
    cowarray.paging(before)


def worn(n=N):
    """An array by the page, with 40 pages of its own; and what it holds."""
    plain = np.arange(n, dtype=float)
    source = cowarray.array(plain.copy())
    x = source.copy()
    for page in range(40):
        x[page * PAGE] = plain[page * PAGE] = -1.0
    if x.storage.own_nbytes > 64 * 4096:
        pytest.skip("the system grants no pages")
    return x, plain


def test_a_kept_copy_costs_the_pages_that_change():
    x, plain = worn()
    kept, expected = [], []
    address = x.storage.data_ptr
    before = cowarray.stats()["bytes_copied"]
    for i in range(100):
        kept.append(x.copy())
        expected.append(plain.copy())
        x[100 * PAGE + 7 * i] = plain[100 * PAGE + 7 * i] = i
    assert cowarray.stats()["bytes_copied"] - before == 100 * 4096
    assert {y.storage.own_nbytes for y in kept} == {4096}
    assert x.storage.data_ptr == address
    assert "differences" in repr(kept[0].storage)
    assert kept[3].storage.data_ptr != address  # asked for its bytes, it has some
    assert not cowarray.shares_bytes(kept[5], x)
    for y, value in zip(kept, expected, strict=True):
        np.testing.assert_array_equal(y, value)
    np.testing.assert_array_equal(x, plain)


def test_a_trace_tells_of_what_is_put_aside():
    x, _ = worn()
    with cowarray.trace() as seen:
        y = x.copy()
        x[1000 * PAGE] = 3.0
    events = [event for event in seen if event.kind == "pages"]
    assert [event.nbytes for event in events] == [4096]
    assert "changes" in events[0].reason
    assert y[1000 * PAGE] == 1000 * PAGE


def test_no_copy_refuses_to_write_to_a_copy_that_has_no_bytes():
    x, plain = worn()
    y = x.copy()
    x[0] = 5.0
    with cowarray.no_copy(), pytest.raises(cowarray.CopyError):
        y[1] = 2.0
    np.testing.assert_array_equal(y, plain)


def test_a_value_that_a_budget_keeps_can_leave():
    x, _ = worn()
    kept = nodes.clone(x.storage)
    x[5] = 2.0
    assert kept.data_ptr != x.storage.data_ptr  # as for a file, to which it is written first
    evict(kept, 1)
    assert "away" in repr(kept)


def test_what_reads_a_copy_keeps_what_it_saw():
    x, plain = worn()
    read = [np.asarray, memoryview, lambda y: y[3:].copy(), lambda y: np.asarray(y)[::7], lambda y: np.from_dlpack(y)]
    held = []
    for look in read:
        y = x.copy()
        held.append((look(y), look(plain.copy())))
        x[len(held)] = plain[len(held)] = -5.0
        del y
        for seen, expected in held:
            np.testing.assert_array_equal(np.asarray(seen), np.asarray(expected))


def write(rng, x, plain):
    """One of many ways to write to both."""
    at = rng.randrange(N - 3000)
    kind = rng.randrange(8)
    if kind < 3:
        x[at] = plain[at] = rng.random()
    elif kind == 3:
        length, step = rng.randrange(1, 3000), rng.choice([1, 1, 3, 600])
        x[at : at + length : step] = plain[at : at + length : step] = rng.random()
    elif kind == 4:
        where = [rng.randrange(N) for _ in range(rng.randrange(1, 60))]
        x[where] = plain[where] = rng.random()
    elif kind == 5:
        x.put([at, at + 1], [1.0, 2.0])
        plain.put([at, at + 1], [1.0, 2.0])
    elif kind == 6:
        part = x[at : at + 100]  # a view
        part *= 2.0
        plain[at : at + 100] *= 2.0
    elif rng.random() < 0.3:
        x += 1.0
        plain += 1.0


@pytest.mark.parametrize("world", worlds(20))
def test_random_programs_see_what_eager_copies_would_hold(world):
    rng = random.Random(f"{world} {chosen_seed()}")
    live = [worn() for _ in range(3)]
    held = []
    for _ in range(120):
        x, plain = rng.choice(live)
        step = rng.randrange(12)
        if step < 5:
            live.append((x.copy(), plain.copy()))
            write(rng, *rng.choice([live[-1], (x, plain)]))
        elif step < 8:
            write(rng, x, plain)
        elif step == 8:
            held.append((np.asarray(x), plain.copy()))
        elif step == 9:
            np.testing.assert_array_equal(x, plain)
        elif step == 10:
            with cowarray.aliasing():
                view = x.reshape(-1)
                view[5] = plain[5] = rng.random()
        else:
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(x[:2000])), plain[:2000])
        while len(live) > 12:
            live.pop(rng.randrange(len(live)))
        if len(held) > 3:
            held.pop(0)
        for seen, expected in held:
            np.testing.assert_array_equal(seen[::97], expected[::97])
    for y, expected in live:
        np.testing.assert_array_equal(y, expected)
