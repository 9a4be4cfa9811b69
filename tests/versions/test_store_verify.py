"""`verify` names what is damaged, and the versions that cannot be read; a step that meets damage changes nothing."""

import os

import numpy as np
import pytest
from folders import N, edited, holds, no_room
from histories import equal, frozen

import cowarray as ca
from cowarray._versions import store as stores


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


def test_what_waits_in_the_background_is_no_damage(folder):
    with ca.History(folder, {"x": ca.zeros(N)}) as history:
        history.state["x"][...] = 1
        history.commit(durable="background")
        assert history.verify() == []
