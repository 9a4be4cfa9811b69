"""Files in a plan: what is read, saved, mapped and written where arrays have no bytes."""

from io import BytesIO

import numpy as np
import pytest
from plan_reports import report


@pytest.fixture
def files(tmp_path):
    """Files of an array of 2 MB with nothing but a header in front of a hole, and of a small one."""
    with open(tmp_path / "big.npy", "wb") as opened:
        np.lib.format.write_array_header_1_0(opened, {"descr": "<f8", "fortran_order": True, "shape": (500, 500)})
        opened.truncate(opened.tell() + 2_000_000)
    np.save(tmp_path / "small.npy", np.arange(3.0))
    np.savez(tmp_path / "both.npz", big=np.zeros((500, 500)), small=np.arange(3.0))
    (tmp_path / "bytes").write_bytes(bytes(8000))
    return tmp_path


FILES = {
    "np.load('big.npy')": ("((500, 500), (8, 4000), True)", 2_000_000),
    "np.load(open('big.npy', 'rb'))": ("((500, 500), (8, 4000), True)", 2_000_000),
    "np.load('big.npy', mmap_mode='r')": ("((500, 500), (8, 4000), False)", 0),
    "np.load('big.npy', 'r+')": ("((500, 500), (8, 4000), True)", 0),
    "np.load('both.npz')['big']": ("((500, 500), (4000, 8), True)", 2_000_000),
    "np.load('both.npz')['big.npy']": ("((500, 500), (4000, 8), True)", 2_000_000),
    "np.lib.format.open_memmap('big.npy', 'r')": ("((500, 500), (8, 4000), False)", 0),
    "np.lib.format.open_memmap('new', 'w+', 'i4', (9, 999))": ("((9, 999), (3996, 4), True)", 0),
    "np.memmap('bytes', mode='r')": ("((8000,), (1,), False)", 0),
    "np.memmap('bytes', 'f8', 'c', 800, (10, 90), 'F')": ("((10, 90), (8, 80), True)", 0),
    "np.memmap('new', 'f8', 'w+', shape=(1 << 20, 1 << 20))": ("((1048576, 1048576), (8388608, 8), True)", 0),
    "np.fromfile('bytes')": ("((1000,), (8,), True)", 8000),
    "np.fromfile('bytes', 'f4', 1500, offset=8)": ("((1500,), (4,), True)", 6000),
    "np.fromfile(open('bytes', 'rb'), 'i8')": ("((1000,), (8,), True)", 8000),
}


@pytest.mark.sampled
@pytest.mark.parametrize("expression", FILES)
def test_files_give_arrays_without_bytes(files, expression):
    shown, nbytes = FILES[expression]
    text = f"import numpy as np\nx = {expression}\nprint((x.shape, x.strides, x.flags.writeable))\nprint(x)\n"
    found, printed = report(files, text)
    assert printed.splitlines()[0] == shown
    assert "fake" in printed
    assert found["live_bytes"] == nbytes
    assert not (files / "new").exists()


@pytest.mark.parametrize(
    "expression", ["np.load('small.npy')", "np.load('both.npz')['small']", "np.load('small.npy', mmap_mode='r+')"]
)
def test_small_files_are_read(files, expression):
    text = f"import numpy as np\nx = {expression}\nprint(float(x[1]))\nx[1] = 7\nprint(float(x[1]))\n"
    assert report(files, text)[1] == "1.0\n7.0\n"
    assert np.load(files / "small.npy")[1] == 1


def test_an_open_file_is_left_behind_the_array(files):
    with open(files / "two", "wb") as opened:
        for size in (1000, 3):
            part = BytesIO()
            np.save(part, np.arange(size))
            opened.write(part.getvalue())
    text = "import numpy as np\nwith open('two', 'rb') as f:\n    print(np.load(f))\n    print(np.load(f))\n"
    assert report(files, text)[1] == "array(..., shape=(1000,), dtype=int64, fake)\n[0 1 2]\n"


