"""``python -m cowarray plan``: what the report says, what files give, and the exit status.

It is one file because all of it is what one command says.
"""

import json
import subprocess
import sys
import textwrap
from io import BytesIO

import numpy as np
import pytest
from support.limits import LONGEST

COMMAND = [sys.executable, "-m", "cowarray", "plan"]

HEAT = """\
import numpy as np
plate = np.zeros((20_000, 20_000))
plate[0] = 100.0
inner = plate[1:-1, 1:-1]
inner += 0.2 * (plate[:-2, 1:-1] + plate[2:, 1:-1] - 2 * inner)
print(inner.shape)
"""


def command(folder, *arguments, **options):
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": LONGEST} | options
    return subprocess.run([*COMMAND, *map(str, arguments)], cwd=folder, **options)


def script(folder, text, name="script.py"):
    (folder / name).write_text(textwrap.dedent(text))
    return name


def report(folder, text, *options, status=0):
    """The JSON report on a script, and what the program printed."""
    result = command(folder, "--json", "--output", "report.json", *options, script(folder, text))
    assert result.returncode == status, result.stderr
    return json.loads((folder / "report.json").read_text()), result.stdout


# ---- what it says ----------------------------------------------------------------------------------------------------


def test_the_text_says_how_much_and_where(tmp_path):
    result = command(tmp_path, script(tmp_path, HEAT))
    assert (result.stdout, result.returncode) == ("(19998, 19998)\n", 0)
    assert result.stderr == textwrap.dedent("""\
        cowarray plan: script.py: peak 8.9 GiB, live 3.0 GiB, copied 0 B

        Peak at script.py:5: inner += 0.2 * (plate[:-2, 1:-1] + plate[2:, 1:-1] - 2 * ...

        at the peak     live  copied  line
            6.0 GiB      0 B     0 B  script.py:5  inner += 0.2 * (plate[:-2, 1:-1] + plate[2:, 1:-1] - 2 * ...
            3.0 GiB  3.0 GiB     0 B  script.py:2  plate = np.zeros((20_000, 20_000))
        """)


def test_the_json(tmp_path):
    found, printed = report(tmp_path, HEAT, "--limit", "9 GiB")
    assert printed == "(19998, 19998)\n"
    assert found.pop("versions").keys() == {"cowarray", "numpy", "python"}
    path = str(tmp_path / "script.py")
    lines = found.pop("lines")
    peak = 8 * (20_000**2 + 2 * 19_998**2)
    code = "inner += 0.2 * (plate[:-2, 1:-1] + plate[2:, 1:-1] - 2 * inner)"
    assert found == {
        "format": "cowarray plan 1",
        "program": {"script": "script.py", "arguments": []},
        "program_status": 0,
        "exit_status": 0,
        "real": 4096,
        "limit": 9 << 30,
        "peak_bytes": peak,
        "peak_at": {"filename": path, "lineno": 5, "code": code},
        "live_bytes": 8 * 20_000**2,
        "bytes_copied": 0,
        "real_bytes": 0,
        "assumed": [],
        "stopped": None,
        "borrowed": [],
    }
    assert sum(line["peak_bytes"] for line in lines) == peak
    assert [line["lineno"] for line in lines[:2]] == [5, 2]


def test_what_lazy_copies_copy_is_counted(tmp_path):
    text = "import numpy as np\nx = np.zeros(1 << 20)\ny = x.copy()\nz = x.copy()\nprint(y.shape)\ny[0] = 1\n"
    found, _ = report(tmp_path, text)
    assert (found["peak_bytes"], found["bytes_copied"]) == (2 << 23, 1 << 23)
    assert [line["lineno"] for line in found["lines"] if line["bytes_copied"]] == [6]


# ---- the limit and the status ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "status", "side"),
    [("8GiB", 1, "above"), ("8 gib", 1, "above"), ("10 GB", 0, "within"), (str(9 << 30), 0, "within")],
)
def test_a_limit(tmp_path, limit, status, side):
    result = command(tmp_path, "--limit", limit, script(tmp_path, HEAT))
    assert result.returncode == status
    assert f"\nThe peak is {side} the limit of " in result.stderr


