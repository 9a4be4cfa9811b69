"""Whatever kills the process and whenever the disk is full, the last version that was committed is whole."""

import contextlib
import os
import select
import shutil
import signal
import time

import numpy as np
import pytest
from folders import N, edited, no_room
from histories import equal, frozen
from support.limits import LONGEST
from support.seeds import chosen_seed

import cowarray as ca
from cowarray._versions import store as stores


class Calls:
    """Counts calls that change the disk; the one that is asked for does not come back."""

    NAMES = ("write", "fsync", "fdatasync", "ftruncate", "fchmod", "pwrite", "open")

    def __init__(self, monkeypatch, at, action, *, done):
        self.count, self.at, self.action, self.done = 0, at, action, done
        for name in self.NAMES:
            monkeypatch.setattr(stores.os, name, self.counted(getattr(os, name)))
        for name in ("rename", "unlink"):
            monkeypatch.setattr(stores.Path, name, self.counted(getattr(stores.Path, name)))
        execute = stores.Store._execute

        def counted_execute(store, rows):
            self.see()
            execute(store, rows)
            if self.done:
                self.see()

        monkeypatch.setattr(stores.Store, "_execute", counted_execute)

    def counted(self, function):
        def call(*args, **kwargs):
            self.see()
            return function(*args, **kwargs)

        return call

    def see(self):
        self.count += 1
        if self.count == self.at:
            self.action()


def add_version(history):
    history.state["a"][17] = 17.0
    history.state["new"] = np.arange(4)
    history.commit()


def compact(history):
    history.keep(last=2)
    history.compact()


JOBS = {"a commit": add_version, "compacting": compact}


def in_a_child(function):
    child = os.fork()
    if child == 0:
        try:
            function()
        except BaseException:
            os._exit(3)
        os._exit(0)
    return os.waitpid(child, 0)[1]


@pytest.mark.sampled
@pytest.mark.parametrize("job", JOBS)
def test_killed_at_each_call_the_last_version_is_whole(tmp_path, job):
    was = edited(tmp_path / "before", 3, 1000)
    for at in range(1, 200):
        folder = tmp_path / f"{at}"
        shutil.copytree(tmp_path / "before", folder)

        def run(folder=folder, at=at):
            with pytest.MonkeyPatch.context() as patch, ca.History(folder) as history:
                Calls(patch, at, lambda: os.kill(os.getpid(), signal.SIGKILL), done=True)
                JOBS[job](history)

        status = in_a_child(run)
        with ca.History(folder) as history:
            assert history.verify() == []
            assert history.version in (3, 4)
            if history.version == 4:
                assert history.state["a"][17] == 17.0
            assert all(equal(history[version.number], was[version.number]) for version in history.log()[:3])
            add_version(history)
        shutil.rmtree(folder)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            assert at > 10, "nothing was killed"
            return
    raise AssertionError("there is no end of calls")


def attempt(job, history):
    """What it has raised, if anything."""
    try:
        job(history)
    except OSError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("job", JOBS)
def test_a_disk_that_is_full_at_each_call_changes_nothing(tmp_path, job, monkeypatch):
    was = edited(tmp_path / "before", 3, 1000)
    for at in range(1, 200):
        folder = tmp_path / f"{at}"
        shutil.copytree(tmp_path / "before", folder)
        with ca.History(folder) as history:
            state = frozen(history.state)
            with pytest.MonkeyPatch.context() as patch:
                calls = Calls(patch, at, no_room, done=False)
                failed = attempt(JOBS[job], history)
            assert not failed or "No space" in failed
            if failed and job == "compacting":
                assert equal(history.state, state)
            assert all(equal(history[version.number], was[version.number]) for version in history.log()[:2])
            add_version(history)
            assert history.verify() == []
            now = frozen(history.state)
        with ca.History(folder) as history:
            assert equal(history.state, now)
            assert history.verify() == []
        shutil.rmtree(folder)
        if calls.count < at:
            assert at > 10
            return
    raise AssertionError("there is no end of calls")


def commit_for_ever(folder, say):
    """Open a history, commit, forget and compact, and say what is durable."""
    history = ca.History(folder)
    while True:
        k = history.state["k"] + 1
        history.state["k"] = k
        history.state["a"][k * 4099 % N] = k
        if k % 7 == 0:
            history.keep(last=5)
        if k % 23 == 0:
            history.compact()
        if k % 41 == 0:
            history.close()
            history = ca.History(folder)
            history.state["k"] = k
            history.state["a"][k * 4099 % N] = k
        history.commit(durable=True if k % 3 else "background")
        if k % 3:
            os.write(say, b"%d\n" % k)


def see_whole(folder, least):
    """The last version is one of those that were whole, and all versions can be read."""
    with ca.History(folder, mode="r") as history:
        k = history.state["k"]
        assert k >= least
        assert history.verify() == []
        assert k == 0 or history.state["a"][k * 4099 % N] == k
        for version in history.log()[-6:]:
            value = history[version.number]
            assert value["k"] == 0 or value["a"][value["k"] * 4099 % N] == value["k"]
    return k


def kill_at_random(folder, rounds, seed):
    """A process that opens, commits and compacts is killed at any time; what it said is there. How many commits are."""
    numbers = np.random.default_rng(seed)
    ca.History(folder, {"k": 0, "a": ca.zeros(N)}).close()
    least = 0
    for at in range(rounds):
        listen, say = os.pipe()
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                commit_for_ever(folder, say)
            os._exit(3)
        os.close(say)
        if at % 3 == 0:  # on a busy disk a commit may take long
            select.select([listen], [], [], LONGEST)
        time.sleep(float(numbers.random() * 0.06))  # the opening takes some milliseconds
        os.kill(child, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1]), "it ended by itself"
        with open(listen, "rb") as said:
            least = max(least, *map(int, said.read().split()), 0)
        least = see_whole(folder, least)
    return least


def test_killed_at_any_time_what_was_said_is_there(folder):
    assert kill_at_random(folder, 20, chosen_seed()) > 5


@pytest.mark.long
def test_killed_a_thousand_times(folder):
    assert kill_at_random(folder, 1000, chosen_seed()) > 100
