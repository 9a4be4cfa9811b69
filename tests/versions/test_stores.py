"""A history in a folder is what it is in memory, whatever happens to the process that writes it: the last version that
was committed is whole, and what nobody committed is not there.

It is one file because each section breaks the same kind of folder. Each can be read alone.
"""

import _thread
import contextlib
import dataclasses
import gc
import io
import os
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from collections import deque

import numpy as np
import pytest
from histories import equal, frozen
from support.limits import LONGEST
from support.seeds import chosen_seed

import cowarray as ca
from cowarray._versions import background, bases
from cowarray._versions import store as stores

N = 1 << 20  # numbers: 8 MiB, which go by the page


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "history"


def edited(folder, count=4, size=N):
    """A closed history of `count` versions after the first, and what each was."""
    with ca.History(folder, {"a": ca.zeros(size), "b": np.arange(5), "t": "0"}) as history:
        was = [frozen(history.state)]
        for k in range(1, count + 1):
            history.state["a"][k * 1000 % size] = k
            history.state["b"][k % 5] = -k
            history.state["t"] = str(k)
            history.commit(f"version {k}")
            was.append(frozen(history.state))
    return was


def holds(history, was):
    return all(equal(history[number], value) for number, value in enumerate(was))


# ---- opening ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1000, N])
@pytest.mark.parametrize("mode", ["r", "r+"])
def test_what_was_committed_is_there(folder, size, mode):
    was = edited(folder, size=size)
    with ca.History(folder, mode=mode) as history:
        assert history.version == 4
        assert [version.message for version in history.log()][1:] == [f"version {k}" for k in range(1, 5)]
        assert equal(history.state, was[-1])
        assert holds(history, was)
        assert history.verify() == []


def test_a_history_goes_on_where_it_was(folder):
    was = edited(folder)
    with ca.History(folder) as history:
        history.checkout(2)
        history.branch("other")
    with ca.History(folder) as history:
        assert (history.version, history.branch_name) == (2, "other")
        assert history.branches == {"main": 4, "other": 2}
        assert equal(history.state, was[2])
        history.state["a"][7] = 7.0
        history.commit()
        assert history.branches == {"main": 4, "other": 5}
    with ca.History(folder, mode="r") as history:
        assert history.branches == {"main": 4, "other": 5}
        assert (history.state["a"][7], history["main"]["a"][7]) == (7.0, 0.0)


def test_bases_are_files_that_numpy_reads(folder):
    x = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    with ca.History(folder, [x, np.arange(3)]) as history:
        history.state[0][0, 0] = -1.0
        history.commit()
    first, second = sorted((folder / "bases").iterdir())
    np.testing.assert_array_equal(np.load(first, mmap_mode="r"), x.T)
    np.testing.assert_array_equal(np.load(second), np.arange(3))
    assert first.stat().st_mode & 0o777 == 0o444


@dataclasses.dataclass
class Layers:
    image: object
    opacity: float


def test_dataclasses_come_as_dicts_or_as_in_a_template(folder):
    values = {"x": Layers(np.ones(3), 0.5), "none": None, "z": 1 + 2j, "n": np.float32(2.5), "b": b"\0\xff"}
    ca.History(folder, values).close()
    with ca.History(folder, mode="r") as history:
        assert history.state["x"]["opacity"] == 0.5
        assert (history.state["z"], history.state["n"], history.state["b"]) == (1 + 2j, np.float32(2.5), b"\0\xff")
        assert type(history.state["n"]) is np.float32
    with ca.History(folder, mode="r", template={"x": Layers(None, 0)}) as history:
        assert type(history.state["x"]) is Layers
        np.testing.assert_array_equal(history.state["x"].image, np.ones(3))


@pytest.mark.parametrize("template", [Layers, 5, "x", {"x": [Layers]}, (Layers,), Layers(Layers, 0)], ids=repr)
def test_a_template_is_a_state(folder, template):
    ca.History(folder, {"x": Layers(np.ones(3), 0.5)}).close()
    with pytest.raises(TypeError, match=r"^History: a template (is an array, a dict|has instances, and no classes)"):
        ca.History(folder, template=template)
    around = {"x": Layers(None, 0)}
    around["y"] = around
    with ca.History(folder, template=around) as history:
        assert type(history.state["x"]) is Layers