SMALL = """\
    import numpy as np
    kept = [np.ones(500) for _ in range(2000)]
    del kept
    kept = [np.ones(500) for _ in range(1000)]
    """


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--limit", "1MiB"], 1, "With the arrays that were computed, the peak may be above the limit of 1.0 MiB."),
        (["--limit", "8MiB"], 0, "The peak is within the limit of 8.0 MiB."),
        (["--limit", "1MiB", "--real", "0"], 1, "The peak is above the limit of 1.0 MiB."),
    ],
)
def test_the_limit_is_of_arrays_that_are_computed_too(tmp_path, options, status, said):
    result = command(tmp_path, *options, script(tmp_path, SMALL))
    assert (result.returncode, said in result.stderr.splitlines()) == (status, True), result.stderr
    computed = "Arrays that were computed had up to 7.6 MiB beside these."
    assert (computed in result.stderr.splitlines()) == ("--real" not in options)
    found, _ = report(tmp_path, SMALL)
    assert found["real_bytes"] == 2000 * 4000


def test_the_limit_itself_is_not_above(tmp_path):
    text = "import numpy as np\nx = np.zeros(1 << 20)\n"
    report(tmp_path, text, f"--limit={8 << 20}")
    report(tmp_path, text, f"--limit={(8 << 20) - 1}", status=1)


