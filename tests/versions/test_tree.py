"""Ways between versions are what a walk along their parents finds, whatever tree they are in and however long they are,
in memory and of a folder."""

import random
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from support.seeds import chosen_seed

import cowarray as ca
from cowarray._versions.stored_tree import StoredTree
from cowarray._versions.tree import NO_ENTRIES, Tree, Version


def grown(seed, count, turns):
    """A tree of random versions, which now and then go on from another one."""
    chooser, made, contents = random.Random(seed), Tree(), {}
    made.add(made.node(Version(0, None, None, "", 0.0, {}), None, NO_ENTRIES), [])
    head, fresh, contents[0] = 0, 0, {}
    for number in range(1, count):
        if chooser.random() < turns:
            head = chooser.choice([0, head - head % 32, chooser.randrange(number)])
            head = head if head in made else 0
        pages = chooser.sample(range(60), chooser.randrange(4))
        now, entries = dict(contents[head]), []
        for page in pages:
            fresh += 1
            entries.append((page, now.get(page, -1 - page), fresh))
            now[page] = fresh
        merged = chooser.randrange(number) if chooser.random() < 0.05 else None
        version = Version(number, head, merged, "", 0.0, {})
        node = made.node(version, None, np.array(entries, np.int64).reshape(-1, 3).T)
        made.add(node, made.leaps_of(node))
        head, contents[number] = number, now
    return made, contents


def line(tree, number):
    """A version and its ancestors."""
    found = [number]
    while (parent := tree[found[-1]].version.parent) is not None:
        found.append(parent)
    return found


def reached(tree, number):
    """A version, and all of which it was made, through merges too."""
    found, open_ones = set(), [number]
    while open_ones:
        at = open_ones.pop()
        if at is not None and at not in found:
            found.add(at)
            open_ones += [tree[at].version.parent, tree[at].version.merged]
    return found


def see(tree, contents, seed, rounds=60):
    chooser, numbers = random.Random(seed), sorted(contents)
    for _ in range(rounds):
        a, b = chooser.choice(numbers), chooser.choice(numbers)
        page, content = tree.between(a, b)
        assert (np.diff(page) > 0).all()
        named = {at: contents[a].get(at, -1 - at) for at in range(60)} | dict(np.stack([page, content]).T.tolist())
        assert named == {at: contents[b].get(at, -1 - at) for at in range(60)}
        assert dict(zip(*(column.tolist() for column in tree.at(b)), strict=True)).items() >= contents[b].items()
        above = line(tree, b)
        way = set(line(tree, a)) ^ set(above)  # and no page from above where the two meet
        assert set(page.tolist()) == {at for number in way for at in tree[number].entries[0].tolist()}
        assert tree.is_ancestor(a, b) == (a in above)
        assert tree.common(a, b) == max(reached(tree, a) & reached(tree, b))
        old = chooser.choice(above[1:] or [None])
        if old is not None:
            assert tree.child_towards(old, b) == above[above.index(old) - 1]


@pytest.mark.parametrize("turns", [0.0, 0.02, 0.4])
def test_ways_are_those_along_the_parents(turns):
    seed = chosen_seed()
    for at in range(5):
        tree, contents = grown(seed + at, 2500, turns)
        see(tree, contents, seed)
        kept = set(random.Random(seed + at).sample(range(2500), 300))
        thin = tree.thinned(kept)
        root = next(iter(thin.nodes())).version.number
        assert {node.version.number for node in thin.nodes()} == kept | {root}
        see(thin, {number: contents[number] for number in kept}, seed)


def test_a_way_has_few_parts(monkeypatch):
    tree, _ = grown(3, 5000, 0.0)
    steps, real = [], Tree._leap
    monkeypatch.setattr(Tree, "_leap", lambda *args: steps.append(args) or real(*args))
    tree.between(4, 4999)
    assert 10 < len(steps) < 5 * 31


# ---- of a folder -----------------------------------------------------------------------------------------------------


def test_a_folder_answers_as_memory_does(tmp_path, monkeypatch):
    """With almost nothing kept in memory."""
    monkeypatch.setattr("cowarray._versions.stored_tree._MOST", 3)
    monkeypatch.setattr("cowarray._versions.stored_tree._AT_ONCE", 7)
    chooser = random.Random(chosen_seed())
    both = [ca.History({"x": ca.zeros(30_000), "k": 0}), ca.History(tmp_path / "h", {"x": ca.zeros(30_000), "k": 0})]
    for k in range(1, 150):
        at, back = chooser.randrange(30_000), chooser.randrange(k) if chooser.random() < 0.1 else None
        background = chooser.random() < 0.3
        for history in both:
            history.state["x"][at] = k
            history.state["k"] = k
            history.commit(f"{k}", durable="background" if background else True)
            if back is not None:
                history.checkout(back)
    both[1].flush()
    both.append(ca.History(tmp_path / "h", mode="r"))
    plain, *others = both
    for history in others:
        assert len(history) == len(plain) == 150
        assert [(v.number, v.parent, v.message, v.pages) for v in history.log()] == [
            (v.number, v.parent, v.message, v.pages) for v in plain.log()
        ]
        assert repr(history).splitlines()[1:] == repr(plain).splitlines()[1:]
        for number in chooser.sample(range(150), 30):
            assert history.changes(number, 149).keys() == plain.changes(number, 149).keys()
            assert np.array_equal(history[number]["x"], plain[number]["x"])
    for history in both:
        history.close()


