"""distributed sends our arrays without a copy, and what a task writes neither another task nor the client sees."""

import os
import signal
import time

import numpy as np
import pytest
from support.limits import LONGEST

import cowarray

distributed = pytest.importorskip("distributed", reason="distributed is not installed; it comes with cowarray[engines]")

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs: ports, slow starts

ELEMENTS = 1 << 18


@pytest.fixture(scope="module")
def cluster():
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None)
    with cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=LONGEST)
        yield client


@pytest.fixture
def state():
    return cowarray.array(np.arange(float(ELEMENTS)))


def copied(function):
    """The function, and what the process copied while it ran."""

    def call(*args):
        import cowarray

        before = cowarray.stats()["bytes_copied"]
        result = function(*args)
        return result, cowarray.stats()["bytes_copied"] - before

    return call


def copied_so_far():
    import cowarray

    return cowarray.stats()["bytes_copied"]


def test_what_is_sent_is_the_array_itself(state):
    from distributed.protocol import deserialize, serialize

    cowarray.reset_stats()
    header, frames = serialize(state)
    assert any(cowarray.shares_bytes(np.frombuffer(frame), state) for frame in frames[1:])
    assert cowarray.shares_bytes(deserialize(header, frames), state)
    assert cowarray.stats()["bytes_copied"] == 0


# The first array of a message arrives behind the header, nearly always at an odd address, and is copied to an even one.
FIRST = cowarray.array(np.arange(8.0))


def test_a_worker_gets_it_writable_and_copies_at_the_first_write(client, state):
    [worker, _] = client.scheduler_info()["workers"]
    before = client.run(copied_so_far, workers=[worker])[worker]
    [future] = client.scatter([[FIRST, state]], workers=[worker])
    read = client.submit(copied(lambda x: (type(x[1]).__name__, float(x[1].sum()), x[1].flags.writeable)), future)
    assert read.result() == (("ndarray", float(state.sum()), True), 0)
    arrived = client.run(copied_so_far, workers=[worker])[worker] - before
    assert arrived <= FIRST.nbytes, "copied on arrival"
    write = client.submit(copied(cowarray.isolated(lambda x: x[1].__setitem__(0, 5))), future)
    assert write.result() == (None, state.nbytes)
    assert client.submit(lambda x: float(x[1][0]), future).result() == 0


def test_results_come_back_without_a_copy(client, state):
    future = client.submit(lambda x: [x[:8].copy(), x * 2], client.scatter(state))
    distributed.wait(future)
    cowarray.reset_stats()
    _, found = future.result()
    assert type(found) is cowarray.ndarray
    found.sum()
    assert cowarray.stats()["bytes_copied"] <= FIRST.nbytes
    cowarray.reset_stats()
    found[0] = 1
    assert cowarray.stats()["bytes_copied"] == found.nbytes


def test_whatever_arrives_is_aligned(client, state):
    """However long the header: NumPy computes slowly with what is not, and sums it in other steps."""
    for length in range(8):
        found = client.submit(lambda x, name: (x, name), client.scatter(state), "n" * length, pure=False).result()
        assert found[0].flags.aligned
        assert found[0].sum() == state.sum()


@pytest.mark.parametrize("hand_in", ["a future", "the array", "numpy's"])
def test_tasks_that_write_their_input_change_nobodys(client, state, hand_in):
    given = {"a future": client.scatter(state, broadcast=True), "the array": state, "numpy's": state.to_numpy()}[
        hand_in
    ]

    def add(x, number):
        x += number
        return float(x[1])

    added = client.map(cowarray.isolated(add), [given] * 12, range(12), pure=False)
    assert client.gather(added) == [1.0 + number for number in range(12)]
    assert client.submit(lambda x: float(x[1]), given).result() == 1
    assert state[1] == 1


def test_arrays_within_other_things_arrive(client, state):
    given = {"state": [state, 1], "part": (state[:100], state.reshape(2, -1).T)}
    found = client.submit(lambda given: given, given).result()
    assert (found["state"][0] == state).all()
    assert (found["part"][1] == given["part"][1]).all()
    assert type(found["part"][0]) is cowarray.ndarray


def test_collections_are_computed_by_the_workers(client):
    dask = pytest.importorskip("dask")
    da = pytest.importorskip("dask.array")
    with dask.config.set({"array.backend": "cowarray"}):
        x = da.random.default_rng(3).normal(size=(400, 300), chunks=(100, 100)).persist()
        found = [(x @ x.T).sum(axis=0).compute(), da.percentile(x[:, 0], [50]).compute()]
        expected = x.compute().to_numpy()
    assert [type(each) for each in found] == [cowarray.ndarray] * 2
    np.testing.assert_allclose(found[0], (expected @ expected.T).sum(axis=0), rtol=1e-10)


def test_after_a_worker_has_died_all_results_are_right(client, cluster, state):
    """The state is a task: what only the dead worker had is made again."""
    made = client.submit(lambda: __import__("cowarray").arange(ELEMENTS, dtype=float), pure=False)

    def slow(x, number):
        time.sleep(0.1)
        x *= number
        return float(x[1])

    futures = client.map(cowarray.isolated(slow), [made] * 20, range(20), pure=False)
    next(distributed.as_completed(futures)).result()
    victim = next(iter(client.who_has([made]).values()))[0]
    os.kill(client.run(os.getpid, workers=[victim])[victim], signal.SIGKILL)
    assert client.gather(futures) == [float(number) for number in range(20)]
    client.wait_for_workers(2, timeout=LONGEST)
    assert float(client.submit(lambda x: x.sum(), made).result()) == float(state.sum())


def test_a_cluster_that_grows_goes_on(client, cluster, state):
    future = client.scatter(state)
    cluster.scale(3)
    client.wait_for_workers(3, timeout=LONGEST)
    pids = client.map(cowarray.isolated(lambda x, i: (x.fill(i), float(x[0]))[1]), [future] * 9, range(9), pure=False)
    assert client.gather(pids) == list(map(float, range(9)))
    assert set(client.run(lambda: 1).values()) == {1}
    cluster.scale(2)