def test_elements_of_a_list_that_grew_are_as_the_last_of_the_template(folder):
    def layers(count):
        return [Layers(ca.zeros(4), k) for k in range(count)]

    with ca.History(folder, {"all": layers(1), "mixed": [*layers(1), 1], "none": []}) as history:
        history.state["all"] += layers(3)[1:]
        history.state["mixed"] += layers(1)
        history.state["none"] += layers(1)
        history.commit()
    template = {"all": layers(1), "mixed": [*layers(1), 1], "none": []}
    with ca.History(folder, template=template) as history:
        state = history.state
        assert [type(each) for each in state["all"]] == [Layers] * 3
        assert [each.opacity for each in state["all"]] == [0, 1, 2]
        assert [type(each) for each in state["mixed"]] == [Layers, int, dict]
        assert [type(each) for each in state["none"]] == [dict]


# ---- who may write ---------------------------------------------------------------------------------------------------


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


# ---- damage ----------------------------------------------------------------------------------------------------------


def test_a_damaged_record_is_named_with_its_versions(folder):
    was = edited(folder, 6)
    (pages,) = (folder / "pages").iterdir()
    data = bytearray(pages.read_bytes())
    record = 16 + 4096
    data[5 * record + 100] ^= 1  # of version 3, which wrote a page of each array
    pages.write_bytes(data)
    with ca.History(folder, mode="r") as history:
        ((text, versions),) = history.verify()
        assert f"byte {5 * record} of pages/000001.bin" in text
        assert 3 in versions
        assert equal(history[2], was[2])
        assert equal(history.state, was[6])
        with pytest.raises(ValueError, match="is damaged"):
            history[3]


@pytest.mark.parametrize("size", [1000, N])
def test_a_step_that_fails_drops_nothing(folder, monkeypatch, size):
    edited(folder, 4, size)
    (pages,) = (folder / "pages").iterdir()
    data = bytearray(pages.read_bytes())
    data[16 + 4096 + 100] ^= 1  # of version 1, whose page of "b" each later one has written anew
    pages.write_bytes(data)
    with ca.History(folder) as history:
        history.state["a"][7] = 7.0
        history.state["t"] = "more"
        was = frozen(history.state)
        with pytest.raises(ValueError, match="is damaged"):
            history.checkout(1, discard=True)
        assert equal(history.state, was)
        with monkeypatch.context() as patch:
            patch.setattr(stores.Database, "execute", lambda *_: no_room())
            for step in (history.undo, lambda **options: history.checkout(4, **options)):
                with pytest.raises(OSError, match="No space"):
                    step(discard=True)
                assert equal(history.state, was)
        assert history.undo(discard=True) == 3
        assert (history.state["a"][7], history.state["t"]) == (0.0, "3")


def can_be_read(history, number):
    try:
        history[number]
        history.checkout(number)
    except ValueError as error:
        if "is damaged" not in str(error):
            raise
        return False
    return True


@pytest.mark.parametrize("forgets", [False, True], ids=["all", "some"])
def test_verify_names_the_versions_that_cannot_be_read(folder, forgets):
    """Of each damaged record: those that have it from versions before them too, in any branch."""
    with ca.History(folder, {"a": ca.zeros(3 * 512), "b": ca.zeros(512)}) as history:
        state = history.state
        for step in range(14):
            if step == 4:
                history.checkout(2)
                history.branch("other")
            elif step == 8:
                history.switch("main")
            elif step == 11:
                history.merge("other", conflicts="last")
            name, at = ("a", step % 3 * 512) if step % 4 else ("b", 0)
            state[name][at] = step + 1
            history.commit()
        history.checkout(0)
        if forgets:
            history.keep(last=8)
    (pages,) = (folder / "pages").iterdir()
    whole, named = pages.read_bytes(), 0
    for at in range(40, len(whole), 16 + 4096):
        pages.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with ca.History(folder, mode="r") as history:
            lost = [number for number in history if not can_be_read(history, number)]
            found = history.verify()
            assert [versions for _, versions in found] == ([lost] if found else [])
            assert found or not lost
            assert not found or f"byte {at - 40} of pages/000001.bin" in found[0][0]
            named += len(lost) > 1
    assert named > 5


