"""A history is closed by its last reference as by `close`: what waits is written, or said to be lost."""

import contextlib
import gc
import os
import threading
import weakref

import pytest
from folders import N, no_room

import cowarray as ca
from cowarray._versions import store as stores


def open_below(folder):
    """The files of a folder that this process has open; those of other histories come and go."""
    links = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            links.append(os.readlink(f"/proc/self/fd/{number}"))
    return [link for link in links if link.startswith(f"{folder}/")]


@pytest.mark.parametrize("background", [False, True])
def test_the_end_of_the_last_reference_closes_a_history(folder, background):
    history = ca.History(folder, {"x": ca.zeros(N)})
    state = history.state
    for k in range(5):
        state["x"][k] = k + 1
        history.commit(durable="background" if background else True)
    jobs = history._store._jobs
    assert open_below(folder)
    del history
    jobs.wait()
    del state, jobs
    gc.collect()
    assert open_below(folder) == []
    with ca.History(folder) as again:
        assert again.version == 5
        assert again.state["x"][:5].tolist() == [1, 2, 3, 4, 5]


def test_who_opens_a_folder_waits_for_what_is_still_written(folder, monkeypatch):
    history = ca.History(folder, {"x": ca.zeros(N)})
    go, write_all = threading.Event(), stores.write_all
    monkeypatch.setattr(stores, "write_all", lambda *args: (go.wait(30), write_all(*args)))
    for k in range(3):
        history.state["x"][k] = k + 1
        history.commit(durable="background")
    with pytest.raises(BlockingIOError):
        ca.History(folder)  # somebody has it still
    del history
    threading.Timer(0.1, go.set).start()
    with ca.History(folder) as again:
        assert again.version == 3
        assert again.state["x"][:4].tolist() == [1, 2, 3, 0]


def test_the_thread_itself_may_drop_the_last_reference(folder):
    """The collector runs wherever it likes, and here in the middle of a job."""
    history = ca.History(folder, {"x": ca.zeros(N)})
    history.state["x"][0] = 1
    around = [history]
    around.append(around)
    store, done = weakref.ref(history._store), threading.Event()
    jobs = history._store._jobs
    jobs.put(lambda: (done.wait(30), gc.collect()))
    del history, around
    done.set()
    jobs.wait()
    del jobs
    assert store() is None or store().contents.closed
    ca.History(folder).close()


def test_a_drop_tries_again_what_could_not_be_written(folder, monkeypatch):
    history = ca.History(folder, {"x": ca.zeros(N)})
    jobs = history._store._jobs
    with monkeypatch.context() as patch:
        patch.setattr(stores, "write_all", no_room)
        history.state["x"][0] = 1
        history.commit(durable="background")
        jobs.wait()
    del history
    with ca.History(folder) as again:
        assert (again.version, again.state["x"][0]) == (1, 1)


def test_a_drop_says_what_is_lost(folder, monkeypatch):
    history = ca.History(folder, {"x": ca.zeros(N)})
    jobs = history._store._jobs
    with monkeypatch.context() as patch:
        patch.setattr(stores, "write_all", no_room)
        history.state["x"][0] = 1
        history.commit(durable="background")
        jobs.wait()
        held = [history]
        del history
        with pytest.warns(RuntimeWarning, match="is lost: .*No space"):
            held.clear()
    with ca.History(folder) as again:
        assert again.version == 0


def test_a_close_that_was_interrupted_is_no_close(folder, monkeypatch):
    history = ca.History(folder, {"x": ca.zeros(N)})
    with monkeypatch.context() as patch:
        patch.setattr(stores.Store, "unlock", lambda store: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            history.close()
    del history
    ca.History(folder).close()


def test_a_close_that_cannot_write_leaves_the_history_open(folder, monkeypatch):
    history = ca.History(folder, {"x": ca.zeros(N)})
    with monkeypatch.context() as patch:
        patch.setattr(stores, "write_all", no_room)
        history.state["x"][0] = 1
        history.commit(durable="background")
        for _ in range(2):
            with pytest.raises(OSError, match="No space"):
                history.close()
    history.state["x"][1] = 2
    history.commit()
    history.close()
    with ca.History(folder) as again:
        assert (again.version, again.state["x"][:2].tolist()) == (2, [1, 2])
