"""`isolated(as_numpy=True)`: arguments are writable NumPy arrays of the call's own, and results are NumPy's."""

import asyncio
import functools
import inspect
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cowarray
from cowarray import array_api

N = 1 << 20  # of float64: 8 MiB, from which pages are shared
PAGE = 4096

taken = cowarray.isolated(lambda x: x, as_numpy=True)


def frozen(n):
    n.flags.writeable = False
    return n


SOURCES = {
    "ours": cowarray.array,
    "ours, shared": lambda n: (x := cowarray.array(n), x.copy())[1],
    "ours, read-only": lambda n: (x := cowarray.array(n), x.setflags(write=False))[0],
    "ours, a view": lambda n: cowarray.array(np.concatenate([n, n]))[: len(n)],
    "ours, by the page": lambda n: cowarray.array(n).by_page(),
    "ours, a copy by the page": lambda n: cowarray.array(n).by_page().copy(),
    "the standard's": array_api.asarray,
    "a snapshot": lambda n: cowarray.array(n).to_numpy(),
    "a part of a snapshot": lambda n: cowarray.array(np.concatenate([n, n])).to_numpy()[: len(n)],
    "NumPy's": np.array,
    "NumPy's, read-only": lambda n: frozen(np.array(n)),
    "NumPy's, read-only view": lambda n: frozen(np.array(n)[:]),
    "bytes": lambda n: np.frombuffer(n.tobytes()),
}
SHAPES = {
    "in a row": lambda n: n,
    "transposed": lambda n: n.reshape(-1, 8).T,
    "backwards": lambda n: n[::-1],
    "every other": lambda n: n[::2],
    "no elements": lambda n: n[:0],
    "no axes": lambda n: n[3:4].reshape(()),
}