@pytest.mark.parametrize("most", [1, 2, 3])
def test_verify_names_the_versions_of_several_damaged_records(folder, monkeypatch, most):
    """Of many, it names the first, and those of the others together."""
    monkeypatch.setattr(stores, "_MOST", most)
    with ca.History(folder, {"a": ca.zeros(3 * 512)}) as history:
        for at in 0, 512, 1024, 0, 512:
            history.state["a"][at] += 1
            history.commit()
        history.checkout(0)
    (pages,) = (folder / "pages").iterdir()
    data = bytearray(pages.read_bytes())
    for record in 0, 1, 3:
        data[record * (16 + 4096) + 40] ^= 1
    pages.write_bytes(data)
    with ca.History(folder, mode="r") as history:
        texts, versions = zip(*history.verify(), strict=True)
    assert list(versions) == [[1, 2, 3], [2, 3, 4], [4, 5]][:most] + {1: [[2, 3, 4, 5]], 2: [[4, 5]], 3: []}[most]
    others = [f"History: damaged records beside these: {3 - most}"] * (most < 3)
    assert [text for text in texts if "beside" in text] == others


@pytest.mark.parametrize("mode", ["r", "r+"])
@pytest.mark.parametrize("size", [1000, N])
def test_verify_names_a_damaged_base(folder, size, mode):
    """Also one that a disk has spoiled, whose time is what it was."""
    with ca.History(folder, {"a": ca.zeros(size)}) as history:
        history.commit()
        history.state["b"] = np.arange(size)
        history.commit()
        history.state["a"][0] = 1.0
        history.commit()
    (base,) = (folder / "bases").glob("000001-*.npy")
    base.chmod(0o644)
    before = base.stat()
    with base.open("r+b") as file:
        file.seek(4096 + 8)
        file.write(b"\xff")
    os.utime(base, ns=(before.st_atime_ns, before.st_mtime_ns))
    with ca.History(folder, mode=mode) as history:
        assert history.verify() == [(f"History: {base} was changed after it was written", [1, 2])]
        base.unlink()
        assert history.verify() == [(f"History: there is no {base}", [1, 2])]


def test_a_reader_verifies_what_was_compacted_meanwhile(folder):
    was = edited(folder)
    with ca.History(folder, mode="r") as reader:
        with ca.History(folder) as history:
            history.compact()
        assert reader.verify() == []
        assert holds(reader, was)


def test_a_damaged_last_version_leaves_the_others(folder):
    was = edited(folder)
    (pages,) = (folder / "pages").iterdir()
    pages.write_bytes(pages.read_bytes()[:-1])
    with pytest.raises(ValueError, match="is damaged"):
        ca.History(folder)
    with pytest.warns(UserWarning, match="the state is that of version 3"):
        history = ca.History(folder, mode="r")
    assert equal(history.state, was[3])
    assert holds(history, was[:4])
    history.close()


def test_one_warning_says_which_version_a_folder_has(folder):
    edited(folder)
    (pages,) = (folder / "pages").iterdir()
    put_zeros(pages, 40, 4096)  # of version 1, which all after it have
    with pytest.warns(UserWarning, match="the state is that of version") as warned:
        ca.History(folder, mode="r").close()
    (warning,) = warned
    assert str(warning.message).endswith(
        "the record at byte 0 of pages/000001.bin is damaged; the state is that of version 0"
    )
    assert warning.filename == __file__


def test_of_two_damaged_versions_no_page_stays(folder):
    """More pages than are read at once: many are in the arrays when the damaged one is met."""
    with ca.History(folder, {"a": ca.zeros(3000 * 512)}) as history:
        a = history.state["a"]
        a[-1] = 1.0
        history.commit()
        a[: 2000 * 512 : 512] = 2.0
        a[-1] = 3.0
        history.commit()
    (pages,) = (folder / "pages").iterdir()
    data = bytearray(pages.read_bytes())
    for record in 0, len(data) // (16 + 4096) - 1:
        data[record * (16 + 4096) + 4000] ^= 1
    pages.write_bytes(data)
    with pytest.warns(UserWarning, match="the state is that of version"):
        history = ca.History(folder, mode="r")
    assert history.version == 0
    assert not history.state["a"].any()
    history.close()


def newest(folder):
    return max(folder.glob("history-*.sqlite"))


def put_zeros(path, first, count):
    with path.open("r+b") as file:
        file.seek(first)
        file.write(bytes(count))


