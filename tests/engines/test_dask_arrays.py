"""Dask makes, computes with and measures our arrays, and its tasks may write to what they are given.

On threads here; `test_distributed` has processes. It comes with cowarray[producers] and cowarray[engines].
"""

import operator
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import entry_points

import numpy as np
import pytest

import cowarray

da = pytest.importorskip("dask.array", reason="dask is not installed; it comes with cowarray[engines]")
dask = pytest.importorskip("dask")

pytestmark = pytest.mark.skipif(
    "cowarray" not in entry_points(group="dask.array.backends").names,
    reason="the package is not installed, so dask does not know of it",
)


@pytest.fixture(autouse=True)
def ours():
    """Dask's own threads would stay for the tests after this one."""
    with ThreadPoolExecutor(2) as pool, dask.config.set({"array.backend": "cowarray", "pool": pool}):
        da.ones(1)  # dask finds the backend, which enters our arrays with it, at its first use
        yield


def chunks_of(array):
    """What each task of an array gives."""
    return [chunk.compute() for chunk in array.to_delayed().ravel()]


def is_ours(array):
    return type(array._meta) is cowarray.ndarray and all(type(chunk) is cowarray.ndarray for chunk in chunks_of(array))


CREATED = {
    "ones": lambda: da.ones((4, 6), chunks=3),
    "zeros": lambda: da.zeros((4, 6), chunks=3, dtype="i4"),
    "full": lambda: da.full((4, 6), 7.5, chunks=3),
    "arange": lambda: da.arange(10, chunks=4),
    "arange from 1": lambda: da.arange(1, 10, 2, chunks=4, dtype="f4"),
    "ones_like": lambda: da.ones_like(da.zeros((4, 6), chunks=3)),
    "from_array": lambda: da.from_array(cowarray.array(np.arange(12.0)), chunks=5),
    "random": lambda: da.random.default_rng(5).normal(size=(4, 6), chunks=3),
    "RandomState": lambda: da.random.RandomState(5).uniform(size=(4, 6), chunks=3),
    "to_backend": lambda: da.from_array(np.arange(12.0), chunks=5).to_backend("cowarray"),
}


@pytest.mark.parametrize("create", CREATED.values(), ids=CREATED)
def test_what_dask_makes_is_ours_and_has_numpys_values(create):
    array = create()
    assert is_ours(array)
    found = array.compute(scheduler="threads")
    with dask.config.set({"array.backend": "numpy"}):
        expected = create()
        assert (array.dtype, array.chunks) == (expected.dtype, expected.chunks)
        assert found.tolist() == expected.compute(scheduler="threads").tolist()


def test_empty_is_ours():
    assert is_ours(da.empty((4, 6), chunks=3))


def test_what_dask_takes_for_numpys_is_ours_all_the_same():
    """Recorded: here dask asks for a result without axes to know the type, and gets NumPy's scalar."""
    array = da.random.default_rng(5).choice(10, size=6, chunks=3)
    assert type(array._meta) is np.ndarray
    assert type(array.compute()) is cowarray.ndarray


MATRIX = np.random.default_rng(7).normal(size=(12, 8))
COMPUTED = {
    "+ 1": lambda x: x + 1,
    "transposed": lambda x: x.T,
    "slices": lambda x: x[2:9, ::2],
    "elements": lambda x: x[[1, 5, 2]],
    "a mask": lambda x: x[x > 0],
    "reshape": lambda x: x.reshape(96),
    "rechunk": lambda x: x.rechunk((5, 5)),
    "concatenate": lambda x: da.concatenate([x, x], axis=1),
    "stack": lambda x: da.stack([x, x]),
    "matmul": lambda x: x @ x.T,
    "tensordot": lambda x: da.tensordot(x, x.T, axes=1),
    "einsum": lambda x: da.einsum("ij,kj->ik", x, x),
    "sum": lambda x: x.sum(axis=0),
    "mean": lambda x: x.mean(axis=1),
    "var": lambda x: x.var(axis=0),
    "nanmean": lambda x: da.nanmean(x, axis=0),
    "argmax": lambda x: x.argmax(axis=1),
    "cumsum": lambda x: x.cumsum(axis=0),
    "topk": lambda x: x.topk(2, axis=0),
    "where": lambda x: da.where(x > 0, x, 0),
    "overlap": lambda x: x.map_overlap(lambda block: block * 2, depth=1, boundary="nearest"),
    "pad": lambda x: da.pad(x, 2),
    "svd": lambda x: da.linalg.svd(x.rechunk((4, 8)))[1],
    "qr": lambda x: abs(da.linalg.qr(x.rechunk((4, 8)))[1]),
    "fft": lambda x: da.fft.fft(x.rechunk((4, 8)), axis=1),
    "percentile": lambda x: da.percentile(x[:, 0], [25, 50]),
    "median": lambda x: da.median(x, axis=0),
    "histogram": lambda x: da.histogram(x, bins=4, range=(-2, 2))[0],
    "broadcast_to": lambda x: da.broadcast_to(x, (2, 12, 8)),
    "setitem": lambda x: assigned(x.copy()),
}


def assigned(x):
    x[2:5] = 9
    return x


