"""`save_async` writes what a state was at the call, whatever the program does meanwhile, or says why it did not."""

import _thread
import os
import re
import stat
import subprocess
import sys
import textwrap
import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from support.limits import LONGEST
from support.programs import FORKS

import cowarray as ca
from cowarray._versions import saving
from cowarray._versions.background import Background

N = 1 << 20


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Named:
    b: Any


@pytest.fixture
def held(monkeypatch):
    """Saves wait until it is set."""
    gate = threading.Event()
    real = saving._save

    def save(*args):
        gate.wait(LONGEST)
        return real(*args)

    monkeypatch.setattr(saving, "_save", save)
    yield gate
    gate.set()


@pytest.mark.parametrize("paging", ["off", "eager"])
def test_a_file_has_the_state_of_the_call(tmp_path, held, paging):
    before = ca.paging(paging)
    x = ca.arange(float(N))
    was = np.array(x)
    alias = x[:100]
    futures = []
    for k in range(3):
        futures.append((ca.save_async(tmp_path / f"{k}.npy", x), np.array(x)))
        x[k * 1000] = -1.0
        alias += 1.0
        x.to_numpy(writable=True)[k] = 7.0
    assert not any(future.done() for future, _ in futures)
    held.set()
    for k, (future, value) in enumerate(futures):
        assert future.result(60) == tmp_path / f"{k}.npy"
        assert (tmp_path / f"{k}.npy").read_bytes()[-value.nbytes :] == value.tobytes()
        np.testing.assert_array_equal(np.load(tmp_path / f"{k}.npy"), value)
    assert was[0] == 0.0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.npy", "1.npy", "2.npy"]
    ca.paging(before)


@pytest.mark.parametrize(
    "value",
    [
        np.float32(2.5) * np.ones(()),
        np.zeros((0, 3)),
        np.asfortranarray(np.arange(12).reshape(3, 4)),
        np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0),
        np.arange(10)[::-2],
        np.zeros(3, [("a", "u1"), ("b", "f8", (2,))]),
        np.array(["x", "yz"]),
        np.array(["2020-01-01"], "M8[D]"),
    ],
)
def test_every_layout_is_as_save_has_it(tmp_path, value):
    path = ca.save_async(tmp_path / "x.npy", ca.array(value)).result(60)
    loaded = np.load(path)
    assert loaded.dtype == value.dtype
    np.testing.assert_array_equal(loaded, value)
    np.testing.assert_array_equal(ca.load(path), value)


def test_containers_become_archives(tmp_path, held):
    pair = Pair(ca.arange(2), ca.arange(3))
    state = {"x": ca.ones(3), "layers": [ca.zeros((2, 2)), 5, "text"], "pair": pair}
    future = ca.save_async(tmp_path / "s.npz", state)
    state["x"][:] = 9.0
    state["layers"][0] = None
    held.set()
    with np.load(future.result(60)) as archive:
        assert set(archive.files) == {"x", "layers[0]", "pair[0]", "pair[1]", "layout.json"}
        np.testing.assert_array_equal(archive["x"], np.ones(3))
        np.testing.assert_array_equal(archive["layers[0]"], np.zeros((2, 2)))
        assert b'"text"' in archive["layout.json"]
        members = dict(archive)
    with ca.load(future.result()) as archive:
        assert {name: np.array(value).tolist() for name, value in archive.items()} == {
            name: np.array(value).tolist() for name, value in members.items()
        }


def test_arrays_of_others_are_copied_at_once(tmp_path, held):
    theirs = np.arange(10)
    future = ca.save_async(tmp_path / "x.npy", theirs)
    theirs[:] = 0
    held.set()
    np.testing.assert_array_equal(np.load(future.result(60)), np.arange(10))


def test_what_fails_leaves_what_was(tmp_path, monkeypatch):
    path = ca.save_async(tmp_path / "x.npy", ca.ones(3)).result(60)
    with pytest.raises(FileNotFoundError, match="no such folder") as raised:
        ca.save_async(tmp_path / "none" / "x.npy", ca.zeros(3)).result(60)
    assert raised.value.filename == str(tmp_path / "none")

    def no_room(file, x):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(saving, "_write_npy", no_room)
    x = ca.zeros(N)
    future = ca.save_async(path, x)
    with pytest.raises(OSError, match="No space"):
        future.result(60)
    np.testing.assert_array_equal(np.load(path), np.ones(3))
    assert [p.name for p in tmp_path.iterdir()] == ["x.npy"]
    monkeypatch.undo()
    ca.save_async(path, ca.zeros(1)).result(60)  # the thread has let go of what it had
    assert x.storage.share_count == 1