SAVED = """\
import numpy as np
x = np.ones((500, 500))
np.save("x", x.T)
np.savez("both.npz", x, y=x * 2, few=np.arange(3))
np.savez_compressed("packed", x=x[0])
np.savez("few.npz", few=np.arange(3))
print(np.load("x.npy"), np.load("x.npy").strides, np.load("x.npy", "r").flags.writeable)
with np.load("both.npz") as archive:
    print(sorted(archive), archive.files, "y" in archive, archive["arr_0"])
    print(archive["y.npy"].shape, archive["few"].sum())
    try:
        archive["other"]
    except KeyError as error:
        print(error)
    print(archive.f.y.shape, archive.f.few.sum(), dir(archive.f))
print(archive.f, np.load(b"both.npz")["y"].shape)
print({name: value.shape for name, value in np.load("packed.npz").items()}, np.load("few.npz")["few"].sum())
np.save("x.npy", np.arange(3))
print(np.load("x.npy"))
"""


def test_what_has_no_bytes_is_saved_and_loaded_and_not_written(files):
    before = (files / "both.npz").read_bytes()
    found, printed = report(files, SAVED)
    array = "array(..., shape=({}), dtype=float64, fake)"
    assert printed.splitlines() == [
        f"{array.format('500, 500')} (8, 4000) False",
        f"['arr_0', 'few', 'y'] ['arr_0', 'y', 'few'] True {array.format('500, 500')}",
        "(500, 500) 3",
        "'other is not a file in the archive'",
        "(500, 500) 3 ['arr_0', 'few', 'y']",
        "None (500, 500)",
        "{'x': (500,)} 3",
        "[0 1 2]",
    ]
    assert (files / "both.npz").read_bytes() == before
    assert not (files / "packed.npz").exists()
    assert np.load(files / "few.npz")["few"].sum() == 3
    assert found["live_bytes"] == 2_000_000


TEXTS = """\
import numpy as np
x = np.ones((2000, 3))
np.savetxt("x.csv", x, "%.3f", ",", header="a,b,c", comments="", footer="end")
print(np.loadtxt("x.csv", delimiter=",", skiprows=1, max_rows=1999))
print([column.strides for column in np.loadtxt("x.csv", delimiter=",", skiprows=1, max_rows=2000, unpack=True)])
print(np.genfromtxt("x.csv", delimiter=",", names=True, skip_footer=1).dtype.names)
np.savetxt("few.gz", [x.mean(), x.max()], newline="\\r\\n")
print(np.loadtxt("few.gz"))
for wrong in (x[:, :, None], "%d"), (x, "%d,%d,%d,%d"), (x, 3):
    try:
        np.savetxt("wrong", *wrong)
    except (ValueError, AttributeError) as error:
        print(error)
np.savetxt("few.gz", np.arange(3))
print(np.loadtxt("few.gz"))
"""


def test_text_without_bytes_is_saved_and_loaded_and_not_written(files):
    array = "array(..., shape=({}), dtype=float64, fake)"
    assert report(files, TEXTS)[1].splitlines() == [
        array.format("1999, 3"),
        "[(24,), (24,), (24,)]",
        "('a', 'b', 'c')",
        array.format("2,"),
        "Expected 1D or 2D array, got 3D array instead",
        "fmt has wrong number of % formats:  %d,%d,%d,%d",
        "invalid fmt: 3",
        "[0. 1. 2.]",
    ]
    assert not (files / "x.csv").exists()
    assert not (files / "wrong").exists()
    assert np.loadtxt(files / "few.gz").tolist() == [0, 1, 2]


MAPPED = """\
import numpy as np
np.ones((500, 500), "f4").T.tofile("raw")
print(np.fromfile("raw", "f4").shape, np.fromfile("raw", "f8", 7, offset=16), np.memmap("raw", "f4", "r").shape)
m = np.lib.format.open_memmap("m.npy", "w+", "f4", (500, 500))
m[0] = 1
m.flush()
print(np.load("m.npy", mmap_mode="r"))
m = np.memmap("m.raw", "f4", "w+", 400, (500, 500))
print(np.memmap("m.raw", "f4", "r").shape)
"""


