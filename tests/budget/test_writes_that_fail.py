"""What grows in place, and what is written by an operation that fails: counted, and what it was or a constant."""

import contextlib

import numpy as np
import pytest

import cowarray

MIB = 1 << 20
N = MIB // 8


def away(x):
    return "evicted" in str(cowarray.explain(x))


@pytest.mark.parametrize("outside", [False, True])
def test_a_resized_array_counts_with_its_new_size(outside):
    x = cowarray.ones(N)
    with cowarray.budget(8 * MIB) as run:
        y = x if outside else x * 2
        for size in (N // 2, 3 * N, N):
            y.resize(size)
            assert run.live_bytes == y.nbytes
            assert cowarray.is_checkpointed(y)
            with pytest.raises(BufferError, match="resize"):
                y.evict()
        y.resize(N)
        z = y + 1
        z.evict()
    assert run.peak_bytes <= 8 * MIB
    wanted = np.zeros(N)
    wanted[: N // 2] = 1 if outside else 2
    assert np.array_equal(y, wanted)
    assert np.array_equal(z, wanted + 1)


def test_room_is_made_before_an_array_grows():
    x = cowarray.ones(N)
    with cowarray.budget(6 * MIB) as run:
        steps = [x * i for i in range(4)]
        y = x + 1
        y.resize(3 * N)
        assert sum(away(step) for step in steps) >= 2
        assert run.peak_bytes <= 6 * MIB
        with pytest.raises(MemoryError, match="no room for 5"):
            y.resize(5 * N)
        assert run.peak_bytes <= 6 * MIB
    assert y.shape == (3 * N,)
    assert np.array_equal(y, [2.0] * N + [0.0] * 2 * N)
    for i, step in enumerate(steps):
        assert np.all(step == i)


def test_views_keep_what_a_resized_array_had():
    with cowarray.budget(8 * MIB, small=0):
        y = cowarray.arange(6.0) * 2
        view = y[1:4]
        y.resize(8)
        view += 1
        view.evict()
        y[0] = 9
    assert view.tolist() == [3, 5, 7]
    assert y.tolist() == [9, 2, 4, 6, 8, 10, 0, 0]


def fail_at_the_end(x):
    """Divide in place: NumPy raises when it has written all elements."""
    with np.errstate(all="raise"):
        x /= np.arange(x.size)[::-1].reshape(x.shape)


def fail_in_out(x):
    with np.errstate(all="raise"):
        np.log(x - 4, out=x)


def fail_in_the_middle(x):
    x.put([0, 1, x.size], [7, 8, 9])


FAILURES = [fail_at_the_end, fail_in_out, fail_in_the_middle]


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("fail", FAILURES)
def test_what_a_failing_operation_wrote_is_a_constant_of_its_own_size(fail, is_shared):
    x, plain = cowarray.linspace(0, 8, N), np.linspace(0, 8, N)
    with cowarray.budget(16 * MIB) as run:
        y, wanted = x * 1, plain * 1
        copy = y.copy() if is_shared else y + 0
        reader, sum_of_it = y * 3, wanted * 3
        for each in (y, wanted):
            with pytest.raises((FloatingPointError, IndexError)):
                fail(each)
        assert run.live_bytes == 4 * MIB
        with pytest.raises(BufferError, match="cannot be made again"):
            y.evict()
        copy.evict()
        reader.evict()
        assert run.live_bytes == 2 * MIB
    assert run.peak_bytes <= 16 * MIB
    assert y.tobytes() == wanted.tobytes()
    assert np.array_equal(copy, plain)
    assert reader.tobytes() == sum_of_it.tobytes()


@pytest.mark.parametrize(
    "fail",
    [
        lambda x: np.add(x, 1j, out=x),
        lambda x: np.add(x, np.ones(3), out=x),
        lambda x: x.__setitem__(slice(None), np.ones(5)),
        lambda x: x.__setitem__(x.size + 7, 1),
        lambda x: x.__setitem__("name", 1),
        lambda x: x.sort(axis=5),
        lambda x: x.fill("text"),
        lambda x: x.put([-x.size - 1], 1),
        lambda x: np.copyto(x, np.array(["1"], object), casting="safe"),
        lambda x: x.resize(-1),
        lambda x: x.partition(x.size + 1),
    ],
)
def test_what_fails_before_it_writes_changes_no_value(fail):
    x = cowarray.linspace(0, 8, N)
    with cowarray.budget(16 * MIB) as run:
        y = x * 2
        with pytest.raises((TypeError, ValueError, IndexError)):
            fail(y)
        assert run.live_bytes in (MIB, 2 * MIB)  # with x, or without, if y may have been written
        with contextlib.suppress(BufferError):
            y.evict()
    assert run.peak_bytes == 2 * MIB
    assert np.array_equal(y, np.linspace(0, 8, N) * 2)


def test_an_operation_that_fails_within_a_tight_budget():
    x = cowarray.linspace(1, 8, N)
    with cowarray.budget(5 * MIB) as run:
        steps = [x * i for i in range(8)]
        for step in steps:
            copy = step.copy()
            with contextlib.suppress(FloatingPointError):
                fail_at_the_end(copy)
            assert run.peak_bytes <= 5 * MIB
            del copy
    for i, step in enumerate(steps):
        assert np.array_equal(step, np.linspace(1, 8, N) * i)
