"""Files that lie, to `load`: what is damaged raises before anything believes it, and is never mapped out of bounds."""

import io
import random
import struct
import warnings
import zipfile

import numpy as np
import pytest
from support.npy_files import WAYS, example, npy

import cowarray


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


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
    with pytest.raises(ValueError, match=r"damaged|truncated"):
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