@pytest.mark.parametrize("compute", COMPUTED.values(), ids=COMPUTED)
def test_what_dask_computes_has_numpys_values_and_writes_to_no_source(compute):
    source = cowarray.array(MATRIX)
    kept = source.copy()
    found = compute(da.from_array(source, chunks=(4, 4))).compute(scheduler="threads")
    expected = compute(da.from_array(MATRIX, chunks=(4, 4))).compute(scheduler="threads")
    assert type(found) is cowarray.ndarray
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert (source == kept).all()


@pytest.mark.parametrize("function", [operator.add, operator.matmul, np.add, np.dot, np.multiply])
def test_dasks_arrays_and_ours_meet(function):
    x = cowarray.array(MATRIX[:8])
    lazy = da.from_array(x, chunks=4)
    for left, right in ((x, lazy), (lazy, x)):
        found = function(left, right)
        assert type(found) is da.Array
        np.testing.assert_allclose(found.compute(scheduler="sync"), function(MATRIX[:8], MATRIX[:8]))


def test_back_to_numpy():
    x = da.ones(4, chunks=2).to_backend("numpy")
    assert type(x._meta) is np.ndarray
    assert type(x.compute()) is np.ndarray


# ---- tasks that write ------------------------------------------------------------------------------------------------


def negate(block):
    block *= -1
    return block


@pytest.mark.threads
@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_tasks_that_write_never_change_a_neighbours_input(scheduler):
    source = cowarray.array(np.arange(1000.0))
    state = da.from_array(source, chunks=100).persist(scheduler=scheduler)
    changed = [state.map_blocks(cowarray.isolated(negate), dtype=float) * factor for factor in (1, 2, 3)]
    *results, after = dask.compute(*changed, state, scheduler=scheduler)
    for factor, result in zip((1, 2, 3), results, strict=True):
        assert result.tolist() == [-factor * i for i in range(1000)]
    assert after.tolist() == source.tolist() == list(range(1000))


@pytest.mark.threads
@pytest.mark.parametrize("kind", ["ours", "a map"])
def test_a_write_to_a_large_array_costs_its_page_on_threads(tmp_path, kind):
    if cowarray.zeros(1 << 20).by_page().storage.own_nbytes > 4096:
        pytest.skip("the system grants no pages")
    n = np.arange(float(1 << 20))  # 8 MiB
    np.save(tmp_path / "n.npy", n)
    source = cowarray.array(n) if kind == "ours" else np.load(tmp_path / "n.npy", mmap_mode="r")

    @cowarray.isolated(as_numpy=True)
    def write(x, number):
        assert np.asarray(x) is x
        x[:3] = -number
        return x[:4], x.base.storage.own_nbytes

    # dask.array would hand tasks copies of a map's chunks, which it makes itself.
    found = dask.compute(*[dask.delayed(write)(source, number) for number in range(12)], scheduler="threads")
    assert [(x.tolist(), own) for x, own in found] == [([-i, -i, -i, 3], 4096) for i in range(12)]
    assert (np.asarray(source) == n).all()


def test_without_isolated_they_do():
    """As with NumPy: a task is given the very chunk that others are given."""
    state = da.from_array(cowarray.array(np.arange(8.0)), chunks=8).persist(scheduler="sync")
    assert dask.compute(state.map_blocks(negate, dtype=float), scheduler="sync")[0][3] == -3
    assert state.compute(scheduler="sync")[3] == -3


def test_what_dask_makes_by_broadcasting_may_be_written():
    found = da.ones(10, chunks=5).map_blocks(cowarray.isolated(negate), dtype=float).compute()
    assert found.tolist() == [-1] * 10


def test_a_wrapped_function_has_one_name_to_dask():
    tokenize = dask.base.tokenize
    assert tokenize(cowarray.isolated(negate)) == tokenize(cowarray.isolated(negate))
    assert tokenize(cowarray.isolated(negate)) != tokenize(negate)


# ---- what dask looks at ----------------------------------------------------------------------------------------------


def test_views_have_the_size_of_their_elements():
    from dask.sizeof import sizeof

    x = cowarray.array(np.ones((100, 100)))
    assert [sizeof(each) for each in (x, x[1:], x.copy(), x[::2, ::2])] == [80000, 79200, 80000, 20000]
    assert sizeof(cowarray.broadcast_to(x, (50, 100, 100))) == 80000
    assert sizeof(x[:0]) == 0


def test_equal_arrays_have_one_name_and_others_another():
    tokenize = dask.base.tokenize
    x = cowarray.array(np.arange(12.0).reshape(3, 4))
    cowarray.reset_stats()
    assert tokenize(x) == tokenize(x.copy()) == tokenize(cowarray.array(x.to_numpy(), copy=True))
    assert cowarray.stats()["copies"] == 0
    others = [x + 1, x.T, x.reshape(4, 3), x.astype("f4"), x.astype("i8")]
    assert len({tokenize(each) for each in (x, *others)}) == 1 + len(others)


def test_the_first_array_that_dask_measures_registers_everything():
    """A worker has made no array by the backend: it gets them from others."""
    program = (
        "import dask.array as da, cowarray\n"
        "from dask.sizeof import sizeof\n"
        "from dask.array.dispatch import percentile_lookup\n"
        "sizeof(cowarray.ones(3))\n"
        "percentile_lookup.dispatch(cowarray.ndarray)\n"
        "print(da.core.is_valid_chunk_type(cowarray.ndarray))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "True\n"


def test_to_import_us_imports_nothing_of_dask():
    program = "import sys, cowarray; print([name for name in sys.modules if name.startswith('dask')])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"
