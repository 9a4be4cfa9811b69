"""joblib's workers may write to what they are given, mapped memory included, and nobody else sees it."""

import os
import signal

import numpy as np
import pytest

import cowarray

joblib = pytest.importorskip("joblib", reason="joblib is not installed; it comes with cowarray[engines]")

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs: a worker that stopped

ELEMENTS = 1 << 18  # more than the megabyte from which joblib maps arrays


@cowarray.isolated
def add(x, number):
    import cowarray

    before = cowarray.stats()["bytes_copied"]
    x[0] += number
    return type(x).__name__, float(x[0]), cowarray.stats()["bytes_copied"] - before


@pytest.mark.sampled
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
@pytest.mark.parametrize("kind", ["ours", "snapshot", "numpy's", "mapped"])
def test_workers_write_and_nobody_sees_it(tmp_path, kind, backend):
    n = np.arange(float(ELEMENTS))
    np.save(tmp_path / "n.npy", n)
    given = {
        "ours": lambda: cowarray.array(n),
        "snapshot": lambda: cowarray.array(n).to_numpy(),
        "numpy's": lambda: n,
        "mapped": lambda: np.load(tmp_path / "n.npy", mmap_mode="r"),
    }[kind]()
    with joblib.parallel_config(backend, n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(add)(given, number) for number in range(6))
    assert [value for _, value, _ in found] == [0, 1, 2, 3, 4, 5]
    assert {name for name, _, _ in found} == {"ndarray"}
    assert given[0] == n[0] == np.load(tmp_path / "n.npy")[0] == 0


@pytest.mark.parametrize("kind", ["snapshot", "numpy's"])
def test_what_joblib_maps_is_shared_until_a_worker_writes(kind):
    n = np.arange(float(ELEMENTS))
    given = cowarray.array(n).to_numpy() if kind == "snapshot" else n

    @cowarray.isolated
    def read_and_write(x):
        import cowarray

        before = cowarray.stats()["bytes_copied"]
        x.sum()
        read = cowarray.stats()["bytes_copied"]
        x[0] = 5
        return read - before, cowarray.stats()["bytes_copied"] - read

    # Not more than one task a worker, so that nothing else is counted.
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(read_and_write)(given) for _ in range(2))
    assert found == [(0, n.nbytes)] * 2


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
@pytest.mark.parametrize("as_numpy", [False, True])
def test_a_write_to_a_large_array_that_joblib_maps_costs_its_page(as_numpy, backend):
    n = np.arange(float(32 * ELEMENTS))  # 64 MiB
    with joblib.parallel_config(backend, n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(in_a_task)(n, number, as_numpy) for number in range(8))
    assert [(value, total) for value, total, _, _ in found] == [(number, float(n.sum())) for number in range(8)]
    assert {copied for _, _, copied, _ in found} <= {0, 4096}
    assert {pages for *_, pages in found} == {4096}
    assert n[0] == 0


def write_one(x, number):
    total = float(np.asarray(x).sum())
    before = cowarray.stats()["bytes_copied"]
    x[0] = number
    copied = cowarray.stats()["bytes_copied"] - before
    owner = x.base if type(x) is np.ndarray else x
    return float(np.asarray(x)[0]), total, copied, owner.storage.own_nbytes


def in_a_task(x, number, as_numpy):
    return cowarray.isolated(write_one, as_numpy=as_numpy)(x, number)


def test_without_isolated_a_mapped_array_cannot_be_written():
    """As joblib has it: the map is read-only, and NumPy's array says so."""

    def write(x):
        x[0] = 1

    with pytest.raises(ValueError, match="read-only"):
        joblib.Parallel(n_jobs=2)(joblib.delayed(write)(np.arange(float(ELEMENTS))) for _ in range(2))


def test_after_a_worker_has_died_the_rest_can_be_run(tmp_path):
    n = np.arange(float(ELEMENTS))
    mark = str(tmp_path / "died")

    @cowarray.isolated
    def scale(x, number):
        if number == 3 and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        x *= number
        return number, float(x[1])

    from joblib.externals.loky.process_executor import TerminatedWorkerError

    found = {}
    while len(found) < 8:
        missing = [joblib.delayed(scale)(n, number) for number in range(8) if number not in found]
        try:
            for number, value in joblib.Parallel(n_jobs=2, return_as="generator_unordered")(missing):
                found[number] = value
        except TerminatedWorkerError:
            assert os.path.exists(mark)
    assert found == {number: float(number) for number in range(8)}
    assert n[1] == 1


def marked(x, i):
    import cowarray

    x[i] = -1.0
    return x, cowarray.by_descriptor.stats()


def test_large_arrays_go_to_lokys_workers_and_back_as_descriptors():
    n = np.arange(4.0 * ELEMENTS)
    x = cowarray.array(n)
    with (
        cowarray.by_descriptor(),
        joblib.parallel_config("loky", n_jobs=2, initializer=cowarray.by_descriptor.start),
    ):
        found = joblib.Parallel()(joblib.delayed(marked)(x, i) for i in range(4))
    assert np.array_equal(x, n)
    n[:4] = -1.0
    assert np.array_equal(cowarray.merge(x, *[part for part, _ in found]), n)
    assert {figures["sent_as_bytes"] for _, figures in found} == {0}
    assert cowarray.by_descriptor.stats()["held"] >= 4
