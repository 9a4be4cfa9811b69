"""`load` and `save`: what NumPy saves comes back, mapped and lazy; what is damaged raises before anything believes it."""

import gc
import gzip
import io
import os
import pickle
import random
import stat
import struct
import warnings
import zipfile

import numpy as np
import pytest
from oracle import same

import cowarray

DTYPES = [
    "?", "i1", "<u4", ">i4", "e", "f8", ">f8", "D", "M8[ns]", "m8[D]", "S3", "U4", ">U2", "V5", "S0",
    [("a", "i1"), ("b", ">f8")], [("p", "f4", (2, 3)), ("t", "M8[s]")], [(("title", "a"), "i4")],
    np.dtype([("a", "i1"), ("b", "f8")], align=True), [("\u00e4\u4e2d", "i4")],
]  # fmt: skip

LAYOUTS = {
    "C": lambda a: a,
    "Fortran": lambda a: a.T,
    "strided": lambda a: a[:, ::2],
    "0-d": lambda a: a[1, 1, 1, ...],
    "empty": lambda a: a[:, :0],
    "1-d": lambda a: a.reshape(-1),
}


def example(dtype):
    dtype = np.dtype(dtype)
    if dtype.itemsize == 0 or dtype.names:
        return np.zeros((2, 3, 4), dtype)
    if dtype.kind == "V":
        return np.arange(24 * dtype.itemsize, dtype="u1").view(dtype).reshape(2, 3, 4)
    return np.arange(24).astype(dtype).reshape(2, 3, 4)


class Unseekable:
    """A stream, as from a socket: it can only be read, and gives less than it is asked for."""

    def __init__(self, data):
        self.file = io.BytesIO(data)

    def read(self, size):
        return self.file.read(min(size, 7))


def zipped(data):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", data)
    return io.BytesIO(file.getvalue())


WAYS = {
    "mapped": lambda path: cowarray.load(path),
    "read": lambda path: cowarray.load(str(path), mmap_mode=None),
    "bytes path": lambda path: cowarray.load(os.fsencode(path), mmap_mode="c"),
    "BytesIO": lambda path: cowarray.load(io.BytesIO(path.read_bytes())),
    "stream": lambda path: cowarray.load(Unseekable(path.read_bytes())),
    "gzip": lambda path: cowarray.load(gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(path.read_bytes(), 1)))),
    "archive": lambda path: cowarray.load(zipped(path.read_bytes()))["x"],
}


def opened(path):
    with open(path, "rb") as file:
        return cowarray.load(file)


WAYS["file"] = opened


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


def npy(array, version=None):
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of version 3
        np.lib.format.write_array(file, array, version, allow_pickle=True)
    return file.getvalue()


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


# ---- what is damaged -------------------------------------------------------------------------------------------------


def spoiled(old, new, source=None):
    """A file with a header as given, of the length that it says."""
    data = npy(np.arange(100.0) if source is None else source)
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10 : 10 + length].rstrip().replace(old, new)
    assert header != data[10 : 10 + length].rstrip()
    return data[:8] + struct.pack("<H", len(header)) + header + data[10 + length :]