@pytest.mark.parametrize(
    "arguments",
    [["--limit", "8 GX", "s.py"], ["--real=-1", "s.py"], ["--limit"], [], ["--reall", "3", "s.py"], ["no.py"]],
)
def test_what_cannot_be_used(tmp_path, arguments):
    script(tmp_path, "print('ran')", "s.py")
    result = command(tmp_path, *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr


def test_the_programs_own_status_and_arguments(tmp_path):
    text = "import sys\nprint(sys.argv[1:], __name__)\nsys.exit(3)\n"
    name = script(tmp_path, text)
    for arguments in ([name], ["-m", "script"]):
        result = command(tmp_path, *arguments, "--limit", "x")
        assert (result.returncode, result.stdout) == (3, "['--limit', 'x'] __main__\n")
        assert "peak 0 B" in result.stderr
        assert "stopped" not in result.stderr


# ---- where it stops --------------------------------------------------------------------------------------------------


def test_a_value_that_is_needed(tmp_path):
    text = """\
        import numpy as np
        x = np.zeros((1000, 1000))
        y = x + 1
        def check(y):
            if bool(y[3, 4]):
                print("never")
        check(y)
        """
    found, printed = report(tmp_path, text, status=1)
    assert printed == ""
    assert (found["program_status"], found["peak_bytes"]) == (1, 16_000_008)
    stopped = found["stopped"]
    assert (stopped["at"]["lineno"], stopped["at"]["code"]) == (5, "if bool(y[3, 4]):")
    assert stopped["exception"] == "FakeError"
    assert "value" in stopped["needs_a_value"]["reason"]
    assert stopped["needs_a_value"]["made"]["lineno"] == 5
    result = command(tmp_path, "script.py")
    assert "\nThe program stopped at script.py:5: if bool(y[3, 4]):\n" in result.stderr
    assert "  the array was made at script.py:5: if bool(y[3, 4]):\n" in result.stderr
    assert "What follows is planned up to there.\n\nPeak at script.py:" in result.stderr


def test_a_value_that_is_needed_behind_another_exception(tmp_path):
    text = """\
        import numpy as np
        x = np.zeros((1000, 1000))
        try:
            bool(x[0, 0])
        except TypeError as error:
            raise RuntimeError("mine") from error
        """
    stopped = report(tmp_path, text, status=1)[0]["stopped"]
    assert (stopped["exception"], stopped["message"], stopped["at"]["lineno"]) == ("RuntimeError", "mine", 4)
    assert stopped["needs_a_value"]["made"]["lineno"] == 4


SWALLOWING = ["struct.pack('d', x[0])", "np.nditer(x)", "np.nested_iters(x[None], [[0], [1]])"]


@pytest.mark.parametrize("expression", SWALLOWING)
def test_a_value_that_is_needed_by_code_in_c_that_raises_an_error_of_its_own(tmp_path, expression):
    text = f"import struct\nimport numpy as np\nx = np.zeros(10_000)\n{expression}\nprint('on')\n"
    stopped = report(tmp_path, text, status=1)[0]["stopped"]
    assert stopped["at"]["lineno"] == 4
    assert stopped["needs_a_value"]["reason"] == "a value is needed"
    option = stopped["options"][-1]
    assert option.startswith("--sample ")
    assert report(tmp_path, text, *option.split())[1] == "on\n"


@pytest.mark.parametrize("line", ["x + np.ones(7)", "undefined", "float('one')"])
def test_an_error_after_a_refusal_that_the_program_caught_is_its_own(tmp_path, line):
    text = f"""\
        import contextlib
        import numpy as np
        x = np.zeros(10_000)
        with contextlib.suppress(TypeError):
            float(x[0])
        {line}
        """
    stopped = report(tmp_path, text, status=1)[0]["stopped"]
    assert (stopped["at"]["lineno"], stopped["needs_a_value"], stopped["options"]) == (6, None, [])


def test_an_unknown_name_beside_a_refusal_that_the_program_caught_is_its_own(tmp_path):
    text = """\
        import numpy as np
        x = np.zeros(10_000)
        def safe(function):
            try:
                return function()
            except TypeError:
                return None
        a = [safe(lambda: float(x[0])), undefined]
        """
    stopped = report(tmp_path, text, status=1)[0]["stopped"]
    assert (stopped["at"]["lineno"], stopped["needs_a_value"], stopped["options"]) == (8, None, [])


def test_a_wrong_shape(tmp_path):
    text = "import numpy as np\nx = np.zeros((1 << 20, 3))\ny = np.ones((1 << 20, 2))\nx + y\n"
    found, _ = report(tmp_path, text, status=1)
    assert found["stopped"]["at"]["lineno"] == 4
    assert found["stopped"]["exception"] == "ValueError"
    assert "(1048576,3)" in found["stopped"]["message"]
    assert found["stopped"]["needs_a_value"] is None
    assert found["peak_bytes"] == 5 << 23
    result = command(tmp_path, "script.py")
    assert "The program stopped at script.py:4: x + y\n  ValueError: operands could not be broadcast" in result.stderr


def test_an_exception_in_a_thread(tmp_path):
    text = """\
        import threading
        import numpy as np
        x = np.zeros((1000, 3))
        def work():
            x + np.zeros((1000, 2))
        for _ in range(2):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        print("on")
        """
    found, printed = report(tmp_path, text, status=1)
    assert (printed, found["program_status"], found["stopped"]["at"]["lineno"]) == ("on\n", 0, 5)


def test_an_exception_holds_no_arrays(tmp_path):
    text = """\
        import numpy as np
        def work():
            x = np.zeros(1 << 20)
            raise KeyError("x")
        work()
        """
    found, _ = report(tmp_path, text, status=1)
    assert (found["stopped"]["exception"], found["stopped"]["message"]) == ("KeyError", "'x'")
    assert found["peak_bytes"] == 8 << 20


def test_a_broadcast_tells_its_shape_and_has_no_elements(tmp_path):
    text = """\
        import numpy as np
        b = np.broadcast(np.zeros((3000, 1)), np.zeros((1, 4000)), 5)
        print(b.shape, b.size, b.ndim, b.nd, b.numiter, isinstance(b, np.broadcast))
        print(np.broadcast(b, np.zeros((2, 1, 1))).shape)
        small = np.broadcast(np.zeros(2), 1.0)
        print([float(x) for x, _ in small], isinstance(small, np.broadcast), isinstance(3, np.broadcast))
        for wrong in "next(b)", "iter(b)", "b.index", "np.broadcast(np.zeros(3000), np.zeros(4000))", "b.nothing":
            try:
                eval(wrong)
            except (TypeError, ValueError, AttributeError) as error:
                print(type(error).__name__)
        """
    _, printed = report(tmp_path, text)
    assert printed == (
        "(3000, 4000) 12000000 2 2 3 True\n(2, 3000, 4000)\n[0.0, 0.0] True False\n"
        "FakeError\nFakeError\nFakeError\nValueError\nAttributeError\n"
    )


# ---- real arrays -----------------------------------------------------------------------------------------------------


def test_small_arrays_are_computed(tmp_path):
    text = """\
        import numpy as np
        n = np.zeros(511) + 3
        print(float(n[0]))
        m = np.zeros(512)
        print(m)
        """
    _, printed = report(tmp_path, text)
    assert printed == "3.0\narray(..., shape=(512,), dtype=float64, fake)\n"
    _, printed = report(tmp_path, text, "--real", "4 KiB")
    assert printed.startswith("3.0\narray(...")
    _, printed = report(tmp_path, text, "--real=1 MB")
    assert "fake" not in printed
    found, _ = report(tmp_path, text, "--real", "0", status=1)
    assert found["stopped"]["at"]["lineno"] == 3


# ---- files -----------------------------------------------------------------------------------------------------------


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


# ---- what gets past a stop -------------------------------------------------------------------------------------------

NEEDY = """\
import numpy as np
x = np.random.default_rng(0).normal(size=(20_000, 8))
labels = x.argmin(axis=1)
means = [x[labels == j].mean(axis=0) for j in range(8)]
while np.abs(x).max() > 1e-3:
    x *= 0.5
if not np.isfinite(x).all():
    raise ValueError("diverged")
print(int(labels[0]), means[0].shape)
y = np.zeros((1 << 20, 8))
"""


def test_a_stop_names_the_options_that_get_past_it(tmp_path):
    name = script(tmp_path, NEEDY)
    result = command(tmp_path, "--limit", "8 GiB", name)
    assert result.returncode == 1
    assert "within the limit" not in result.stderr.replace("nobody knows whether the peak is within the limit", "")
    assert "The program stopped at script.py:4: means =" in result.stderr
    assert "  to get past it: --assume masks=all (or all)\n  or: --sample 2MiB\n" in result.stderr
    for options in (["--assume", "masks=all", "--assume", "conditions=true,numbers=1"], ["--assume", "all"]):
        found = report(tmp_path, NEEDY, *options)[0]
        assert (found["stopped"], found["peak_bytes"] > 64 << 20) == (None, True)
    assert [(each["at"]["lineno"], each["what"], each["answer"], each["times"]) for each in found["assumed"]] == [
        (4, "masks", "all elements", 8),
        (5, "conditions", "false", 1),
        (5, "conditions", "true", 10),
        (7, "conditions", "true", 1),
        (9, "numbers", "1", 1),
    ]
    found, printed = report(tmp_path, NEEDY, "--sample", "2 MiB")
    assert (found["assumed"], found["stopped"], printed.partition(" ")[2]) == ([], None, "(8,)\n")


def test_each_option_that_a_stop_names_gets_past_it(tmp_path):
    options, lines = [], []
    for _ in range(4):
        found, _ = report(tmp_path, NEEDY, *options, status=int(len(options) < 6))
        if found["stopped"] is None:
            break
        lines.append(found["stopped"]["at"]["lineno"])
        options += found["stopped"]["options"][0].partition(" (")[0].split()
    assert (lines, options[1::2]) == ([4, 5, 9], ["masks=all", "conditions=true", "numbers=1"])


def test_the_text_names_each_line_that_assumed(tmp_path):
    result = command(tmp_path, "--assume", "all", "--limit", "1GiB", script(tmp_path, NEEDY))
    assert result.returncode == 0
    assert "The peak is within the limit of 1.0 GiB." in result.stderr
    assert (
        textwrap.dedent("""\
        The plan holds for what was assumed:
          script.py:4: means = [x[labels == j].mean(axis=0) for j in range(8)]
            a mask picks all elements, 8 times
          script.py:5: while np.abs(x).max() > 1e-3:
            a condition is false
            a condition is true, 10 times
        """)
        in result.stderr
    )


def test_a_program_that_raises_after_an_assumption_is_told_the_other_answer(tmp_path):
    text = """\
        import numpy as np
        x = np.zeros((1000, 1000))
        negative = bool(x.min() < 0)
        if negative:
            raise ValueError("negative")
        """
    found, _ = report(tmp_path, text, "--assume", "all", status=1)
    (option,) = found["stopped"]["options"]
    assert option.startswith("--assume script.py:3=false")
    report(tmp_path, text, "--assume", "all", *option.partition(",")[0].split())


def test_assertions_of_numpys_testing_hold_where_conditions_are_assumed(tmp_path):
    text = """\
        import numpy as np
        x = np.zeros((1000, 1000))
        for _ in range(20):
            np.testing.assert_allclose(np.sum([x.max(), x.min()]), 1)
        """
    report(tmp_path, text, status=1)
    found, _ = report(tmp_path, text, "--assume", "conditions=false,rounds=3")
    assert [(each["answer"], each["times"]) for each in found["assumed"]] == [("true", 20)]


def test_numbers_without_a_value_are_rounded(tmp_path):
    text = """\
        import numpy as np
        x = np.ones((1000, 1000))
        rounded = round(x.mean(), 3)
        print(rounded.shape, round(x.sum()))
        """
    assert report(tmp_path, text, "--assume", "all")[1] == "() 1\n"


def test_options_of_no_use_are_said(tmp_path):
    lines = [f"--assume={line}=true" for line in ("script.py:7", "script.py:70", "other.py:7", "script.py:1")]
    result = command(tmp_path, "--assume=all", *lines, "--include", "nosuch", script(tmp_path, NEEDY))
    assert result.returncode == 0
    assert result.stderr.splitlines()[:4] == [
        "plan: --include nosuch: no such package was imported",
        "plan: --assume script.py:70: nothing was asked there",
        "plan: --assume other.py:7: nothing was asked there",
        "plan: --assume script.py:1: nothing was asked there",
    ]
    assert result.stderr.splitlines()[4].startswith("cowarray plan: ")


def test_what_cannot_be_assumed_is_refused_before_the_program_runs(tmp_path):
    result = command(tmp_path, "--assume", "masks=7", script(tmp_path, "print('ran')"))
    assert (result.returncode, result.stdout) == (2, "")
    assert "argument --assume: masks must be a fraction of the elements" in result.stderr


def test_pandas_takes_masks_as_numpys(tmp_path):
    pytest.importorskip("pandas")
    text = """\
        import numpy as np
        import pandas as pd
        print(pd.Series([10, 20, 30]).iloc[np.array([True, False, True])].tolist())
        """
    assert report(tmp_path, text)[1] == "[10, 30]\n"


def test_a_package_that_uses_numpys_arrays_is_named(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "library.py").write_text("import numpy as np\ndef moved(x):\n    v = np.zeros(3)\n"
                                                       "    v -= x.mean(axis=0)\n    return v\n")  # fmt: skip
    text = """\
        import sys
        import numpy as np
        sys.path.append("elsewhere")
        import library
        print(library.moved(np.zeros((100_000, 3))).shape)
        """
    (tmp_path / "program").mkdir()
    text = text.replace('"elsewhere"', repr(str(tmp_path / "elsewhere")))
    found, _ = report(tmp_path / "program", text, status=1)
    assert found["stopped"]["options"][0] == "--include library"
    assert report(tmp_path / "program", text, "--include", "library")[1] == "(3,)\n"


def test_pythons_own_modules_are_not_to_be_included(tmp_path):
    text = """\
        import statistics
        import numpy as np
        statistics.fmean(np.zeros(100_000))
        """
    found, _ = report(tmp_path, text, status=1)
    assert not any("--include" in option for option in found["stopped"]["options"])


MISSING = {
    "sorted(n for n in os.listdir('.') if n.endswith('.npy'))[0]": "--sample 79KiB, for files of arrays without bytes",
    "' '.join(words[x.argsort()[:2].astype(int) % 2])": "--sample 79KiB, for an array without bytes was taken for",
}


@pytest.mark.parametrize("expression", MISSING)
def test_what_is_missing_where_there_are_no_bytes_is_named_with_the_option(tmp_path, expression):
    text = f"""\
        import os
        import numpy as np
        x = np.arange(10_000.0)
        words = np.array(["odd", "even"])
        np.save("x.npy", x)
        print({expression})
        """
    found, _ = report(tmp_path, text, status=1)
    (option,) = found["stopped"]["options"]
    assert option.startswith(MISSING[expression])
    report(tmp_path, text, *option.partition(",")[0].split())


def test_an_interrupt_tells_where_and_how_a_loop_ends(tmp_path):
    text = """\
        import os, signal
        import numpy as np
        x = np.zeros(1000)
        while np.flatnonzero(x).size:
            os.kill(os.getpid(), signal.SIGINT)
        """
    command(tmp_path, "--json", "--output", "report.json", "--assume=all", script(tmp_path, text))
    stopped = json.loads((tmp_path / "report.json").read_text())["stopped"]
    assert (stopped["exception"], stopped["at"]["lineno"]) == ("KeyboardInterrupt", 5)
    assert stopped["options"] == ["--assume script.py:4=0, for this is what was assumed last"]
    report(tmp_path, text, "--assume=all", "--assume=script.py:4=0")


def test_a_sample_that_gets_past_nothing_is_not_named(tmp_path):
    text = "import numpy as np\nfloat(np.lib.format.open_memmap('m.npy', 'w+', float, (1000,))[0])\n"
    for size, options in (("4KiB", ["--assume numbers=1 (or all)", "--sample 8KiB"]), ("8KiB", None)):
        found, _ = report(tmp_path, text, "--sample", size, status=1)
        assert found["stopped"]["options"] == (options or ["--assume numbers=1 (or all)"])
