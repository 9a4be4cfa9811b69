"""`load` and `save`: what NumPy saves comes back, mapped and lazy, and a file is replaced, never rewritten."""

import gc
import inspect
import io
import os
import pickle
import stat
import struct
import threading
import warnings

import numpy as np
import pytest
from support.npy_files import DTYPES, LAYOUTS, WAYS, example, npy, zipped
from support.oracle import same

import cowarray


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


# ---- what is whole ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_and_layout_comes_back(tmp_path, way, dtype):
    for layout in LAYOUTS.values():
        expected = layout(example(dtype))
        (tmp_path / "x.npy").write_bytes(npy(expected))
        x = way(tmp_path / "x.npy")
        same(x, expected)
        assert x.flags.writeable
        if expected.size:
            assert x.flags.f_contiguous or not expected.flags.f_contiguous
        x[...] = np.zeros((), x.dtype)
        same(way(tmp_path / "x.npy"), expected)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format_comes_back(tmp_path, way, version):
    (tmp_path / "x.npy").write_bytes(npy(np.arange(6.0).reshape(2, 3), version))
    same(way(tmp_path / "x.npy"), np.arange(6.0).reshape(2, 3))


def test_a_header_of_python_2_comes_back(tmp_path, way):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3L,)}\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + np.arange(3.0).tobytes()
    (tmp_path / "x.npy").write_bytes(data)
    with pytest.warns(UserWarning, match="Python 2"):
        x = way(tmp_path / "x.npy")
    assert x.tolist() == [0, 1, 2]


def test_a_mapped_file_is_read_lazily_and_never_written(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.arange(1000.0))
    before = path.read_bytes()
    cowarray.reset_stats()
    x = cowarray.load(path)
    y = x.reshape(10, 100)
    assert cowarray.stats()["bytes_copied"] == 0
    assert cowarray.explain(x).foreign
    y[...] = -1
    x[5] = -1
    assert cowarray.stats()["steals"] == 0
    assert path.read_bytes() == before


def test_arrays_follow_each_other_in_one_file(tmp_path):
    with open(tmp_path / "x", "w+b") as file:
        for i in range(3):
            cowarray.save(file, cowarray.array([i, i]))
        file.seek(0)
        assert [cowarray.load(file).tolist() for i in range(3)] == [[0, 0], [1, 1], [2, 2]]
        with pytest.raises(EOFError):
            cowarray.load(file)