def test_bytes_that_are_not_there_are_written_and_mapped_and_are_in_no_file(tmp_path):
    found, printed = report(tmp_path, MAPPED)
    assert printed.splitlines() == [
        "(250000,) array(..., shape=(7,), dtype=float64, fake) (250000,)",
        "array(..., shape=(500, 500), dtype=float32, fake)",
        "(250100,)",
    ]
    assert {each.name for each in tmp_path.iterdir()} == {"script.py", "report.json"}
    assert found["live_bytes"] == 0


KEPT_BACK = """\
import numpy as np
few = np.memmap("old", "f8", "w+", shape=10)
print(np.memmap("old", "f8", "r"), np.memmap("old", "f8", "r", 16), np.fromfile("old", count=3))
np.save("x", np.ones((500, 500)))
np.savetxt("text", np.ones(3000), "%d")
print(np.memmap("x.npy", "f8", "r", 128, (500, 500)).shape, np.fromfile("x.npy", offset=128).shape)
print(np.memmap("text").shape)
for read in (np.load, np.loadtxt, lambda name: np.fromfile(name, sep=" ")):
    try:
        print(read("old"))
    except ValueError as error:
        print(error)
"""


def test_of_a_file_kept_back_nothing_is_read_that_was_there_before(tmp_path):
    np.full(10, 7.0).tofile(tmp_path / "old")
    array = "array(..., shape=({},), dtype=float64, fake)"
    assert report(tmp_path, KEPT_BACK)[1].splitlines() == [
        f"{array.format(10)} {array.format(8)} {array.format(3)}",
        "(500, 500) (250000,)",
        "(6000,)",
        "load: the plan has not written old, and cannot read it so",
        "loadtxt: the plan has not written old, and cannot read it so",
        "fromfile: the plan has not written old, and cannot read it so",
    ]
    assert np.fromfile(tmp_path / "old").tolist() == [7.0] * 10


@pytest.mark.parametrize("write", ["np.save(b'x', x)", "np.savez(b'x', x)", "np.savetxt(b'x', x)"])
def test_names_in_bytes_are_refused_where_numpy_refuses_them(tmp_path, write):
    text = f"""if True:
        import numpy as np
        for x in (np.ones(2), np.ones((999, 2))):
            try:
                {write}
            except (TypeError, ValueError) as error:
                print(error)
        x.tofile(b"raw")
        print(np.memmap(b"raw").shape)
        """
    printed = report(tmp_path, text, "--assume", "all")[1].splitlines()
    assert printed[0] == printed[1]
    assert printed[2] == "(15984,)"


REWRITTEN = {
    "few.tofile('x.npy')": "(3,)",
    "np.save('x.npy', few)": "(19,)",
    "with open('x.npy', 'wb') as f: f.write(bytes(16))": "(2,)",
    "os.replace('old', 'x.npy')": "(5,)",
    "os.path.exists('x.npy') and os.remove('x.npy')": "No such file or directory",
}


@pytest.mark.sampled
@pytest.mark.parametrize("was_there", [False, True])
@pytest.mark.parametrize("write", REWRITTEN)
def test_a_file_kept_back_is_forgotten_once_its_path_has_another(tmp_path, write, was_there):
    np.arange(5.0).tofile(tmp_path / "old")
    if was_there:
        np.ones(500).tofile(tmp_path / "x.npy")
    text = f"""if True:
        import os
        import numpy as np
        few = np.arange(3.0)
        np.save("x.npy", np.ones((500, 500)))
        {write}
        try:
            print(np.fromfile("x.npy").shape)
        except OSError as error:
            print(error.strerror)
        """
    there = was_there or not write.startswith("os.path")
    assert report(tmp_path, text)[1] == f"{REWRITTEN[write] if there else '(250016,)'}\n"


OPEN = """\
import io
import numpy as np
x = np.ones((999, 2), "i4")
with open("all", "wb") as f:
    f.write(x.T.tobytes("F"))
    x.tofile(f)
    np.savez(f, x=x)
with open("text", "w") as f:
    np.savetxt(f, x, "%d")
    f.write(f"{x[0, 0]} {x.sum()}")
print(np.load("all.npy") if False else np.fromfile("all", "i4", 3996).shape)
print(len(np.loadtxt("text")), np.array2string(x.max(axis=0), prefix="  "))
"""