def test_opening_reads_what_the_last_version_needs(tmp_path, monkeypatch):
    with ca.History(tmp_path / "h", ca.zeros(100_000)) as history:
        for k in range(1500):
            history.state[k * 7] = k + 1
            history.commit(durable="background")
    asked = []
    real = StoredTree._kept
    monkeypatch.setattr(StoredTree, "_kept", lambda tree, found: asked.append(found) or real(tree, found))
    with ca.History(tmp_path / "h") as history:
        assert np.count_nonzero(history.state) == 1500
        assert 3 < len(asked) < 80
        history.checkout(750)
        assert np.count_nonzero(history.state) == 750
        assert len(asked) < 300


def test_a_session_has_few_versions_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("cowarray._versions.stored_tree._MOST", 100)
    with ca.History(tmp_path / "h", ca.zeros(1000)) as history:
        for k in range(500):
            history.state[0] = k + 1
            history.commit()
        assert len(history._tree._nodes) + len(history._tree._leaps) <= 102
        history.checkout(3)
        assert history.state[0] == 3


def test_classes_of_this_session_come_back(tmp_path, monkeypatch):
    from dataclasses import dataclass

    @dataclass
    class Layer:
        x: object
        k: int

    monkeypatch.setattr("cowarray._versions.stored_tree._MOST", 2)
    with ca.History(tmp_path / "h", {"layer": Layer(ca.zeros(10), 0)}) as history:
        for k in range(1, 20):
            history.state["layer"].k = k
            history.commit()
        history.keep(last=18)
        history.compact()
        for number in (3, 19, 7):
            history.checkout(number)
            assert (type(history.state["layer"]), history.state["layer"].k) == (Layer, number)
            assert type(history[5]["layer"]) is Layer


def test_a_page_of_an_array_that_is_gone_is_nobodys(tmp_path):
    """A new array may have its numbers after compacting."""
    with ca.History(tmp_path / "h", {"a": np.zeros(10)}) as history:
        history.state["z"] = np.zeros(10)
        history.commit()
        history.state["z"][3] = 9.0
        history.commit()
        del history.state["z"]
        last = history.commit()
        history.keep(last=1)
        assert [version.number for version in history.log()] == [last]
        history.compact()
    with ca.History(tmp_path / "h") as history:
        history.state["y"] = np.ones(10)
        history.commit()
    with ca.History(tmp_path / "h", mode="r") as history:
        assert np.array_equal(history.state["y"], np.ones(10))


def test_an_open_reader_keeps_what_a_writer_forgets(tmp_path):
    with ca.History(tmp_path / "h", ca.zeros(100)) as writer:
        for k in range(40):
            writer.state[k] = 1.0
            writer.commit()
        with ca.History(tmp_path / "h", mode="r") as reader:
            writer.keep(last=1)
            writer.compact()
            for _ in range(3):
                writer.state[50] += 1
                writer.commit()
            assert len(reader) == 41
            assert [int(np.sum(reader[number])) for number in (0, 7, 40)] == [0, 7, 40]
        assert len(list((tmp_path / "h").glob("history-*.sqlite"))) == 1


def test_readers_open_while_a_writer_compacts(tmp_path, monkeypatch):
    unlink = Path.unlink

    def unlink_slowly(path, missing_ok=False):
        unlink(path, missing_ok)
        time.sleep(0.003)  # for a reader to come in between

    monkeypatch.setattr(Path, "unlink", unlink_slowly)
    with ca.History(tmp_path / "h", ca.zeros(2000)) as writer:
        stop, problems = threading.Event(), []

        def read():
            while not stop.is_set():
                try:
                    with ca.History(tmp_path / "h", mode="r") as reader:
                        assert int(np.sum(reader.state)) == reader.version
                        assert reader.verify() == []
                except BaseException as error:
                    problems.append(error)
                    return

        thread = threading.Thread(target=read)
        thread.start()
        for k in range(60):
            writer.state[k] = 1.0
            writer.commit()
            writer.keep(last=2)
            if k % 2:
                writer.compact()
        stop.set()
        thread.join()
    assert not problems


def test_a_folder_of_the_format_before_is_refused(tmp_path):
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "history.sqlite").write_bytes(b"")
    with pytest.raises(ValueError, match="format 1"):
        ca.History(tmp_path / "h")
    with pytest.raises(FileExistsError):
        ca.History(tmp_path / "h", ca.zeros(3))
