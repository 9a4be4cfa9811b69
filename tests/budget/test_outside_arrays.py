"""Arrays from outside that are computed from inside a budget: held as they were, as they lie, and counted once."""

import numpy as np
import pytest

import cowarray

MIB = 1 << 20
N = MIB // 8

PARTS = {
    "reversed": lambda x: x[::-1],
    "every second": lambda x: x[::2],
    "transposed": lambda x: x.reshape(256, -1).T,
    "columns": lambda x: x.reshape(256, -1)[:, 3:-5],
    "backwards in both": lambda x: x.reshape(256, -1)[::-1, ::-2],
    "one column": lambda x: x.reshape(256, -1)[:, 7],
    "a few": lambda x: x[100:130],
    "a few, reversed": lambda x: x[130:100:-2],
    "repeated": lambda x: np.broadcast_to(x[5:15], (4, 10)),
    "windows": lambda x: np.lib.stride_tricks.sliding_window_view(x[:2000], 7),
    "none": lambda x: x[5:5],
}


def pinned(x):
    x = cowarray.asarray(x)
    pinned.views = x.to_numpy(writable=True)
    return x


SOURCES = {
    "ours": lambda x: cowarray.asarray(x),
    "a part of ours": lambda x: cowarray.asarray(np.concatenate([x, x]))[: x.size],
    "pinned": pinned,
    "NumPy's": lambda x: x.copy(),
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("source", SOURCES)
def test_parts_are_recorded_as_they_lie(part, source):
    plain = np.random.default_rng(1).normal(size=N)
    x = SOURCES[source](plain)
    of_x, of_plain = PARTS[part](x), PARTS[part](plain)
    with cowarray.budget(16 * MIB, small=0) as run:
        y = of_x + cowarray.ones(of_plain.shape)
        z = cowarray.add.reduce(of_x, axis=0)
    if y.size and (part != "one column" or source == "ours"):
        y.evict()
    assert run.peak_bytes <= 16 * MIB
    x[...] = 7
    assert y.strides == (of_plain + np.ones(of_plain.shape)).strides
    assert np.array_equal(y, of_plain + 1)
    assert np.array_equal(z, np.add.reduce(of_plain, axis=0))


def test_parts_of_one_array_count_once():
    x = cowarray.linspace(0, 1, N)
    with cowarray.budget(16 * MIB, small=0) as run:
        found = [part(x) * 2 for part in (PARTS["reversed"], PARTS["every second"], PARTS["transposed"], lambda x: x)]
        assert run.live_bytes == MIB + sum(y.nbytes for y in found)


def test_a_small_part_of_a_large_array_counts_as_much_as_it_is():
    x = cowarray.ones(64 * N)
    with cowarray.budget(4 * MIB) as run:
        y = x[N : 2 * N] * 2
        assert run.live_bytes == 2 * MIB
    x[...] = 3
    y.evict()
    assert np.all(y == 2)


def test_an_array_of_numpys_counts_once_while_it_stays_as_it_is():
    x, a = cowarray.linspace(0, 1, N), np.linspace(1, 2, N)
    with cowarray.budget(16 * MIB, small=0) as run:
        found = [x * a, x + a, a[::-1] - x, x - a[::-1]]
        assert run.live_bytes == (2 + len(found)) * MIB
        before = a.copy()
        a[N // 2] = -0.0
        found.append(x * a)
        assert run.live_bytes == (3 + len(found)) * MIB
        a[N // 2] = 0.0
        found.append(x * a)
        assert run.live_bytes == (4 + len(found)) * MIB
        for each in found:
            each.evict()
    wanted = [x * before, x + before, before[::-1] - x, x - before[::-1]]
    before[N // 2] = -0.0
    wanted.append(x * before)
    before[N // 2] = 0.0
    wanted.append(x * before)
    for each, other in zip(found, wanted, strict=True):
        assert each.tobytes() == other.tobytes()


def test_an_array_of_numpys_that_lies_where_another_did():
    x = cowarray.linspace(0, 1, N)
    memory = np.zeros(N)
    with cowarray.budget(16 * MIB, small=0) as run:
        a = x + memory
        b = x.astype("i8") + memory.view("i8")
        assert run.live_bytes <= 6 * MIB
        memory[:] = 5
        c = x + memory[: N // 2].repeat(2)
        d = x.astype("i8") + memory.view("i8")
    for each in (a, b, c, d):
        each.evict()
    assert np.array_equal(a, x)
    assert np.array_equal(b, x.astype("i8"))
    assert np.array_equal(c, x + 5)
    assert np.array_equal(d, x.astype("i8") + np.full(N, 5.0).view("i8"))


def test_elements_that_are_few_in_what_must_be_copied_make_a_constant():
    table = np.random.default_rng(1).normal(size=(4096, 512))
    with cowarray.budget(8 * MIB, small=0) as run:
        y = cowarray.ones(4096) + table[:, 5]
        assert run.peak_bytes < MIB
    with pytest.raises(BufferError, match="could not be kept as it lies"):
        y.evict()
    assert np.array_equal(y, 1 + table[:, 5])


def test_a_column_of_a_table_that_is_larger_than_the_budget_makes_a_constant():
    table = cowarray.asarray(np.random.default_rng(1).normal(size=(4096, 512)))
    with cowarray.budget(8 * MIB, small=0) as run:
        kept = cowarray.ones(N) * 2
        found = [table[:, i] + 1 for i in range(5)]
        assert run.live_bytes == kept.nbytes + sum(y.nbytes for y in found)
        with pytest.raises(MemoryError, match="needs 16"):
            table + 1
        assert run.evictions == 0
    for i, y in enumerate(found):
        assert np.array_equal(y, np.asarray(table)[:, i] + 1)
