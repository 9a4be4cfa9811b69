"""Doorkeepers in C are told of lazy copies before anybody has them, and of bytes that are being copied."""

import sys

import pytest
from bringers import N
from support.extensions import SOURCES, SUFFIX, build, run
from support.sources import load

import cowarray
from cowarray._native import storage as storage_module
from cowarray._native.storage import is_absent_storage, share_allocation

pytestmark = pytest.mark.sanitized


@pytest.fixture(scope="module")
def keeping(tmp_path_factory):
    """The extension, which has a `Keeper` of its own."""
    pytest.importorskip("Cython", reason="Cython is not installed; it is needed to build cowarray from source")
    folder = tmp_path_factory.mktemp("keeping")
    source, target = folder / "keeping.c", folder / f"keeping{SUFFIX}"
    include = SOURCES.parents[1] / "src"
    run([sys.executable, "-m", "cython", "-3", "-I", include, SOURCES / "keeping.pyx", "-o", source])
    build(source, target)
    return load(target)


def test_a_keeper_is_told_of_lazy_copies_before_anybody_has_them(keeping):
    """So each that shares absent bytes gets a doorkeeper; a copy that has none yet is nobody's."""
    x = cowarray.array(N)
    storages = []

    def bring():
        return cowarray.array(N).storage

    def share(storage, made):
        assert storage in (x.storage, *storages)
        assert share_allocation(storage, made)
        storages.append(made)
        keeping.keep(made, bring, share)

    keeper = keeping.keep(x.storage, bring, share)
    assert keeping.evicted(x.storage, 2) == "busy"
    assert keeping.evicted(x.storage, 1) == "ok"
    assert keeping.evicted(x.storage, 1) == "absent"
    y = x.copy()
    z = y[1:].copy()
    assert storages == [y.storage, z.storage]
    assert is_absent_storage(x.storage)
    assert keeping.allocation(x.storage) == 0
    export = memoryview(z)  # a share that is read at once is no lazy copy
    assert len(storages) == 2
    assert export.tolist() == N[1:].tolist()
    first = keeping.allocation(x.storage)
    assert first != 0
    assert first == keeping.allocation(y.storage) == keeping.allocation(z.storage)
    assert keeping.evicted(x.storage, 3) == "busy"
    assert keeping.held_by(x.storage, 3) == "a lazy copy, a snapshot or an export shares them"
    export.release()
    storages.clear()
    del z
    assert keeping.evicted(x.storage, 2) == "ok"
    y[0] = 3
    assert (x.tolist(), y[1:].tolist(), y[0].tolist()) == (N.tolist(), N[1:].tolist(), [3] * 6)
    assert keeping.allocation(x.storage) != keeping.allocation(y.storage)
    assert keeper.intents == [1, 2]  # to copy it, and to list it


def test_a_copy_that_its_keeper_refuses_is_undone(keeping):
    def refuse(storage, made):
        raise KeyError("no copies")

    x = cowarray.array(N)
    keeping.keep(x.storage, None, refuse)
    with pytest.raises(KeyError, match="no copies"):
        x.copy()
    assert x.storage.share_count == 1
    assert keeping.evicted(x.storage, 1) == "ok"


def test_bytes_that_are_being_copied_stay_and_it_is_told_who_copies(keeping):
    said = []
    before = storage_module._allocator()
    x = cowarray.array(N)

    def look():
        for array in (y, z):
            said.append((keeping.evicted(array.storage, 2), keeping.held_by(array.storage, 2)))

    storage_module._use_allocator(keeping.watch_clones(before, look))
    try:
        y = cowarray.array(N)
        z = y.copy()
        x = y.copy()
        said.clear()
        y[0] = 1
    finally:
        storage_module._use_allocator(before)
    assert said == [
        ("busy", "another thread is materializing the array"),
        ("busy", "they are being read, by an operation or by somebody outside"),
    ]
    assert x.tolist() == z.tolist() == N.tolist()
    assert y[0].tolist() == [1] * 6