@pytest.mark.parametrize("path", ["", b""], ids=repr)
def test_an_empty_path_is_refused_at_once(tmp_path, monkeypatch, path):
    """It is no name of the current folder, beside which a file would be written."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(ValueError, match=re.escape(f"save_async: a path must not be empty (got {path!r})")):
        ca.save_async(path, ca.zeros(3))
    assert os.listdir(tmp_path) == ["here"]


def test_a_path_is_text_or_bytes(tmp_path):
    path = tmp_path / "x.npy"
    assert ca.save_async(os.fsencode(path), ca.ones(3)).result(60) == path
    np.testing.assert_array_equal(np.load(path), np.ones(3))
    with pytest.raises(TypeError, match=r"^save_async: expected a path \(got int\)$"):
        ca.save_async(3, ca.zeros(3))


def test_permissions_and_links_stay(tmp_path, monkeypatch):
    path, link = tmp_path / "x.npy", tmp_path / "link"
    ca.save_async(path, ca.zeros(3)).result(60)
    path.chmod(0o600)
    link.symlink_to(path)
    write, modes = saving._write_npy, []

    def seen(file, x):
        modes.append(stat.S_IMODE(os.fstat(file.fileno()).st_mode))
        write(file, x)

    monkeypatch.setattr(saving, "_write_npy", seen)
    assert ca.save_async(path, ca.ones(3)).result(60) == path
    assert ca.save_async(link, ca.ones(4)).result(60) == link
    assert modes == [0o600, 0o600]  # also while it is written
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    np.testing.assert_array_equal(np.load(path), np.ones(4))
    assert sorted(os.listdir(tmp_path)) == ["link", "x.npy"]


def test_bad_states_are_refused_at_once(tmp_path):
    for state in (ca.array([object()]), {"x": object()}, np.array([None])):
        with pytest.raises(TypeError):
            ca.save_async(tmp_path / "x.npy", state)
    for state in ({1, 2}, [object()], {(1, 2): 3}):
        with pytest.raises(TypeError, match="save_async: "):
            ca.save_async(tmp_path / "x.npz", state)
    with ca.fake():
        fake = ca.zeros(3)
    with pytest.raises(ca.FakeError):
        ca.save_async(tmp_path / "x.npy", fake)
    with ca.deferred():
        late = ca.ones(3)
    np.testing.assert_array_equal(np.load(ca.save_async(tmp_path / "x.npy", late).result(60)), np.ones(3))


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ((1, "1"), "two places are named '1'"),
        (("", "array"), "two places are named 'array'"),
        (("a", "a.npy"), "two places are named 'a.npy'"),
        (("a.npy", "a.npy.npy"), "two places are named 'a.npy.npy'"),
        (("a.npy.npy", "a.npy"), "two places are named 'a.npy'"),
        (("a\0b", "a\0c"), "two places are named 'a\\x00c'"),
        (("layout.json",), "a place is named 'layout.json', as the plain values are"),
    ],
    ids=repr,
)
def test_two_places_of_one_name_are_refused(tmp_path, keys, text):
    """As members of an archive, and as what one is loaded by."""
    with pytest.raises(ValueError, match=re.escape(f"save_async: {text}; rename a key")):
        ca.save_async(tmp_path / "x.npz", {key: ca.zeros(3) for key in keys})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("other", [{"b": ca.ones(2)}, [ca.ones(2)], Pair(ca.ones(2), ca.ones(2)), Named(ca.ones(2))])
def test_a_key_that_looks_like_a_path_is_refused_beside_it(tmp_path, other):
    with np.load(ca.save_async(tmp_path / "x.npz", {"a": other}).result(60)) as archive:
        path = archive.files[0]
    with pytest.raises(ValueError, match=re.escape(f"save_async: two places are named {path!r}; rename a key")):
        ca.save_async(tmp_path / "y.npz", {"a": other, path: ca.zeros(3)})
    assert [each.name for each in tmp_path.iterdir()] == ["x.npz"]


def test_names_that_differ_are_all_there(tmp_path):
    x = ca.zeros(3)
    state = {1: x, "2": x, "layout": x, "a.b": x, "same": [x, x], "layer.weight": x, "a.npy": x, "b": x, "b.npy.npy": x}
    with ca.load(ca.save_async(tmp_path / "x.npz", state).result(60)) as archive:
        names = {"1", "2", "layout", "a.b", "same[0]", "same[1]", "layer.weight", "a.npy", "b", "b.npy.npy"}
        assert set(archive) == {*names, "layout.json"}
        assert all(np.array_equal(archive[name], x) for name in names)


@pytest.mark.parametrize("state", [5, "a", None, b"x", 1.5, np.float32(2)], ids=repr)
def test_a_plain_value_is_no_state(tmp_path, state):
    text = f"save_async: a state is an array, a dict, a list, a tuple or a dataclass (got {state!r})"
    with pytest.raises(TypeError, match=re.escape(text)):
        ca.save_async(tmp_path / "x.npz", state)
    assert not list(tmp_path.iterdir())


def test_a_child_is_told_and_can_save_itself(tmp_path, held, monkeypatch):
    future = ca.save_async(tmp_path / "x.npy", ca.ones(3))
    child = os.fork()
    if child == 0:
        status = 1
        try:
            try:
                future.result(LONGEST)
            except RuntimeError as error:
                status = 0 if "parent" in str(error) else 2
            monkeypatch.undo()  # the parent's thread may have the lock of the event
            ca.save_async(tmp_path / "child.npy", ca.zeros(2)).result(LONGEST)
        except BaseException:
            status = 3
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not (tmp_path / "x.npy").exists()
    held.set()
    np.testing.assert_array_equal(np.load(future.result(60)), np.ones(3))
    np.testing.assert_array_equal(np.load(tmp_path / "child.npy"), np.zeros(2))


def test_a_thread_that_has_the_number_of_the_last_one_is_not_taken_for_it(monkeypatch):
    background, seen, start = Background("A test"), [], _thread.start_new_thread
    background.put(lambda: seen.append(background.is_here()))
    background.flush()
    monkeypatch.setattr(threading, "get_ident", lambda: 7)  # numbers come again
    monkeypatch.setattr(_thread, "start_new_thread", lambda *given: (seen.append(background.is_here()), start(*given)))
    background.put(lambda: None)
    background.flush()
    assert seen == [True, False]


def test_the_end_of_the_process_waits(tmp_path):
    program = f"""
