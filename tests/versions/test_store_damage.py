"""A folder that is damaged is said to be one when it is opened, and what can be read of it is read."""

import contextlib
import os
import shutil
import sqlite3

import pytest
from folders import edited, holds
from histories import equal

import cowarray as ca


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
