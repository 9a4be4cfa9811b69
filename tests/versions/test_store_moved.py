"""A history stays with its folder: what was moved or replaced, and files that took a descriptor, are left alone."""

import contextlib
import gc
import os
import subprocess
import sys
import textwrap

import pytest

import cowarray as ca


def test_a_history_stays_where_it_was_made(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "a")
    first = ca.History("h", {"x": ca.zeros(2000)})
    monkeypatch.chdir(tmp_path / "b")
    with ca.History("h", {"x": ca.full(2000, 9.0)}) as second:
        second.state["x"][0] = 1
        second.commit()
    first.state["y"] = ca.ones(3)
    first.commit()
    first.compact()
    saved = ca.save_async("x.npy", ca.zeros(3))
    monkeypatch.chdir(tmp_path)
    assert saved.result() == tmp_path / "b" / "x.npy"
    first.close()
    with ca.History("b/h", mode="r") as again:
        assert again.state["x"].sum() == 1999 * 9 + 1
    with ca.History("a/h", mode="r") as again:
        assert again.state["y"].tolist() == [1, 1, 1]


@pytest.mark.parametrize("step", ["commit", "array", "keep", "compact"])
def test_a_folder_that_was_replaced_is_left_alone(tmp_path, step):
    folder = tmp_path / "h"
    history = ca.History(folder, {"x": ca.zeros(2000)})
    folder.rename(tmp_path / "moved")
    with ca.History(folder, {"x": ca.ones(2000)}) as other:
        other.state["x"][0] = 7
        other.commit("other's")
    history.state["x"][1] = 1
    steps = {
        "commit": history.commit,
        "array": lambda: (history.state.update(y=ca.ones(5)), history.commit()),
        "keep": lambda: history.keep(last=1),
        "compact": history.compact,
    }
    with pytest.raises(OSError, match="moved or replaced"):
        steps[step]()
    history.close()
    with ca.History(folder, mode="r") as other:
        assert [version.message for version in other.log()] == ["", "other's"]
        assert other.state["x"].sum() == 2006


def test_nothing_is_written_to_a_file_that_took_a_descriptor(tmp_path):
    script = """
        import os, sys
        import numpy as np, cowarray
        h = cowarray.History(sys.argv[1] + "/h", {"x": np.zeros(2000)})
        h.state["x"][0] = 1
        h.commit()
        os.closerange(3, 1000)
        files = [open(f"{sys.argv[1]}/mine{i}", "w+b", buffering=0) for i in range(12)]
        for each in files:
            each.write(b"precious" * 2000)
        h.state["x"][700] = 2
        for step in (h.commit, h.compact, lambda: h.keep(last=1)):
            try:
                step()
            except OSError:
                continue
            print("no error")
        for each in files:
            each.seek(0)
            assert each.read() == b"precious" * 2000
        print("whole")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)], capture_output=True, text=True
    )
    assert done.stdout == "whole\n", done.stderr


@pytest.mark.parametrize("step", ["commit", "undo", "log", "close", "drop"])
def test_sqlites_descriptor_is_not_taken_for_a_strangers(folder, tmp_path, step):
    """As after a double close: one number is another file's."""
    history = ca.History(folder, {"x": ca.zeros(2000)})
    history.state["x"][0] = 1
    history.commit()
    with open(tmp_path / "mine", "w+b", buffering=0) as mine:
        mine.write(b"precious" * 2000)
        path = str(history._store.database.path)
        (number,) = [int(n) for n in os.listdir("/dev/fd") if os.path.realpath(f"/dev/fd/{n}") == path]
        os.dup2(mine.fileno(), number)
        history.state["x"][1] = 2
        steps = {
            "commit": history.commit,
            "undo": lambda: history.undo(discard=True),
            "log": history.log,
            "close": history.close,
            "drop": lambda: None,
        }
        with contextlib.nullcontext() if step in ("close", "drop") else pytest.raises(OSError, match="closed by the"):
            steps[step]()
        if step == "drop":
            del history, steps
            gc.collect()
        else:
            history.close()
        assert os.path.samestat(os.fstat(number), os.fstat(mine.fileno()))
        assert os.pread(number, 20_000, 0) == b"precious" * 2000
        os.close(number)
    with ca.History(folder) as again:
        assert (again.version, again.state["x"][0]) == (1, 1)
