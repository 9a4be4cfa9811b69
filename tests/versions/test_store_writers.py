"""There is one writer of a folder and any number of readers: who has its lock, and who lets go of it."""

import contextlib
import io
import os

import pytest
from folders import edited, holds
from histories import equal, frozen

import cowarray as ca
from cowarray._versions import store as stores


def test_there_is_one_writer_and_any_number_of_readers(folder):
    was = edited(folder)
    with ca.History(folder) as writer:
        with pytest.raises(BlockingIOError, match=f"process {os.getpid()} writes"):
            ca.History(folder)
        with ca.History(folder, mode="r") as reader:
            writer.state["a"][:] = 5.0
            writer.commit()
            assert holds(reader, was)
            reader.undo()
            reader.state["a"][0] = 1.0
            before = reader.branches, reader.branch_name, frozen(reader.state)
            for name, step in [
                ("commit", reader.commit),
                ("keep", lambda: reader.keep(last=1)),
                ("compact", reader.compact),
                ("branch", lambda: reader.branch("other")),
                ("merge", lambda: reader.merge(4, discard=True)),
            ]:
                with pytest.raises(io.UnsupportedOperation, match=f"^History.{name}: it was opened for reading$"):
                    step()
                assert equal(reader.state, before[-1])
            assert (reader.branches, reader.branch_name) == before[:2] == ({"main": 4}, "main")
            assert reader.switch("main", discard=True) == 4  # in its own memory
        with ca.History(folder, mode="r") as reader:
            assert reader.version == 5
    with ca.History(folder) as writer:
        assert writer.version == 5


@pytest.mark.parametrize("path", ["", b""], ids=repr)
def test_a_folder_has_a_name(tmp_path, monkeypatch, path):
    class Path:
        def __fspath__(self):
            return path

    monkeypatch.chdir(tmp_path)
    for given in [Path(), *([path] if path == "" else [])]:
        for state in [(), ({"a": ca.zeros(3)},)]:
            with pytest.raises(ValueError, match=rf"History: a path must not be empty \(got {path!r}\)"):
                ca.History(given, *state)
    assert not list(tmp_path.iterdir())
    ca.History(".", {"a": ca.zeros(3)}).close()
    assert (tmp_path / "bases").is_dir()


def test_a_folder_is_created_once(folder):
    with pytest.raises(FileNotFoundError, match="no history"):
        ca.History(folder)
    edited(folder)
    with pytest.raises(FileExistsError, match="open it without a state"):
        ca.History(folder, {"a": ca.zeros(3)})
    with pytest.raises(ValueError, match="mode must be"):
        ca.History(folder, mode="w")
    with pytest.raises(TypeError, match="object"):
        ca.History(folder.with_name("other"), {"a": object()})
    assert not folder.with_name("other").exists()


def test_a_closed_history_keeps_its_state(folder):
    was = edited(folder)
    history = ca.History(folder)
    history.close()
    history.close()
    assert equal(history.state, was[-1])
    history.state["a"][1] = 1.0
    with pytest.raises(ValueError, match="is closed"):
        history.commit()
    for read in (lambda: history[2], history.log, lambda: len(history), lambda: history.checkout(1, discard=True)):
        with pytest.raises(ValueError, match="is closed"):
            read()
    assert repr(history) == f"<cowarray.History in {folder}, closed>"
    ca.History(folder).close()


def test_what_cannot_be_opened_keeps_no_lock(folder):
    edited(folder)
    (pages,) = (folder / "pages").iterdir()
    whole = pages.read_bytes()
    pages.write_bytes(whole[:-1])
    with pytest.raises(ValueError, match="damaged"):
        ca.History(folder)
    pages.write_bytes(whole)
    ca.History(folder).close()


def test_a_child_neither_writes_nor_keeps_the_lock(folder):
    edited(folder)
    history = ca.History(folder)
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            history.state["a"][5] = 5.0
            try:
                history.commit()
            except RuntimeError as error:
                status = 0 if "only the parent" in str(error) else 2
            history.checkout(2, discard=True)  # in its own memory
            assert history.state["t"] == "2"
            os.write(ready[1], b".")
            os.read(go[0], 1)  # alive while another writer comes
        os._exit(status)
    os.read(ready[0], 1)
    history.state["a"][6] = 6.0
    history.commit()
    history.close()
    with ca.History(folder) as other:
        assert (other.state["a"][5], other.state["a"][6]) == (0.0, 6.0)
    os.write(go[1], b".")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for descriptor in (*ready, *go):
        os.close(descriptor)


def test_one_of_two_that_make_a_history_at_once_is_refused(folder, monkeypatch):
    before, made = stores.Store._lock, []

    def late(store):
        if not made:
            made.append(None)
            with ca.History(folder, {"x": ca.ones(3)}):
                pass
        before(store)

    monkeypatch.setattr(stores.Store, "_lock", late)
    with pytest.raises(FileExistsError):
        ca.History(folder, {"x": ca.zeros(3)})
    monkeypatch.undo()
    with ca.History(folder) as history:
        assert history.state["x"].tolist() == [1, 1, 1]


def test_a_making_that_fails_lets_go_of_the_lock(folder, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(stores.Store, "_open_pages", lambda store, file: (_ for _ in ()).throw(OSError("full")))
        with pytest.raises(OSError, match="full"):
            ca.History(folder, {"x": ca.zeros(3)})
    ca.History(folder, {"x": ca.zeros(3)}).close()


def test_the_lock_is_free_after_a_fork_and_a_close(folder):
    ca.History(folder, {"x": ca.zeros(3)}).close()
    history = ca.History(folder)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
    os.close(reading)
    history.close()
    ca.History(folder).close()
    os.close(writing)
    os.waitpid(child, 0)
