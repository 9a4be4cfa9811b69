"""Arrays go to other processes as values: nobody sees what another writes, and bytes that both have do not travel."""

import contextlib
import io
import multiprocessing as mp
import os
import pickle
import random
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest
from support.descriptors import N, message_of, numbers, worker
from support.seeds import all_or, chosen_seed
from support.workers import loaded_total, read_all, same_storage, set_elements, stats, total

import cowarray as ca
from cowarray._processes.sharing import sharer


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_a_value_goes_and_comes_back_as_pages(method):
    x = numbers()
    with worker(method) as call:
        before = ca.by_descriptor.stats()
        y = call(set_elements, x, [5], -1.0)
        after = ca.by_descriptor.stats()
        assert (y[5], x[5]) == (-1.0, 5.0)
        y[5] = 5.0
        assert np.array_equal(y, x)
        y[7] = 1.0
        assert ca.changes(x, y).nbytes == 8
        assert after["sent"] - before["sent"] == 1
        assert after["held"] - before["held"] == 1  # its base was here
        theirs = call(stats)
        assert theirs["fetched"] >= (method != "fork")
        del x, y


def test_what_was_sent_is_as_of_sending():
    ours, theirs = mp.Pipe()
    x = numbers()
    with ca.by_descriptor():
        ours.send(x)
        x[0] = 99.0
        ours.send(x)
        del x
        first, second = theirs.recv(), theirs.recv()
        assert (first[0], second[0]) == (0.0, 99.0)
        first[1] = 5.0
        assert second[1] == 1.0