DAMAGES = {
    "cut to half": lambda folder: os.truncate(newest(folder), newest(folder).stat().st_size // 2),
    "emptied": lambda folder: os.truncate(newest(folder), 0),
    "zeros": lambda folder: put_zeros(newest(folder), 0, newest(folder).stat().st_size),
    "zeros in the middle": lambda folder: put_zeros(newest(folder), 3 * 1024, newest(folder).stat().st_size // 2),
    "no tables": lambda folder: change(folder, "DROP TABLE format"),
    "no rows": lambda folder: change(folder, "DELETE FROM present"),
    "no text": lambda folder: change(folder, "UPDATE present SET tips = 'x'"),
    "no entries": lambda folder: change(folder, "UPDATE versions SET entries = x'00'"),
    "no layouts": lambda folder: change(folder, "UPDATE layouts SET text = 'x'"),
    "no bases": lambda folder: shutil.rmtree(folder / "bases"),
    "no base": lambda folder: next((folder / "bases").iterdir()).unlink(),
}


def change(folder, statement):
    with contextlib.closing(sqlite3.connect(newest(folder))) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize("mode", ["r+", "r"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_said_to_be_one(folder, damage, mode):
    edited(folder, 12, 1000)
    DAMAGES[damage](folder)
    with pytest.raises(ValueError, match=f"^History: in {folder}, the folder is damaged: "):
        ca.History(folder, mode=mode)
    shutil.rmtree(folder)
    ca.History(folder, [ca.zeros(3)]).close()  # no lock is left


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE present SET head = 7, after = 1",
        "DELETE FROM versions WHERE number = 0",
        "UPDATE versions SET parent = 5 WHERE number = 1",
        "UPDATE present SET branch = CAST(branch AS BLOB)",
        "UPDATE present SET tips = NULL",
        "UPDATE arrays SET first = 'x'",
        "UPDATE versions SET depth = 1.5",
        "UPDATE versions SET message = CAST(message AS BLOB)",
        "UPDATE versions SET parent = NULL WHERE number = 1",
        "UPDATE versions SET counts = '[1]'",
        """UPDATE versions SET counts = '{"a":"x"}'""",
        "UPDATE versions SET counts = replace(hex(zeroblob(9999)), '00', '[')",
        "UPDATE layouts SET text = replace(hex(zeroblob(9999)), '00', '[')",
        "UPDATE layouts SET text = 'null'",
        "UPDATE layouts SET text = replace(text, '0', '7')",
        "UPDATE layouts SET text = replace(text, '{\"array\":0}', '[]')",
        """UPDATE present SET tips = '{"main":"x"}'""",
        "DELETE FROM arrays",
        "UPDATE arrays SET axes = '[]'",
        "UPDATE arrays SET axes = '[0,0]'",
        "UPDATE arrays SET name = 'x' || char(0)",
        "UPDATE arrays SET name = '../bases/' || name",
        "PRAGMA writable_schema = ON;"
        "UPDATE sqlite_schema SET sql = CAST(x'ff28' || sql AS TEXT) WHERE name = 'present'",
    ],
)
def test_a_database_that_says_what_cannot_be_is_damaged(folder, statement):
    with ca.History(folder, {"a": ca.zeros(3)}) as history:
        history.state["a"][0] = 1
        history.commit()
    with contextlib.closing(sqlite3.connect(next(folder.glob("history-*.sqlite")))) as database:
        database.executescript(statement)
        database.commit()
    with pytest.raises(ValueError, match=f"^History: in {folder}, the folder is damaged: "):
        ca.History(folder)


@pytest.mark.parametrize("calls", [lambda history: history.keep(last=2), lambda history: history.compact()])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE versions SET parent = 'x' WHERE number = 3",
        "UPDATE versions SET parent = 1 WHERE number = 3",
        "UPDATE versions SET parent = NULL, depth = 7 WHERE number = 3",
        "UPDATE versions SET number = 9e18 WHERE number = 0",
        "DELETE FROM versions WHERE number = 2",
    ],
)
def test_what_goes_through_all_versions_finds_those_that_cannot_be(folder, statement, calls):
    edited(folder, 5, 1000)
    change(folder, statement)
    with (
        pytest.raises(ValueError, match=f"^History: in {folder}, the folder is damaged: "),
        ca.History(folder, mode="r+") as history,
    ):
        calls(history)


def test_a_folder_without_its_pages_is_damaged(folder):
    was = edited(folder, 3, 1000)
    shutil.rmtree(folder / "pages")
    with pytest.raises(ValueError, match=f"^History: in {folder}, the folder is damaged: "):
        ca.History(folder)
    with pytest.warns(UserWarning, match="is damaged"), ca.History(folder, mode="r") as history:
        assert equal(history[0], was[0])


