"""`aliasing`: where it holds, and what other modes make of it."""

import asyncio
import concurrent.futures
import contextvars
import warnings

import numpy as np
import pytest

import cowarray as ca


def holds():
    x = ca.zeros((2, 2))
    return ca.aliases(x, x.reshape(4))


def test_nothing_aliases_outside():
    x = ca.zeros((2, 2))
    assert not holds()
    with ca.aliasing():
        assert holds()
        export = np.asarray(x)
    assert not holds()
    assert export.flags.writeable
    assert not np.asarray(x).flags.writeable


def test_blocks_nest():
    with ca.aliasing():
        with ca.aliasing():
            assert holds()
        assert holds()
    assert not holds()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_ends_the_block(error):
    with pytest.raises(error), ca.aliasing():
        raise error
    assert not holds()


def test_a_decorated_function_is_a_block():
    @ca.aliasing()
    def doubled(values, /, *, times=2):
        """Doc."""
        values.ravel()[:] *= times
        return holds()

    x = ca.ones((2, 2))
    assert doubled(x, times=3)
    assert not holds()
    assert x.tolist() == [[3, 3], [3, 3]]
    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Doc.")


def test_tasks_made_in_the_block_have_it():
    async def main():
        with ca.aliasing():
            task = asyncio.create_task(asyncio.sleep(0, None))
            inner = asyncio.create_task(asyncio.to_thread(holds))
            await task
            return await inner

    assert asyncio.run(main())


def test_a_thread_is_not_in_the_block_unless_its_context_is():
    with concurrent.futures.ThreadPoolExecutor(1) as pool, ca.aliasing():
        assert not pool.submit(holds).result()
        assert pool.submit(contextvars.copy_context().run, holds).result()


def test_start_is_for_each_thread_and_context():
    ca.aliasing.start()
    try:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            assert pool.submit(holds).result()
        assert contextvars.Context().run(holds)
        ca.aliasing.start()
        ca.aliasing.stop()
        assert holds()
        with ca.aliasing():
            pass
        assert holds()
    finally:
        ca.aliasing.stop()
    assert not holds()
    with pytest.raises(RuntimeError, match="has not been started"):
        ca.aliasing.stop()
    assert not holds()


def test_start_and_stop_in_many_threads():
    def work():
        for _ in range(200):
            ca.aliasing.start()
            assert holds()
            ca.aliasing.stop()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(work) for _ in range(4)]:
            each.result()
    assert not holds()


@pytest.mark.parametrize("mode", [ca.aliasing, ca.simulate])
def test_callbacks_may_write_to_their_arguments(mode):
    def clip(row):
        row[row > 0.5] = 0.5
        return row

    n = np.linspace(0, 1, 32).reshape(4, 8)
    with mode(), warnings.catch_warnings(action="ignore"):
        for shape in (lambda a: a, lambda a: a.reshape(2, 2, 8), lambda a: a.T):
            mine, theirs = ca.array(n), n.copy()
            found, expected = np.apply_along_axis(clip, -1, shape(mine)), np.apply_along_axis(clip, -1, shape(theirs))
            assert found.tolist() == expected.tolist()
            assert mine.tolist() == theirs.tolist()
    x = ca.array(n)
    with pytest.raises(ValueError, match="read-only"):
        np.apply_along_axis(clip, -1, x)


def test_simulation_reports_inside_and_stays_silent_outside():
    def program():
        x = ca.zeros((3, 3))
        x.reshape(-1)[::4] += 2
        return x.sum()

    with warnings.catch_warnings(action="ignore"):
        with ca.aliasing(), ca.simulate() as found:
            assert program() == 6
        assert len(found) == 1
        with ca.simulate() as found, ca.aliasing():
            assert program() == 6
        assert len(found) == 1
        ca.aliasing.start()
        try:
            with ca.simulate() as found:
                assert program() == 6
        finally:
            ca.aliasing.stop()
        assert len(found) == 1
    assert program() == 0


def test_fakes_keep_their_doors_shut():
    with ca.fake(), ca.aliasing():
        x = ca.zeros((2, 2))
        for each in (x.reshape(4), x.ravel(), np.ravel(x), np.atleast_3d(x), x.conj(), ca.ascontiguousarray(x)):
            assert ca.aliases(each, x)
        for each in (x.copy(), x.flatten(), x.flatten("F"), np.copy(x)):
            assert not ca.aliases(each, x)
        with pytest.raises(ca.FakeError):
            np.asarray(x)


@pytest.mark.parametrize("mode", [ca.deferred, ca.fake])
def test_outside_of_aliasing_no_copy_in_meaning_of_a_real_array_is_an_alias(mode):
    with mode():
        x = ca.array(np.arange(12.0))
        for each in (ca.atleast_2d(x), ca.atleast_3d(x), ca.atleast_1d(x), x.reshape(3, 4), np.ravel(x)):
            assert not ca.aliases(each, x)


def test_what_a_deferred_array_reads_is_no_alias_of_an_input_from_outside():
    n = np.arange(4.0)
    with ca.deferred(), ca.aliasing():
        x = ca.zeros(4) + n
        n[:] = 100
        shown = n[:]
        shown.flags.writeable = False
        y = ca.zeros(4) + shown
        n[:] = 7
    assert x.tolist() == [0, 1, 2, 3]
    assert y.tolist() == [100] * 4


def test_recorded_copies_in_meaning_stay_copies_when_they_are_made_inside():
    with ca.deferred():
        x = ca.zeros(4)
        y = x.reshape(2, 2)
        z = np.ravel(y)
    ca.aliasing.start()
    try:
        np.asarray(z)[0] = 5
        np.asarray(y)[0, 1] = 6
        assert (x.tolist(), y.tolist(), z.tolist()) == ([0] * 4, [[0, 6], [0, 0]], [5, 0, 0, 0])
    finally:
        ca.aliasing.stop()


def test_a_budget_lets_go_of_nothing_that_is_out():
    with ca.budget(20_000, small=0, cost="model"), ca.aliasing():
        x = ca.ones(500)
        export = np.asarray(x)
        for _ in range(10):
            y = ca.tanh(ca.ones(500) + 1)
            y.sum()
        export[0] = 9
        assert x[0] == 9
    assert export[0] == 9


def test_no_copy_and_trace_see_what_an_export_copies():
    x = ca.zeros(100)
    y = x.copy()
    with ca.no_copy(), ca.aliasing(), pytest.raises(ca.CopyError):
        np.asarray(y)
    with ca.trace() as seen, ca.aliasing():
        np.asarray(y)
    assert [each.kind for each in seen][:1] == ["copy"]
