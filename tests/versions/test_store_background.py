"""What is committed in the background is of its time, tried again if it fails, and written before a process ends."""

import _thread
import subprocess
import sys
import textwrap
from collections import deque

import pytest
from folders import N, no_room
from histories import equal, frozen
from support.limits import LONGEST
from support.programs import FORKS

import cowarray as ca
from cowarray._versions import background
from cowarray._versions import store as stores


def test_commits_in_the_background_are_of_their_time(folder):
    with ca.History(folder, ca.zeros(N)) as history:
        for k in range(20):
            history.state[k * 1000] = k
            history.commit(durable="background")
            assert history[k][:].sum() == sum(range(k + 1)) - (k if k == 0 else 0) or k == 0
        history.undo()
        history.flush()
    with ca.History(folder, mode="r") as history:
        assert history.state.sum() == sum(range(19))
        assert history[19].sum() == sum(range(20))


def test_what_no_file_can_keep_is_refused_before_it_goes_to_the_background(folder):
    """It would be tried again for ever, and nothing after it be written."""
    with ca.History(folder, {"x": ca.zeros(3)}) as history:
        history.state["x"][0] = 1
        for step in (
            lambda: history.commit("opened \udcff.png", durable="background"),
            lambda: history.branch("\udcff"),
            lambda: history.merge(0, "\udcff"),
        ):
            with pytest.raises(ValueError, match=r"must be text that UTF-8 has.*udcff"):
                step()
        assert history.commit("opened", durable="background") == 1
        history.flush()
    with ca.History(folder) as again:
        assert [version.message for version in again.log()] == ["", "opened"]


def test_what_fails_in_the_background_is_said_and_tried_again(folder, monkeypatch):
    real = stores.write_all
    with ca.History(folder, ca.zeros(1000)) as history:
        monkeypatch.setattr(stores, "write_all", no_room)
        for k in range(1, 4):
            history.state[k] = k
            history.commit(durable="background")
        assert history[2].sum() == 3.0
        with pytest.raises(OSError, match="No space"):
            history.flush()
        with ca.History(folder, mode="r") as reader:
            assert reader.version == 0
        monkeypatch.setattr(stores, "write_all", real)
        history.flush()
        with ca.History(folder, mode="r") as reader:
            assert (reader.version, reader.state.sum()) == (3, 6.0)


def test_the_end_of_the_process_waits_for_the_writer(folder):
    program = f"""
import cowarray as ca
history = ca.History({str(folder)!r}, ca.zeros({N}))
for k in range(50):
    history.state[k * 5000] = 1.0
    history.commit(durable="background")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
    with ca.History(folder, mode="r") as history:
        assert history.version == 50
        assert history.state.sum() == 50.0


def test_a_last_job_is_done_although_the_thread_has_the_lock():
    """It has seen that there are no others, and has not yet said so."""
    jobs, done = background.Background("A test"), []

    class Empty(deque):
        def __bool__(self):
            if not super().__len__() and not done:
                done.append("asked")
                jobs.end_with(lambda: done.append("last"))
            return super().__len__() > 0

    jobs._jobs = Empty()
    jobs.put(lambda: None)
    jobs.wait()
    assert done == ["asked", "last"]


@pytest.mark.parametrize("where", ["before the thread", "after the thread", "after the queue"])
def test_an_interrupt_while_a_version_goes_to_the_background(folder, monkeypatch, where):
    def interrupted(*args, **kwargs):
        undo()
        raise KeyboardInterrupt

    def undo():
        patch.undo()

    patch = pytest.MonkeyPatch()
    history = ca.History(folder, {"x": ca.zeros(50_000)})
    history.state["x"][0] = 1
    start = _thread.start_new_thread

    def started_and_interrupted(*args):
        start(*args)
        interrupted()

    if where == "before the thread":
        patch.setattr(background._thread, "start_new_thread", interrupted)
    elif where == "after the thread":
        patch.setattr(background._thread, "start_new_thread", started_and_interrupted)
    else:
        put = background.Background.put

        def put_and_interrupted(self, job):
            put(self, job)
            interrupted()

        patch.setattr(background.Background, "put", put_and_interrupted)
    with pytest.raises(KeyboardInterrupt):
        history.commit("1", durable="background")
    for k in range(2, 8):
        history.state["x"][k * 5000] = k
        history.commit(str(k), durable="background")
    was = {version.number: frozen(history[version.number]) for version in history.log()}
    history.flush()
    history.close()
    with ca.History(folder) as again:
        assert {version.number: frozen(again[version.number]) for version in again.log()}.keys() == was.keys()
        assert all(equal(again[number], value) for number, value in was.items())
        assert again.verify() == []
        assert again.state["x"][35_000] == 7


@pytest.mark.parametrize("ends", ["normally", "by a fork"])
def test_the_end_of_a_process_waits_for_what_is_written(folder, ends):
    script = """
        import os, sys
        import numpy as np, cowarray
        h = cowarray.History(sys.argv[1], {"x": np.zeros(1 << 20)})
        for k in range(5):
            h.state["x"][...] = k + 1
            h.commit(durable="background")
        if sys.argv[2] == "by a fork":
            child = os.fork()
            if not child:
                sys.exit(3)  # with nothing to wait for
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    """
    command = [sys.executable, *FORKS, "-c", textwrap.dedent(script), str(folder), ends]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    assert (done.returncode, done.stderr) == (0, "")
    with ca.History(folder, mode="r") as history:
        assert list(history) == [0, 1, 2, 3, 4, 5]
        assert (history.state["x"] == 5).all()


@pytest.mark.parametrize("room", ["none", "again"])
def test_the_end_of_a_process_says_what_is_lost(folder, room):
    script = """
        import resource, sys
        import numpy as np, cowarray
        h = cowarray.History(sys.argv[1], {"x": np.zeros(1 << 20)})
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, hard))
        h.state["x"][...] = 1
        h.commit("precious", durable="background")
        h._store._jobs.wait()
        if sys.argv[2] == "again":
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(folder), room]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0
    lost = f"RuntimeWarning: History: what was committed in the background to {folder} is lost: [Errno 27]"
    assert done.stderr.count(lost) == (room == "none"), done.stderr
    assert done.stderr or room == "again"
    with ca.History(folder, mode="r") as history:
        assert list(history) == ([0] if room == "none" else [0, 1])