def test_a_pipe_is_read_at_once(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    source = np.arange(1000.0).reshape(10, 100)

    def load(**options):
        writer = threading.Thread(target=path.write_bytes, args=(npy(source),))
        writer.start()
        try:
            return cowarray.load(path, **options)
        finally:
            writer.join()

    for mode in "r", "c", None:
        same(load(mmap_mode=mode), source)
    with pytest.raises(ValueError, match=r"pages=True maps a file, and this is a pipe or a device; drop pages=True"):
        load(pages=True)


def test_other_modes_are_refused(tmp_path):
    for mode in ("r+", "w+", "rb", True):
        with pytest.raises(ValueError, match="mmap_mode"):
            cowarray.load(tmp_path / "none.npy", mmap_mode=mode)
    with pytest.raises(FileNotFoundError):
        cowarray.load(tmp_path / "none.npy")
    with pytest.raises(OSError, match="directory"):
        cowarray.load(tmp_path)


# ---- objects ---------------------------------------------------------------------------------------------------------


class Trap:
    sprung = 0

    def __reduce__(self):
        return setattr, (Trap, "sprung", 1)


@pytest.mark.parametrize("wrap", [lambda trap: trap, lambda trap: trap.reshape(1, 1).T], ids=["C", "F"])
def test_objects_are_refused_unless_asked_for(tmp_path, way, wrap):
    (tmp_path / "x.npy").write_bytes(npy(wrap(np.array([Trap()], dtype=object))))
    with pytest.raises(ValueError, match="allow_pickle=True"):
        way(tmp_path / "x.npy")
    assert not Trap.sprung


def test_nothing_but_npy_and_npz_is_unpickled():
    with pytest.raises(ValueError, match=r"not a \.npy file"):
        cowarray.load(io.BytesIO(pickle.dumps(Trap())), allow_pickle=True)
    with pytest.raises(ValueError, match="allow_pickle"):
        cowarray.load(zipped(npy(np.array([Trap()], dtype=object))))["x"]
    assert not Trap.sprung


def test_objects_come_back_when_asked_for(tmp_path):
    for source in (np.array([[1, "a"], [None, (2,)]], dtype=object).T, np.array([{}], dtype=object)):
        np.save(tmp_path / "x.npy", source, allow_pickle=True)
        same(cowarray.load(tmp_path / "x.npy", allow_pickle=True), source)
        cowarray.save(tmp_path / "y.npy", cowarray.array(source), allow_pickle=True)
        same(cowarray.load(tmp_path / "y.npy", allow_pickle=True), source)
    data = npy(np.array([1, 2], dtype=object))
    for wrong in (data.replace(b"(2,)", b"(3,)"), data[:200] + pickle.dumps([1, 2])):
        with pytest.raises((ValueError, pickle.UnpicklingError)):
            cowarray.load(io.BytesIO(wrong), allow_pickle=True)


# ---- NumPy's parameters ----------------------------------------------------------------------------------------------


def test_load_and_save_have_numpys_parameters():
    for ours, theirs in ((cowarray.load, np.load), (cowarray.save, np.save)):
        given, expected = (inspect.signature(each).parameters.values() for each in (ours, theirs))
        own = [(each.name, each.kind) for each in given if each.name != "pages"]
        # What older versions of NumPy have besides, they warn of.
        assert own == [(each.name, each.kind) for each in expected if each.default is not np._NoValue]


def test_arguments_are_taken_where_numpy_takes_them(tmp_path):
    path, source = tmp_path / "x.npy", np.array([1, "a"], object)
    cowarray.save(path, source, True)
    for load in (np.load, cowarray.load):
        assert load(path, None, True, True, "ASCII").tolist() == [1, "a"]
    cowarray.save(path, arr=np.arange(3.0), allow_pickle=False)
    assert np.load(path, "r").tolist() == cowarray.load(path, "r").tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="allow_pickle"):
        cowarray.save(path, source, False)


def of_python_2(element):
    """A file with an array of one element that Python 2 has pickled."""
    data = npy(np.array(["ab"], object))
    header = data[: len(data) - len(data.partition(b"\n")[2])]
    return header + pickle.dumps(np.array(["ab"], object), 2).replace(b"X\2\0\0\0ab", element)


@pytest.mark.parametrize("wrap", [io.BytesIO, zipped])
@pytest.mark.parametrize(
    "options", [{"encoding": "latin1"}, {"encoding": "bytes"}, {"fix_imports": False}, {}], ids=str
)
def test_pickles_of_python_2_are_read_as_numpy_reads_them(wrap, options):
    for element in (b"U\2\xe4b", b"c__builtin__\nxrange\n"):
        outcomes = []
        for load in (np.load, cowarray.load):
            try:
                loaded = load(wrap(of_python_2(element)), allow_pickle=True, **options)
                outcomes.append((loaded if wrap is io.BytesIO else loaded["x"]).tolist())
            except (ModuleNotFoundError, ValueError):
                outcomes.append("refused")
        assert outcomes[0] == outcomes[1]
    with pytest.raises(ValueError, match=r"^load: encoding must be 'ASCII', 'latin1' or 'bytes' \(got 'utf8'\)"):
        cowarray.load(wrap(of_python_2(element)), encoding="utf8")