def test_what_is_assumed_goes_to_open_files(tmp_path):
    found, _ = report(tmp_path, OPEN, status=1)
    assert found["stopped"]["options"][0] == "--assume numbers=1 (or all)"
    found, printed = report(tmp_path, OPEN, "--assume", "numbers=3")
    assert printed == "(3996,)\n1000 [3 3]\n"
    with open(tmp_path / "all", "rb") as opened:
        assert set(np.fromfile(opened, "i4", 2 * 1998)) == {3}
        assert (np.load(BytesIO(opened.read()))["x"] == np.full((999, 2), 3)).all()
    assert (tmp_path / "text").read_text() == "3 3\n" * 999 + "3 3"
    assert {each["at"]["lineno"] for each in found["assumed"]} == {5, 6, 7, 9, 10, 12}


@pytest.mark.parametrize("write", ["x.dump('old')", "x.tofile('old', ',')"])
def test_a_write_that_is_refused_leaves_the_file(tmp_path, write):
    (tmp_path / "old").write_bytes(b"results")
    report(tmp_path, f"import numpy as np\nx = np.zeros(1000)\n{write}\n", "--assume", "all", status=1)
    assert (tmp_path / "old").read_bytes() == b"results"


@pytest.mark.parametrize("write", ["x.tofile('x', ',')", "x.tofile('none/x')", "open('x', 'wb').write(x.tobytes())"])
def test_what_cannot_be_written_is_refused(tmp_path, write):
    text = f"import numpy as np\nx = np.zeros(1 << 26)\n{write}\n"
    found, _ = report(tmp_path, text, "--assume", "all", status=1)
    assert (found["stopped"]["at"]["lineno"], found["assumed"]) == (3, [])


def test_an_array_over_many_bytes_of_the_programs_own_has_none(tmp_path):
    text = """\
        import numpy as np
        data = b"few" + bytes(8000)
        print(np.frombuffer(data, "u1", 3), np.frombuffer(data, "u1"), np.frombuffer(data).flags.writeable)
        print(np.frombuffer(bytearray(data)).flags.writeable)
        """
    found, printed = report(tmp_path, text.replace("8000", "8005"))
    assert printed == "[102 101 119] array(..., shape=(8008,), dtype=uint8, fake) False\nTrue\n"
    assert found["peak_bytes"] == 0


@pytest.mark.parametrize("name", ["none/x.npy", "bytes/x.npy", "folder.npy"])
def test_a_file_that_cannot_be_written_is_numpys_error(files, name):
    (files / "folder.npy").mkdir()
    with pytest.raises(OSError, match="Errno") as caught:
        np.save(files / name, np.ones(2))
    found, printed = report(
        files,
        f"""if True:
        import numpy as np
        try:
            np.save({name!r}, np.ones((500, 500)))
        except OSError as error:
            print(type(error).__name__, error)
    """,
    )
    assert printed == f"{caught.type.__name__} {caught.value}\n".replace(f"{files}/", "")
    assert found["live_bytes"] == 0


@pytest.mark.parametrize("file", ["io.BytesIO()", "open('x', 'wb')"])
def test_nothing_without_bytes_is_written_to_an_open_file(files, file):
    found, _ = report(files, f"import io, numpy as np\nnp.savez({file}, np.ones(999))\n", status=1)
    assert (found["stopped"]["exception"], found["stopped"]["at"]["lineno"]) == ("FakeError", 2)


@pytest.mark.parametrize("expression", ["np.load('cut.npy')", "np.memmap('bytes', 'f8', 'r', shape=(9999,))"])
def test_a_file_that_lacks_bytes_is_an_error(files, expression):
    (files / "cut.npy").write_bytes((files / "big.npy").read_bytes()[:-1])
    found, _ = report(files, f"import numpy as np\nx = {expression}\n", status=1)
    assert (found["stopped"]["exception"], found["stopped"]["at"]["lineno"]) == ("ValueError", 2)
