"""Arrays go into Ray's store and out of it without a copy, and what a worker writes the store never sees."""

import os
import signal

import numpy as np
import pytest

import cowarray

ray = pytest.importorskip("ray", reason="ray is not installed; it comes with cowarray[engines]")

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs: sockets and files that are left open

ELEMENTS = 1 << 18  # more than what Ray sends along with a task instead of storing it


@pytest.fixture(scope="module", autouse=True)
def store():
    # Workers look where this process looks.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([os.path.dirname(os.path.dirname(cowarray.__file__))]))
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=300 << 20)
        yield
        ray.shutdown()


@pytest.fixture
def state():
    return cowarray.array(np.arange(float(ELEMENTS)))


def test_what_is_put_and_got_is_not_copied_and_may_be_written(state):
    cowarray.reset_stats()
    stored = ray.put(state)
    assert cowarray.stats()["bytes_copied"] == 0
    got, again = ray.get([stored, stored])
    assert type(got) is cowarray.ndarray
    assert cowarray.shares_bytes(got, again), "both lie in the store"
    assert cowarray.stats()["bytes_copied"] == 0
    got[0] = 5
    got += 1
    assert cowarray.stats()["bytes_copied"] == state.nbytes
    assert (again == state).all()
    assert (ray.get(stored) == state).all()


def test_a_worker_writes_and_the_store_stays(state):
    @ray.remote
    @cowarray.isolated
    def add(x, number):
        import cowarray

        before = cowarray.stats()["bytes_copied"]
        total = float(x.sum())
        read = cowarray.stats()["bytes_copied"]
        x[1] += number
        return type(x).__name__, total, read - before, float(x[1]), cowarray.stats()["bytes_copied"] - read

    for given in (state, state.to_numpy(), np.array(state)):
        stored = ray.put(given)
        found = ray.get([add.remote(stored, number) for number in range(6)])
        assert found == [("ndarray", float(state.sum()), 0, 1.0 + number, state.nbytes) for number in range(6)]
        assert (ray.get(stored) == state).all()


@pytest.mark.parametrize("as_numpy", [False, True])
@pytest.mark.parametrize("kind", ["ours", "numpy's"])
def test_a_write_to_a_large_array_costs_its_page(kind, as_numpy):
    n = np.arange(float(32 * ELEMENTS))  # 64 MiB

    def write(x, number):
        x[1] += number
        owner = x.base if type(x) is np.ndarray else x
        return type(x).__module__, float(x[1]), owner.storage.own_nbytes

    call = cowarray.isolated(write, as_numpy=as_numpy)

    @ray.remote
    def task(x, number):
        import cowarray

        before = cowarray.stats()["bytes_copied"]
        return *call(x, number), cowarray.stats()["bytes_copied"] - before

    stored = ray.put(n if kind == "numpy's" else cowarray.array(n))
    found = ray.get([task.remote(stored, number) for number in range(6)])
    module = "numpy" if as_numpy else "cowarray"
    assert [each[:3] for each in found] == [(module, 1.0 + number, 4096) for number in range(6)]
    assert {copied for *_, copied in found} <= {0, 4096}
    assert (np.asarray(ray.get(stored)) == n).all()


@pytest.mark.parametrize("as_numpy", [False, True])
def test_pages_of_the_store_stay_what_they_were_while_an_array_has_them(as_numpy):
    """The store uses memory again once nobody needs the object."""

    @ray.remote
    class Keeper:
        def keep(self, x):
            self.kept = cowarray.isolated(lambda x: x, as_numpy=as_numpy)(x)
            self.kept[0] = -1

        def are_right(self):
            return bool(np.asarray(self.kept)[0] == -1 and (np.asarray(self.kept)[1:] == 7).all())

    keeper = Keeper.remote()
    ray.get(keeper.keep.remote(ray.put(np.full(32 * ELEMENTS, 7.0))))
    for number in range(8):  # 512 MiB in a store of 300
        stored = ray.put(np.full(32 * ELEMENTS, float(number)))
        assert ray.get(stored)[5] == number
        del stored
        assert ray.get(keeper.are_right.remote())


def test_without_isolated_our_arrays_may_be_written_too(state):
    """What Ray hands over is the task's own object."""

    @ray.remote
    def add(x, number):
        x[1] += number
        return float(x[1])

    stored = ray.put(state)
    assert ray.get([add.remote(stored, number) for number in range(4)]) == [1.0, 2.0, 3.0, 4.0]


def test_parts_of_a_state_are_copied_one_by_one(state):
    @ray.remote
    def edit(strips, which):
        import cowarray

        before = cowarray.stats()["bytes_copied"]
        strips[which] *= -1
        return cowarray.stats()["bytes_copied"] - before, sum(float(strip.sum()) for strip in strips)

    strips = [strip.copy() for strip in cowarray.split(state, 8)]
    stored = ray.put(strips)
    for which, (copied, total) in enumerate(ray.get([edit.remote(stored, which) for which in range(8)])):
        assert copied == 0, "all of a strip was replaced"
        assert total == float(state.sum()) - 2 * float(strips[which].sum())


def test_an_actor_keeps_snapshots(state):
    @ray.remote
    class Simulation:
        def __init__(self, state):
            self.state, self.kept = state, []

        def step(self, number):
            self.kept.append(self.state.copy())
            self.state[0] = number
            return self.state

        def back(self):
            self.state = self.kept.pop()
            return float(self.state[0])

    stored = ray.put(state)
    actor = Simulation.remote(stored)
    shown = [actor.step.remote(number) for number in (1.0, 2.0, 3.0)]
    assert [float(x[0]) for x in ray.get(shown)] == [1, 2, 3]
    assert [ray.get(actor.back.remote()) for _ in range(3)] == [2, 1, 0]
    assert [float(x[0]) for x in ray.get(shown)] == [1, 2, 3], "what was shown stays"
    assert ray.get(stored)[0] == 0


def test_after_a_worker_has_died_the_task_is_run_again(tmp_path, state):
    mark = str(tmp_path / "died")

    @ray.remote(max_retries=2)
    @cowarray.isolated
    def scale(x, number):
        x *= number
        if number == 3 and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return float(x[1])

    stored = ray.put(state)
    assert ray.get([scale.remote(stored, number) for number in range(6)]) == [0, 1, 2, 3, 4, 5]
    assert os.path.exists(mark)
    assert (ray.get(stored) == state).all()
