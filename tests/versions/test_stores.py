"""A history in a folder is what it is in memory: what was committed is there when it is opened again."""

import contextlib
import dataclasses
import sqlite3

import numpy as np
import pytest
from folders import N, edited, holds
from histories import equal

import cowarray as ca


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


def test_integers_of_any_length_are_kept(folder):
    numbers = [sign * (10**digits + 7) for digits in (0, 300, 310, 5000) for sign in (1, -1)]
    with ca.History(folder, list(numbers)) as history:
        history.state.append(-(10**6000))
        history.commit(durable="background")
    with ca.History(folder, mode="r") as again:
        assert again[0] == numbers
        assert again.state == [*numbers, -(10**6000)]


def test_sqlite_reads_it(folder):
    edited(folder)
    with contextlib.closing(sqlite3.connect(folder / "history-000001.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM versions").fetchone() == (5,)