def test_a_page_of_zeros_anywhere_in_the_tables_is_an_error_of_value_or_none(folder, tmp_path):
    was = edited(folder, 12, 1000)
    found = others = 0
    for at in range(newest(folder).stat().st_size // 1024):
        other = shutil.copytree(folder, tmp_path / "other")
        put_zeros(newest(other), at * 1024, 1024)
        try:
            with ca.History(other) as history:
                assert [history[number]["t"] for number in history] == [each["t"] for each in was]
        except ValueError as error:
            found += str(error).startswith("History: ")
            others += not str(error).startswith("History: ")
        shutil.rmtree(other)
    assert found > 5
    assert not others


def test_an_error_of_the_disk_is_no_damage(folder):
    with ca.History(folder, [ca.zeros(1000)]) as history:
        history._store.database._connection.execute("PRAGMA max_page_count = 1")
        history.state[0][0] = 1
        with pytest.raises(OSError, match="full"):
            history.commit("x" * 100_000)
        history._store.database._connection.execute("PRAGMA max_page_count = 1000000")
        history.commit()


def test_a_base_that_somebody_changed_is_an_error(folder):
    edited(folder)
    base = min((folder / "bases").iterdir())
    shutil.copytree(folder, folder.with_name("copy"))
    with ca.History(folder.with_name("copy"), mode="r") as history:
        assert history.version == 4  # other inodes and times, the same bytes
    base.chmod(0o644)
    data = bytearray(base.read_bytes())
    data[-1] ^= 1
    base.write_bytes(data)
    with pytest.raises(ValueError, match="was changed"):
        ca.History(folder)
    base.write_bytes(data[:-1])
    with pytest.raises(ValueError, match="was changed"):
        ca.History(folder, mode="r")


# ---- forgetting and compacting --------------------------------------------------------------------------------------


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
            raise OSError(28, "No space left on device")
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


# ---- in the background --------------------------------------------------------------------------------------


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


def test_integers_of_any_length_are_kept(folder):
    numbers = [sign * (10**digits + 7) for digits in (0, 300, 310, 5000) for sign in (1, -1)]
    with ca.History(folder, list(numbers)) as history:
        history.state.append(-(10**6000))
        history.commit(durable="background")
    with ca.History(folder, mode="r") as again:
        assert again[0] == numbers
        assert again.state == [*numbers, -(10**6000)]


def test_what_fails_in_the_background_is_said_and_tried_again(folder, monkeypatch):
    real = stores.write_all
    with ca.History(folder, ca.zeros(1000)) as history:

        def no_room(descriptor, data):
            raise OSError(28, "No space left on device")

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


# ---- crashes and full disks ------------------------------------------------------------------------------------------


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

    def fail():
        raise OSError(28, "No space left on device")

    for at in range(1, 200):
        folder = tmp_path / f"{at}"
        shutil.copytree(tmp_path / "before", folder)
        with ca.History(folder) as history:
            state = frozen(history.state)
            with pytest.MonkeyPatch.context() as patch:
                calls = Calls(patch, at, fail, done=False)
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


def test_sqlite_reads_it(folder):
    edited(folder)
    with contextlib.closing(sqlite3.connect(folder / "history-000001.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM versions").fetchone() == (5,)


# ---- a process that moves, closes and is interrupted -----------------------------------------------------------------


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


@pytest.mark.parametrize("mode", ["r+", "r"])
@pytest.mark.parametrize("state", [{"x": np.zeros(2000), "n": 0}, {"n": 0}], ids=["arrays", "none"])
def test_verify_says_that_a_folder_is_gone(folder, state, mode):
    with ca.History(folder, state) as history:
        history.state["n"] = 1
        history.commit()
        history.compact()
        assert history.verify() == []
    history = ca.History(folder, mode=mode)
    assert history.verify() == []
    folder.rename(folder.with_name("moved"))
    ((what, versions),) = history.verify()
    assert what.startswith("History: its folder was moved or replaced")
    assert versions == [0, 1]
    history.close()
    with pytest.raises(ValueError, match="is closed"):
        history.verify()


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


def test_what_waits_in_the_background_is_no_damage(folder):
    with ca.History(folder, {"x": ca.zeros(N)}) as history:
        history.state["x"][...] = 1
        history.commit(durable="background")
        assert history.verify() == []


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


def no_room(*_):
    raise OSError(28, "No space left on device")


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
    command = [sys.executable, "-c", textwrap.dedent(script), str(folder), ends]
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