import cowarray as ca
x = ca.ones({N})
for k in range(5):
    ca.save_async({str(tmp_path)!r} + f"/{{k}}.npy", x)
    x += 1.0
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
    for k in range(5):
        np.testing.assert_array_equal(np.load(tmp_path / f"{k}.npy"), np.full(N, k + 1.0))


@pytest.mark.parametrize("held", [True, False])
def test_a_failure_that_nobody_asks_for_is_said(tmp_path, held):
    script = """
        import sys
        import cowarray
        saved = cowarray.save_async(sys.argv[1] + "/none/x.npy", cowarray.ones(3))
        if sys.argv[2] == "False":
            del saved
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path), str(held)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0
    assert done.stderr.count("RuntimeWarning: save_async: a file is not saved: [Errno 2]") == 1, done.stderr


@pytest.mark.parametrize("ask", ["saved.exception()", "saved.add_done_callback(print)", "saved.cancel()"])
def test_a_failure_that_somebody_asks_for_is_not_said_again(tmp_path, ask):
    script = f"""
        import os, sys
        import cowarray
        saved = cowarray.save_async(sys.argv[1] + "/none/x.npy", cowarray.ones(3))
        child = os.fork()  # whose futures fail without a file that is missed
        if child:
            {ask}
            os.waitpid(child, 0)
    """
    command = [sys.executable, *FORKS, "-c", textwrap.dedent(script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0
    if ask != "saved.cancel()" or "Errno" not in done.stderr:  # it may come too late
        assert done.stderr == ""


def test_a_save_inside_aliasing_copies_nothing(tmp_path):
    x = ca.ones(N)
    with ca.aliasing(), ca.trace() as seen:
        ca.save_async(tmp_path / "x.npy", x).result()
    assert [event for event in seen if event.nbytes] == []
    assert (np.load(tmp_path / "x.npy") == 1).all()