def test_views_in_one_message_are_views_of_one_storage():
    x = numbers()
    with worker() as call:
        assert call(same_storage, x, x[: N // 2])[0]
        assert call(same_storage, x[::-1], x[::-1][: N // 2])[0]
        assert not call(same_storage, x, x.copy())[0]
        seen, a, b = call(same_storage, x, x.reshape(2, -1).T[:, 0])
        assert not seen  # a reshape is a copy
        assert x[0] == 0.0
        del a, b


@pytest.mark.parametrize("index", [slice(None, None, -1), slice(3, None), (slice(None), None), slice(None, N // 2)])
@pytest.mark.parametrize("dtype", ["f8", ">i8", "c8", [("a", "i4"), ("b", "f4")], "M8[s]"])
def test_layouts_and_dtypes_travel(index, dtype):
    x = ca.array(np.arange(N).astype("i8").view(dtype) if not isinstance(dtype, list) else np.zeros(N, dtype))
    with ca.by_descriptor():
        y = pickle.loads(message_of(x[index]))
    z = x[index]
    assert (y.shape, y.strides, y.dtype) == (z.shape, z.strides, z.dtype)
    assert y.tobytes() == z.tobytes()
    del x, y, z


def test_read_only_arrays_and_the_standards_arrays_stay_so():
    x = numbers()
    x.flags.writeable = False
    with ca.by_descriptor():
        assert not pickle.loads(message_of(x)).flags.writeable
        y = pickle.loads(message_of(ca.array_api.asarray(np.ones(N))))
        assert isinstance(y.sum(), ca.ndarray)  # a scalar elsewhere
        del y


def test_small_parts_and_small_arrays_go_as_bytes():
    x = numbers(4 * N)
    with ca.by_descriptor():
        before = ca.by_descriptor.stats()
        for part in (x[:100], x[: N - 1], ca.zeros(10), ca.zeros((0, 4))):
            assert np.array_equal(pickle.loads(message_of(part)), part)
        assert ca.by_descriptor.stats() == before
        assert len(message_of(x[:100])) < 2000


def test_what_was_written_densely_goes_as_a_base_of_its_own():
    x = numbers()
    with worker() as call:
        before = call(stats)["sent"]
        y = call(set_elements, x, list(range(0, N, 256)), 3.0)  # every second page
        assert call(stats)["sent"] == before + 1
    expected = np.arange(N, dtype="f8")
    expected[::256] = 3.0
    assert np.array_equal(y, expected)
    del x, y


def _dense(x):
    x[::512] = 3.0  # every page
    return x


@pytest.mark.parametrize(
    "make",
    [
        numbers,
        lambda: ca.asarray(np.arange(N, dtype="f8")),
        lambda: _dense(numbers()),
        lambda: _dense(ca.by_page(numbers())),
        lambda: _dense(ca.by_page(numbers()).copy()),
        lambda: _dense(ca.by_page(numbers(2 * N)).copy())[: N + N // 2].copy(),
        lambda: numbers() + 1.0,
    ],
    ids=["new", "foreign", "written", "by page", "copy", "part", "result"],
)
def test_what_is_sent_often_is_copied_once(make):
    x = make()
    expected = np.array(x)
    with ca.by_descriptor():
        messages = [message_of(x)]
        before = ca.paging_memory()["bases"]
        messages += [message_of(y) for y in (x, x, x.copy(), x[::-1])]
        assert ca.paging_memory()["bases"] == before
        x[5] = -1.0  # what was sent is as of then
        messages.append(message_of(x))
        assert ca.paging_memory()["bases"] == before
        for message in messages[:4]:
            assert np.array_equal(pickle.loads(message), expected)
        assert np.array_equal(pickle.loads(messages[4]), expected[::-1])
        expected[5] = -1.0
        assert np.array_equal(pickle.loads(messages[5]), expected)
        assert np.array_equal(x, expected)
    del x


@pytest.mark.parametrize("kind", ["exported", "history", "file", "foreign"])
def test_memory_that_others_may_change_is_copied_first(kind, tmp_path):
    expected = np.arange(N, dtype="f8")
    held = None
    if kind == "exported":
        x = numbers()
        pin = ca.lend(x)
        held = pin.__enter__()
    elif kind == "history":
        held = ca.History(numbers())
        x = held.state
    elif kind == "file":
        np.save(tmp_path / "x.npy", expected)
        x = ca.load(tmp_path / "x.npy", pages=True)
    else:
        expected.flags.writeable = False
        x = ca.asarray(expected)
    with worker() as call:
        message = message_of(x)
        if kind == "history":
            x[0] = 5.0
            held.commit("later")
        if kind == "file":
            with open(tmp_path / "x.npy", "r+b") as file:
                file.seek(-8, os.SEEK_END)
                file.write(b"12345678")
        assert call(loaded_total, message) == float(np.arange(N, dtype="f8").sum())
    if kind == "exported":
        pin.__exit__(None, None, None)
    del x, held


def test_arrays_that_a_mode_watches_go_as_ever():
    with ca.by_descriptor():
        with ca.budget("64 MiB"):
            x = ca.ones(N) + 1
            assert total(pickle.loads(message_of(x))) == 2.0 * N
        with ca.fake(), pytest.raises((ca.FakeError, TypeError)):
            message_of(ca.ones(N))
        objects = ca.array(np.array([None] * N, dtype=object))
        assert pickle.loads(message_of(objects)).shape == (N,)
        assert ca.by_descriptor.stats()["leases"] == 0
        del x


def test_random_programs_of_two_processes_give_what_numpy_gives():
    seed = chosen_seed()
    rng = random.Random(seed)
    with worker("spawn") as call:
        for _ in range(all_or(500, 25)):
            base = np.array([rng.random() for _ in range(8)] * (N // 8))
            ours, expected = ca.array(base), [base.copy()]
            arrays = [ours]
            for _ in range(rng.randrange(1, 6)):
                i = rng.randrange(len(arrays))
                where = [rng.randrange(N) for _ in range(rng.choice([0, 1, 3, 2000]))]
                value = rng.random()
                if rng.random() < 0.3:
                    set_elements(arrays[i], where, value)
                    expected[i][where] = value
                else:
                    arrays.append(call(set_elements, arrays[i], where, value))
                    expected.append(expected[i].copy())
                    expected[-1][where] = value
            for x, n in zip(arrays, expected, strict=True):
                assert np.array_equal(x, n)
            del arrays, ours, x


def test_a_fork_join_does_not_depend_on_who_came_first():
    rng = random.Random(chosen_seed())
    x = numbers()
    with ca.by_descriptor(), ProcessPoolExecutor(2, mp_context=mp.get_context("fork")) as pool:
        for _ in range(all_or(200, 10)):
            places = [sorted({rng.randrange(N) for _ in range(5)}) for _ in range(4)]
            parts = list(pool.map(set_elements, [x] * 4, places, [1.5] * 4))
            expected = np.arange(N, dtype="f8")
            for where in places:
                expected[where] = 1.5
            assert np.array_equal(ca.merge(x, *parts), expected)
            other = pool.submit(set_elements, x, places[0][:1], 2.5).result()
            with pytest.raises(ca.MergeConflict):
                ca.merge(x, parts[0], other)
            del parts, other
    del x


def test_merges_find_each_conflict():
    rng = random.Random(chosen_seed())
    base = np.arange(N // 2, dtype="f8")
    x, conflicts = ca.array(base), 0
    rounds = all_or(10_000, 100)
    with contextlib.ExitStack() as workers:
        calls = [workers.enter_context(worker("spawn")) for _ in range(4)]
        for _ in range(rounds):
            near = [rng.randrange(N // 2) for _ in range(12)]
            changes = [(rng.choices(near, k=rng.randrange(4)), rng.choice([-1.0, -2.0, base[near[0]]])) for _ in calls]
            parts = [call(set_elements, x, where, value) for call, (where, value) in zip(calls, changes, strict=True)]
            found = {(i, value) for where, value in changes for i in where if base[i] != value}
            expected = base.copy()
            for i, value in found:
                expected[i] = value
            if len(found) > len({i for i, _ in found}):
                conflicts += 1
                with pytest.raises(ca.MergeConflict):
                    ca.merge(x, *parts)
            else:
                assert np.array_equal(ca.merge(x, *parts), expected)
            del parts
    assert rounds / 10 < conflicts < rounds * 9 / 10
    del x


def test_it_is_off_unless_it_is_asked_for():
    x = numbers(N // 2)
    table = dict(ForkingPickler._extra_reducers)
    assert len(message_of(x)) > x.nbytes
    ca.by_descriptor.start()
    with ca.by_descriptor():
        assert len(message_of(x)) < 2000
    assert len(message_of(x)) < 2000
    ca.by_descriptor.stop()
    assert len(message_of(x)) > x.nbytes
    assert ForkingPickler._extra_reducers == table
    with pytest.raises(RuntimeError, match="without a start"):
        ca.by_descriptor.stop()
    for lease in (0, -1, float("nan"), 10**400):
        with pytest.raises(ValueError, match="lease"):
            ca.by_descriptor(lease=lease)
    for lease in ("1h", None, True):
        for take in (ca.by_descriptor, ca.by_descriptor.start):
            with pytest.raises(TypeError, match=r"^by_descriptor: lease must be a number of seconds .got "):
                take(lease=lease)
    for name in list(sharer()._leases):
        sharer().end(name)
    del x


def test_pickles_to_files_stay_whole():
    x = numbers(N // 2)
    file = io.BytesIO()
    with ca.by_descriptor():
        pickle.dump(x, file)
    assert len(file.getvalue()) > x.nbytes


def test_four_workers_share_the_bytes():
    n = 1 << 24  # 128 MiB
    x = ca.by_page(ca.ones(n))
    assert x.sum() == n  # its pages are in this process, too
    with ca.by_descriptor(), ProcessPoolExecutor(4, mp_context=mp.get_context("spawn")) as pool:
        found = [pool.submit(read_all, x) for _ in range(4)]
        assert [future.result()[0] for future in found] == [n] * 4
        assert max(future.result()[1] for future in found) < 8 << 20
    del x