@pytest.mark.parametrize("count", [1000, N], ids=["small", "large"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("source", SOURCES)
def test_arguments_are_writable_arrays_of_the_calls_own(source, shape, count):
    x = SHAPES[shape](SOURCES[source](np.arange(float(count))))
    expected = np.array(x)
    own = taken(x)
    assert type(own) is np.ndarray
    assert own.flags.writeable
    assert (own.shape, own.dtype) == (x.shape, x.dtype)
    assert np.array_equal(own, expected)
    assert np.asarray(own) is own
    own += 1
    assert np.array_equal(own, expected + 1)
    assert np.array_equal(x, expected)
    if x.flags.writeable:
        x[...] = -1
    assert np.array_equal(own, expected + 1), "the other way round"


OTHERS = {
    "objects": lambda: cowarray.array([None, "text", 3], dtype=object),
    "text": lambda: cowarray.array(["some", "text"], dtype=np.dtypes.StringDType()),
    "dates": lambda: cowarray.array(["2026-01-01", "NaT"], dtype="M8[D]"),
    "fields": lambda: cowarray.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    "overlapping": lambda: cowarray.broadcast_to(cowarray.array(np.arange(4.0)), (3, 4)),
    "overlapping of NumPy's": lambda: np.broadcast_to(np.arange(4.0), (3, 4)),
    "many objects": lambda: cowarray.array([None] * N, dtype=object),
    "pinned": lambda: (x := cowarray.zeros(N), x.to_numpy(writable=True))[0],
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_arrays_are_copied(what):
    x = OTHERS[what]()
    own = taken(x)
    assert type(own) is np.ndarray
    assert (own.dtype, own.shape) == (x.dtype, x.shape)
    before = x.tolist()
    own[...] = own[(0,) * own.ndim]
    own[-1:] = own[:1]
    assert x.tolist() == before


def test_a_deferred_array_is_made():
    with cowarray.deferred():
        later = cowarray.zeros(N) + 1
    own = taken(later)
    own[0] = 5
    assert (later[0], own[1]) == (1, 1)


def test_modes_say_what_they_say_elsewhere():
    with pytest.raises(cowarray.FakeError):
        taken(cowarray.fake_like(cowarray.zeros(N)))
    with cowarray.budget("1 GiB"):
        managed = cowarray.zeros(N) + 1
    own = taken(managed)
    own[0] = 5
    assert (managed[0], own[1]) == (1, 1)
    n = np.zeros(N)
    with cowarray.aliasing():
        taken(n)[0] = 5
    assert n[0] == 0


@pytest.mark.parametrize("source", ["ours", "ours, by the page", "ours, a copy by the page", "a snapshot"])
def test_a_write_to_a_large_array_costs_its_page(can_page, source):
    x = SOURCES[source](np.arange(float(N)))
    taken(x)  # makes the base, if there is none
    cowarray.reset_stats()
    for number in range(1, 5):
        own = taken(x)
        own[number * 512] = -1
        assert own.base.storage.own_nbytes == PAGE
        assert (own[number * 512], x[number * 512]) == (-1, number * 512)
    assert cowarray.stats()["bytes_copied"] == 0


def test_random_tasks_compute_what_numpy_does(can_page):
    chance = np.random.default_rng(seed := 20261125)
    x = cowarray.array(np.arange(float(N)))
    for step in range(40):
        own, theirs = taken(x), x.to_numpy().copy()
        for _ in range(10):
            part = slice(*sorted(chance.integers(0, N, 2)), int(chance.integers(1, 600)))
            for each in (own, theirs):
                each[part] += step
        assert np.array_equal(own, theirs), f"seed {seed}, step {step}"
        if step % 7 == 0:
            x[int(chance.integers(N))] = step
    assert np.array_equal(taken(x), x)


# ---- results ---------------------------------------------------------------------------------------------------------


def test_results_are_numpys_arrays():
    ours = cowarray.array(np.arange(4.0))

    @cowarray.isolated(as_numpy=True)
    def task(x):
        made = cowarray.asarray(x) + 1
        return {"made": made, "again": [made, (x, "text")], "kept": ours.copy()}

    result = task(np.zeros(4))
    assert type(result["made"]) is np.ndarray
    assert result["again"][0] is result["made"]
    assert result["made"].tolist() == [1, 1, 1, 1]
    assert result["again"][1][1] == "text"
    for each in (result["made"], result["again"][1][0], result["kept"]):
        each[0] = -5
    assert result["kept"].tolist() == [-5, 1, 2, 3]
    assert ours[0] == 0


def test_a_result_that_is_the_tasks_own_is_not_copied():
    @cowarray.isolated(as_numpy=True)
    def make():
        x = cowarray.zeros(N)
        return x[:5], x

    cowarray.reset_stats()
    view, whole = make()
    assert type(view) is type(whole) is np.ndarray
    view[0] = 7
    assert whole[0] == 7, "views in the result stay views"
    assert cowarray.stats()["bytes_copied"] == 0


# ---- the decorator ---------------------------------------------------------------------------------------------------


@cowarray.isolated(as_numpy=True)
def doubled(x, times=1):
    """Double it."""
    for _ in range(times):
        np.asarray(x)[...] *= 2
    return x


def test_it_is_a_decorator_with_and_without_arguments():
    x = cowarray.ones(3)
    assert doubled(x, times=2).tolist() == [4, 4, 4]
    assert x.tolist() == [1, 1, 1]
    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Double it.")
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    for decorate in (cowarray.isolated(), cowarray.isolated(as_numpy=False)):
        assert type(decorate(lambda x: x)(x)) is cowarray.ndarray


def test_bad_arguments():
    with pytest.raises(TypeError, match=r"isolated: as_numpy must be True or False \(got 1\)"):
        cowarray.isolated(as_numpy=1)
    with pytest.raises(TypeError, match=r"isolated: expected a function \(got int\)"):
        cowarray.isolated(as_numpy=True)(5)
    with pytest.raises(ZeroDivisionError):
        cowarray.isolated(lambda: 1 / 0, as_numpy=True)()


def test_what_is_awaited_becomes_numpys_and_arguments_are_the_calls_own_at_once():
    @cowarray.isolated(as_numpy=True)
    async def work(x):
        await asyncio.sleep(0)
        assert type(x) is np.ndarray
        x[0] += 1
        return {"ours": cowarray.asarray(x), "n": x}

    async def work_twice(x):
        waiting = [work(x), work(x)]
        x[0] = 9
        return await asyncio.gather(*waiting)

    x = cowarray.ones(3)
    for found in asyncio.run(work_twice(x)):
        assert (type(found["ours"]), found["ours"].tolist()) == (np.ndarray, [2, 1, 1])
        assert found["n"].tolist() == [2, 1, 1]
    assert x.tolist() == [9, 1, 1]
    if sys.version_info >= (3, 12):
        assert inspect.iscoroutinefunction(work)


def test_whatever_gives_a_coroutine_gives_numpys_arrays():
    class Later:
        async def __call__(self, x):
            await asyncio.sleep(0)
            return cowarray.asarray(x)

    for function in (Later(), functools.partial(Later()), staticmethod(Later().__call__)):
        assert type(asyncio.run(cowarray.isolated(function, as_numpy=True)(cowarray.zeros(3)))) is np.ndarray


def test_a_coroutines_pages_are_the_calls_until_its_end(can_page):
    x = cowarray.zeros(N)

    @cowarray.isolated(as_numpy=True)
    async def work(x):
        await asyncio.sleep(0)
        x[0] = 1
        return x[0]

    assert asyncio.run(work(x)) == 1
    assert x[0] == 0


def test_generators_have_no_result_that_could_become_numpys():
    def steps(x):
        yield x

    async def later_steps(x):
        yield x

    for function in (steps, later_steps):
        with pytest.raises(
            TypeError, match=r"^isolated: .*a generator has no result .got <function .*isolate what it calls"
        ):
            cowarray.isolated(function, as_numpy=True)


def test_arrays_of_numpys_subclasses_keep_their_class():
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    own = taken(masked)
    own[1] = 5
    assert type(own) is np.ma.MaskedArray
    assert masked.mask.tolist() == [False, True]


@pytest.mark.threads
def test_tasks_on_threads_see_what_was_submitted():
    state = cowarray.array(np.ones(N))
    gate = threading.Barrier(8)

    @cowarray.isolated(as_numpy=True)
    def task(x, number):
        if number < 8:
            gate.wait(60)
        x[number * 100 : number * 100 + 1000] *= number
        return x.sum()

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda number: task(state, number), range(60)))
    assert results == [N + 1000.0 * (number - 1) for number in range(60)]
    assert state.sum() == N