DAMAGED = {
    "no data": (npy(np.arange(100.0))[:-800], "truncated"),
    "a byte short": (npy(np.arange(100.0))[:-1], "truncated"),
    "within the header": (npy(np.arange(100.0))[:40], "truncated in the header"),
    "within the length": (npy(np.arange(100.0))[:9], "truncated in the header"),
    "within the version": (npy(np.arange(100.0))[:7], "truncated in the header"),
    "within the magic": (npy(np.arange(100.0))[:5], "not a .npy file"),
    "text": (b"1,2,3\n", "not a .npy file"),
    "another version": (b"\x93NUMPY\x04\x00" + npy(np.arange(3))[8:], "version"),
    "a header longer than the file": (b"\x93NUMPY\x01\x00\x00\x10" + npy(np.arange(3))[10:], "truncated in the header"),
    "a header longer than allowed": (b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(20), "4294967295 bytes"),
    "a header cut short": (b"\x93NUMPY\x01\x00\x20\x00" + npy(np.arange(3))[10:], "damaged"),
    "no literal": (spoiled(b"'<f8'", b"exit()"), "damaged"),
    "no dictionary": (spoiled(b"{", b"[{").replace(b"}", b"}]"), "damaged"),
    "a key more": (spoiled(b"{", b"{'more': 1, "), "damaged"),
    "no key": (spoiled(b"'shape'", b"'shade'"), "damaged"),
    "null bytes": (spoiled(b"'<f8'", b"'<\x008'"), "damaged"),
    "not a dtype": (spoiled(b"'<f8'", b"'<f9'"), "damaged"),
    "a dtype of numbers": (spoiled(b"'<f8'", b"[1, 2]"), "damaged"),
    "a list without end": (spoiled(b"'<f8'", b"[('a',)]"), "damaged"),
    "a subarray dtype": (spoiled(b"'<f8'", b"('<f4', (2,))"), "damaged"),
    "a subarray of negative length": (spoiled(b"'<f8'", b"[('a', '<f4', (-2,))]"), "damaged"),
    "a subarray beyond memory": (spoiled(b"'<f8'", b"[('a', '<f4', (9999999999999999999,))]"), "damaged"),
    "a huge dtype": (spoiled(b"'<f8'", b"'V9999999999999'"), "damaged"),
    "StringDType": (spoiled(b"'<f8'", b"'T'"), "object"),
    "objects": (spoiled(b"'<f8'", b"'|O'"), "object"),
    "negative": (spoiled(b"(100,)", b"(-100,)"), "damaged"),
    "a negative pair": (spoiled(b"(100,)", b"(-10, -10)"), "damaged"),
    "a boolean": (spoiled(b"(100,)", b"(True, 100)"), "damaged"),
    "a float": (spoiled(b"(100,)", b"(100.0,)"), "damaged"),
    "a list": (spoiled(b"(100,)", b"[100]"), "damaged"),
    "one element more": (spoiled(b"(100,)", b"(101,)"), "truncated"),
    "more than the machine has": (spoiled(b"(100,)", b"(%d,)" % 2**44), "truncated"),
    "more than it can have": (spoiled(b"(100,)", b"(%d,)" % 2**59), "truncated"),
    "beyond memory": (spoiled(b"(100,)", b"(%d,)" % 2**60), "larger than memory"),
    "beyond an integer": (spoiled(b"(100,)", b"(%d,)" % 2**70), "larger than memory"),
    "wraps around to 100": (spoiled(b"(100,)", b"(%d, 4, 25)" % (2**62 + 1)), "larger than memory"),
    "wraps around to nothing": (spoiled(b"(100,)", b"(%d, 16)" % 2**60), "larger than memory"),
    "beyond memory, and nothing": (spoiled(b"(100,)", b"(%d, %d, 0)" % (2**40, 2**40)), "larger than memory"),
    "65 axes": (spoiled(b"(100,)", b"(%s 100)" % (b"1," * 64)), "axes"),
    "order": (spoiled(b"False", b"0"), "damaged"),
    "nested": (spoiled(b"(100,)", b"(" * 4000), "damaged"),
    "signs": (spoiled(b"(100,)", b"(" + b"-" * 9000 + b"1,)"), "damaged"),
    "sums": (spoiled(b"(100,)", b"(" + b"1+" * 4000 + b"1j,)"), "damaged"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_files_raise(tmp_path, way, kind):
    data, words = DAMAGED[kind]
    (tmp_path / "x.npy").write_bytes(data)
    with pytest.raises(ValueError, match=words) as caught:
        way(tmp_path / "x.npy")
    assert str(caught.value).startswith("load: ")


def test_64_axes_are_not_too_many(tmp_path, way):
    (tmp_path / "x.npy").write_bytes(npy(np.arange(3.0).reshape((1,) * 63 + (3,))))
    assert way(tmp_path / "x.npy").shape == (1,) * 63 + (3,)


def test_an_empty_file_is_at_its_end(tmp_path, way):
    (tmp_path / "x.npy").write_bytes(b"")
    with pytest.raises(EOFError):
        way(tmp_path / "x.npy")


def test_a_huge_empty_element_is_no_work(tmp_path, way):
    (tmp_path / "x.npy").write_bytes(spoiled(b"'<f8'", b"'|V0'").replace(b"(100,)", b"(99999999999999999,)"))
    with pytest.raises(ValueError, match="damaged|truncated"):
        way(tmp_path / "x.npy")
    (tmp_path / "x.npy").write_bytes(spoiled(b"(100,)", b"(99999999999999999,)", np.zeros(100, "V0")))
    assert way(tmp_path / "x.npy").shape == (99999999999999999,)


def mutated(data, rng):
    """data with one to three bytes flipped, cut out or put in, or cut short; mostly near the header."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(min(len(data), 140)) if rng.random() < 0.9 else rng.randrange(len(data))
        kind = rng.randrange(6)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.choice(b"0123456789'(),[]{}<>|fiuOVSUbTm-+*\x00\xff")
        elif kind == 2:
            data[at:at] = rng.choice([b"9", b"0", b"-", b"9" * 12, b",", b"L", b"'", b"(", b"\x00"])
        elif kind == 3:
            del data[at : at + rng.choice([1, 1, 2, 8])]
        elif kind == 4 and rng.random() < 0.3:
            del data[at:]
        else:
            data[8:10] = struct.pack("<H", rng.randrange(300))
        if not data:
            break
    return bytes(data)


@pytest.mark.parametrize("way", ["mapped", "BytesIO", "archive"])
def test_a_damaged_file_gives_what_numpy_gives_or_raises(tmp_path, way):
    rng = random.Random(3)
    path = tmp_path / "x.npy"
    sources = [npy(example(dtype)) for dtype in ("f8", ">i4", "S3", "M8[ns]", [("a", "i1"), ("b", "f4", (2,))])]
    sources += [npy(np.arange(12.0).reshape(3, 4).T, (2, 0)), npy(np.arange(12.0), (3, 0)), npy(np.array([1, {}]))]
    loaded = refused = more = 0
    for _ in range(500):
        data = mutated(rng.choice(sources), rng)
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                x = WAYS[way](path)
            except (ValueError, EOFError):
                refused += 1
                try:
                    np.load(path)
                except Exception:  # NumPy lets out what its parts raise
                    continue
                more += 1
                continue
            expected = np.load(io.BytesIO(data))
        loaded += 1
        assert (x.dtype, x.shape) == (expected.dtype, expected.shape)
        assert x.tobytes() == expected.tobytes()
        x[...] = np.zeros((), x.dtype)
        assert path.read_bytes() == data
    assert loaded > 25
    assert refused > 250
    assert more < 25, "files that NumPy loads, and we do not"


class Liar:
    def __init__(self, *answers):
        self.answers = list(answers)

    def read(self, size):
        return self.answers.pop(0) if self.answers else b""


def test_readers_that_lie_are_refused(tmp_path):
    data = npy(np.arange(100.0))
    with pytest.raises(ValueError, match="more than"):
        cowarray.load(Liar(data))
    with pytest.raises(ValueError, match="more than"):
        cowarray.load(Liar(data[:6], data[6:8], data[8:10], data[10:128], data[128:] * 2))
    for answer in ("text", None, 3, memoryview(data)[:6]):
        with pytest.raises(TypeError, match="reading bytes"):
            cowarray.load(Liar(answer))
    (tmp_path / "text").write_text("text")
    with open(tmp_path / "text") as file, pytest.raises(TypeError, match="reading bytes"):
        cowarray.load(file)


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


def test_a_failing_load_closes_its_file(tmp_path):
    path = tmp_path / "x.npz"
    for data in (b"PK\x03\x04 and nothing else", npy(np.arange(3))[:-1], b""):
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises((ValueError, EOFError)):
                cowarray.load(path)
            gc.collect()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_archive_raises(tmp_path, method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("x.npy", npy(np.arange(50.0)))
        archive.writestr("y.npy", npy(np.arange(5)))
    whole = file.getvalue()
    rng = random.Random(5)
    loaded = refused = 0
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 2)):
            at = rng.choice([rng.randrange(len(data)), rng.randrange(60), len(data) - rng.randrange(1, 200)])
            data[at] = rng.randrange(256)
        if rng.random() < 0.1:
            del data[rng.randrange(len(data)) :]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a name that is there twice
                archive = cowarray.load(io.BytesIO(data))
                values = {name: archive[name].tolist() for name in archive}
        except (ValueError, EOFError):
            refused += 1
        else:
            loaded += 1
            assert all(value in (list(range(50)), list(range(5))) for value in values.values())
    assert loaded > 20
    assert refused > 100


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