@pytest.mark.parametrize("letter", ["a", "\u00e4"])
def test_a_long_header_is_read_when_its_size_is_allowed(tmp_path, way, letter):
    path = tmp_path / "x.npy"
    source = np.zeros(2, [(f"{letter}{i}" * 10, "i4") for i in range(300)])
    with warnings.catch_warnings(action="ignore"):  # that older versions of NumPy cannot read it
        np.save(path, source)
    with pytest.raises(
        ValueError, match=r"more than the 10000 that load reads; .* pass max_header_size=\d+$"
    ) as raised:
        way(path)
    needed = int(str(raised.value).rpartition("=")[2])
    for most in (needed, np.int64(needed), 10**30):
        same(cowarray.load(path, max_header_size=most), source)
    same(cowarray.load(path, allow_pickle=True), source)  # as NumPy: who allows pickles trusts the file
    with pytest.raises(ValueError, match=f"more than the {needed - 1} "):
        cowarray.load(path, max_header_size=needed - 1)
    with pytest.raises(ValueError, match="more than the 10 "):
        cowarray.load(zipped(path.read_bytes()), max_header_size=10)["x"]
    with pytest.raises(TypeError, match=r"^load: max_header_size must be an integer \(got '10'\)"):
        cowarray.load(path, max_header_size="10")


@pytest.mark.parametrize("operation", ["load", "save", "savez", "savez_compressed"])
def test_what_is_no_file_is_refused_by_the_operation(operation):
    with pytest.raises(TypeError, match=f"^{operation}: file must be a path or a file object \\(got int\\)$"):
        getattr(cowarray, operation)(5, *[[1.0]] * (operation != "load"))


# ---- archives --------------------------------------------------------------------------------------------------------


def test_an_archive_is_a_mapping_that_closes_its_file(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, a=np.arange(3), b=np.eye(2))
    files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    with cowarray.load(path) as archive:
        assert (list(archive), len(archive), archive.files) == (["a", "b"], 2, ["a", "b"])
        same(dict(archive), {"a": np.arange(3), "b": np.eye(2)})
        assert archive["a.npy"].tolist() == [0, 1, 2]
        assert "c" not in archive
        assert repr(archive) == "<Archive of a, b>"
        for key in ("c", 3, None):
            with pytest.raises(KeyError):
                archive[key]
    archive.close()
    with pytest.raises(ValueError, match="closed"):
        archive["a"]
    assert cowarray.load(path)["b"].tolist() == [[1, 0], [0, 1]]  # closed when dropped
    gc.collect()
    np.savez(path)
    assert list(cowarray.load(path)) == []
    with open(path, "rb") as file:
        assert cowarray.load(file).files == []
        assert not file.closed
    if files is not None:
        assert len(os.listdir("/proc/self/fd")) == files


@pytest.mark.parametrize("names", [["a.npy"], ["a.npy.npy"], ["a", "a.npy"], ["a", "b.npy", ".npy"]])
def test_an_archive_finds_names_that_end_as_files_do_as_numpys_does(tmp_path, names):
    path = tmp_path / "x.npz"
    np.savez(path, **{name: np.arange(number) for number, name in enumerate(names)})
    with cowarray.load(path) as archive, np.load(path) as theirs:
        assert list(archive) == list(theirs)
        for name in [*names, *[f"{name}.npy" for name in names]]:
            same(archive[name], theirs[name])


def test_a_failing_load_closes_its_file(tmp_path):
    path = tmp_path / "x.npz"
    for data in (b"PK\x03\x04 and nothing else", npy(np.arange(3))[:-1], b""):
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises((ValueError, EOFError)):
                cowarray.load(path)
            gc.collect()


# ---- save ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.filterwarnings("ignore:Stored array in format 3.0")
def test_what_is_saved_is_what_numpy_saves(tmp_path, dtype):
    for layout in LAYOUTS.values():
        source = layout(example(dtype))
        cowarray.save(tmp_path / "ours", layout(cowarray.array(example(dtype))))
        np.save(tmp_path / "theirs", source)
        ours, theirs = ((tmp_path / name).read_bytes() for name in ("ours.npy", "theirs.npy"))
        assert len(ours) == len(theirs)
        assert ours[:128] == theirs[:128]
        assert ours == theirs or source.dtype.isalignedstruct  # what is between fields is anybody's


