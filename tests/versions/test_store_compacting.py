"""Forgetting and compacting keep the versions that stay, give the room of the others back, and may fail at any step."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest
from folders import N, edited, holds, no_room
from histories import equal
from support.limits import LONGEST

import cowarray as ca
from cowarray._versions import bases
from cowarray._versions import store as stores


@pytest.mark.parametrize("size", [1000, N])
def test_compacting_keeps_versions_and_frees_the_rest(folder, size):
    was = edited(folder, 8, size)
    reader = ca.History(folder, mode="r")
    with ca.History(folder) as history:
        history.checkout(6)
        history.keep(last=4)
        before = {number: history[number] for number in (5, 6, 7, 8)}
        history.compact()
        assert sorted(version.number for version in history.log()) == [5, 6, 7, 8]
        assert all(equal(before[number], was[number]) for number in before)
        assert all(equal(history[number], was[number]) for number in before)
        history.redo()
        history.state["a"][3] = 3.0
        history.commit()
        assert history.verify() == []
    assert holds(reader, was)  # has the files that have lost their names
    reader.close()
    with ca.History(folder, mode="r") as history:
        assert all(equal(history[number], was[number]) for number in before)
        assert (history.state["a"][3], history.state["t"]) == (3.0, "7")
        assert history.verify() == []
    assert len(list((folder / "pages").iterdir())) == 1
    assert len(list((folder / "bases").iterdir())) == 2


def test_compacting_keeps_the_files_of_empty_arrays(folder):
    """They have no page of their own, so their first one is that of the next array."""
    state = {name: ca.zeros(n) for name, n in (("a", 0), ("b", 0), ("c", 10), ("d", 0))}
    with ca.History(folder, state) as history:
        history.state["c"][3] = 1
        history.commit()
        history.compact()
    with ca.History(folder) as history:
        assert {name: x.tolist() for name, x in history.state.items()} == {
            "a": [],
            "b": [],
            "c": [0, 0, 0, 1, *[0] * 6],
            "d": [],
        }
        assert history.verify() == []


@pytest.mark.parametrize("writes", range(6))
def test_a_compaction_that_failed_gives_its_room_back(folder, monkeypatch, writes):
    """The disk is full then, and without that room nothing could be committed any more."""

    def taken():
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

    was = edited(folder, 4, 5000)
    left, write_all = [writes], stores.write_all

    def write(*args):
        if not left[0]:
            no_room()
        left[0] -= 1
        write_all(*args)

    for module in stores, bases:
        monkeypatch.setattr(module, "write_all", write)
    with ca.History(folder) as history:
        history.checkout(2)
        before = taken()
        for _ in range(2):
            left[0] = writes
            with pytest.raises(OSError, match="No space"):
                history.compact()
            assert taken() == before
        monkeypatch.undo()
        with monkeypatch.context() as patch:
            patch.setattr(stores.Database, "execute", lambda *_: no_room())
            with pytest.raises(OSError, match="No space"):
                history.compact()
        assert taken() == before
        history.state["a"][7] = 7.0
        assert history.commit() == 5
        assert history.verify() == []
        assert holds(history, was)
    with ca.History(folder) as history:
        assert history.state["a"][7] == 7.0
        assert holds(history, was)


def test_a_compaction_that_failed_is_done_again(folder, monkeypatch):
    was = edited(folder, 4)
    sync, failed = stores.sync_folder, []

    def refuse(path):
        if path.name == "pages" and not failed:
            failed.append(path)
            raise OSError("no descriptor")
        sync(path)

    with ca.History(folder) as history:
        monkeypatch.setattr(stores, "sync_folder", refuse)
        with pytest.raises(OSError, match="no descriptor"):
            history.compact()
        history.compact()
        assert len(failed) == 1
        history.state["a"][3] = 3.0
        last = history.commit()
    with ca.History(folder) as history:
        assert holds(history, was)
        assert history[last]["a"][3] == 3.0
        assert history.verify() == []


def test_the_next_writer_drops_what_a_killed_one_left(folder):
    """Of a commit, or a compaction: each would leave as much as all arrays take."""
    was = edited(folder, 2)
    for step in "history.compact()", "history.state['c'] = np.ones(9); history.commit()":
        program = f"""
            import os, signal, sys
            import numpy as np, cowarray
            from cowarray._versions.database import Database
            history = cowarray.History(sys.argv[1])
            Database.execute = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
            {step}
        """
        command = [sys.executable, "-c", textwrap.dedent(program), str(folder)]
        assert subprocess.run(command, timeout=LONGEST).returncode == -signal.SIGKILL
    (folder / "bases" / "000009-000001.part").write_bytes(b"half")
    (folder / "bases" / "notes.txt").write_text("another's")
    with ca.History(folder, mode="r") as reader:
        assert holds(reader, was)
    assert len(os.listdir(folder / "bases")) > 3
    with ca.History(folder) as history:
        assert sorted(os.listdir(folder / "bases")) == ["000000-000001.npy", "000001-000001.npy", "notes.txt"]
        assert holds(history, was)
        assert history.verify() == []


def test_what_a_killed_process_left_is_not_written_to(folder):
    edited(folder, 1)
    other = folder.parent / "other"
    other.write_bytes(b"another's")
    with ca.History(folder) as history:
        for file in range(1, 9):
            (folder / "bases" / f"000002-{file:06}.part").symlink_to(other)
        history.state["new"] = ca.ones(N)
        history.commit()
    assert other.read_bytes() == b"another's"
    with ca.History(folder) as history:
        assert history.state["new"].sum() == N


def test_compacting_leaves_no_file_open(folder):
    with ca.History(folder, {"x": ca.zeros(N)}) as history:
        counts = []
        for k in range(4):
            history.state["x"][k] = k
            history.commit()
            history.keep(last=1)
            history.compact()
            counts.append(len(history._store.contents.files))
        assert counts == [1, 1, 1, 1]
        assert history.state["x"][:4].tolist() == [0, 1, 2, 3]