def test_save_replaces_a_file_and_leaves_what_is_mapped_from_it(tmp_path):
    path, link = tmp_path / "x.npy", tmp_path / "link.npy"
    cowarray.save(path, np.arange(10_000.0))
    os.chmod(path, 0o640)
    link.symlink_to(path)
    x = cowarray.load(path)
    y = x.reshape(100, 100)
    cowarray.save(path, x)
    cowarray.save(link, y[:2])
    assert x[9_999] == y[99, 99] == 9_999
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert cowarray.load(path).shape == (2, 100)
    assert sorted(os.listdir(tmp_path)) == ["link.npy", "x.npy"]


WRITERS = {
    "x.npy": lambda path, x: np.save(path, x),
    "bare.npy": lambda path, x: np.save(str(path).removesuffix(".npy"), x),
    "x.bin": lambda path, x: x.tofile(path),
    "dumped.bin": lambda path, x: cowarray.array(x).dump(path) if isinstance(x, np.ndarray) else x.dump(path),
    "text.bin": lambda path, x: x.tofile(path, sep=" "),
    "named.npy": lambda path, x: np.save(file=path, arr=x),
    "x.npz": lambda path, x: np.savez(path, x, y=x),
    "packed.npz": lambda path, x: np.savez_compressed(str(path).removesuffix(".npz"), x),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("link", [False, True])
def test_who_writes_to_a_mapped_file_leaves_what_is_mapped_from_it(tmp_path, name, link):
    path = tmp_path / name
    numbers = np.arange(100_000.0)
    numbers.tofile(path)
    os.chmod(path, 0o640)
    x = cowarray.fromfile(path)
    y, mapped = x[::2].copy(), np.memmap(path, mode="r")
    target = path
    if link:
        target = tmp_path / f"link{path.suffix}"
        target.symlink_to(path)
    WRITERS[name](target, x)
    assert (np.asarray(x) == numbers).all()
    assert (np.asarray(y) == numbers[::2]).all()
    assert mapped.size == numbers.nbytes
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert len(os.listdir(tmp_path)) == 1 + link
    wanted = tmp_path / "wanted"
    wanted.mkdir()
    WRITERS[name](wanted / name, numbers)
    assert path.read_bytes()[-100:] == next(wanted.iterdir()).read_bytes()[-100:] or "npz" in name
    if "npz" in name:
        assert (np.load(path)["arr_0"] == numbers).all()


def test_a_write_to_a_mapped_file_that_fails_leaves_its_contents(tmp_path):
    path = tmp_path / "x.bin"
    np.arange(1000.0).tofile(path)
    before = path.read_bytes()
    x = cowarray.fromfile(path)
    with pytest.raises(TypeError):
        x.tofile(path, 5)
    with cowarray.fake(), pytest.raises(cowarray.FakeError):
        cowarray.zeros(3).tofile(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["x.bin"]


def test_a_file_that_nobody_has_mapped_is_rewritten_in_place(tmp_path):
    path, link = tmp_path / "x.bin", tmp_path / "hard.bin"
    path.write_bytes(b"before")
    link.hardlink_to(path)
    cowarray.array([1, 2, 3], dtype="u1").tofile(path)
    assert link.read_bytes() == b"\x01\x02\x03"


def test_a_mapped_file_without_a_place_beside_it_stays(tmp_path):
    path = tmp_path / "x.bin"
    np.arange(1000.0).tofile(path)
    x = cowarray.fromfile(path)
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:
        patch.setattr(os, "replace", lambda *names: (_ for _ in ()).throw(PermissionError("no")))
        with pytest.raises(PermissionError):
            x.tofile(path)
    assert (np.asarray(x) == np.arange(1000.0)).all()
    assert os.listdir(tmp_path) == ["x.bin"]


def test_a_save_that_fails_leaves_the_file(tmp_path):
    path = tmp_path / "x.npy"
    cowarray.save(path, [1, 2, 3])
    before = path.read_bytes()
    with pytest.raises(ValueError, match="allow_pickle"):
        cowarray.save(path, cowarray.array([1, None]))
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["x.npy"]
    with pytest.raises(FileNotFoundError):
        cowarray.save(tmp_path / "none" / "x.npy", [1])
