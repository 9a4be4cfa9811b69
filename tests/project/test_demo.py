"""The command line: the demonstration runs on every file, tells a bad file in one line, and can fail."""

import hashlib
import io
import os
import re
import signal
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest
from support.limits import LONGEST

import cowarray
from cowarray.__main__ import main
from cowarray._tools import demo

COMMAND = [sys.executable, "-m", "cowarray"]


def run(*arguments, **kwargs):
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, **kwargs)


@pytest.fixture
def saved(tmp_path):
    """A function that saves an array and gives the file's path."""

    def save(array):
        path = tmp_path / "array.npy"
        np.save(path, array)
        return path

    return save


def beside_waiting(stderr):
    """The lines on stderr, but for those that say on a slow machine what takes so long."""
    return [line for line in stderr.splitlines() if line and not re.fullmatch(r"[\w ,']+: \d+( s|%)", line)]


# ---- what it prints --------------------------------------------------------------------------------------------------


def rows(text):
    """{step: {side: (copied, address)}} of the printed table."""
    table = {}
    step = None
    pattern = re.compile(r"(\d)? .*?(NumPy|cowarray) +[\d.]+ (?:s|ms|µs) +([\d.]+ k?[MG]?B) +\S+ k?[MG]?B  (.+)$")
    for line in text.splitlines():
        if found := pattern.match(line):
            step = int(found[1]) if found[1] else step
            table.setdefault(step, {})[found[2]] = found[3], found[4]
    return table


def test_without_a_file_it_makes_data_of_more_than_10_mb_and_copies_less_than_numpy():
    result = run("demo")
    assert result.returncode == 0
    assert beside_waiting(result.stderr) == []
    table = rows(result.stdout)
    snapshots = table.pop(8)
    size = "16.0 MB"
    assert table == {
        1: {"NumPy": (size, "new"), "cowarray": ("0 B", "kept")},
        2: {"NumPy": (size, "new"), "cowarray": ("0 B", "kept")},
        3: {"NumPy": ("48.0 MB", "new"), "cowarray": (size, "2 of 3 kept")},
        4: {"NumPy": (size, "new"), "cowarray": (size, "new")},
        5: {"NumPy": (size, "new"), "cowarray": ("0 B", "new")},
        6: {"NumPy": (size, "new"), "cowarray": ("0 B", "new")},
        7: {"NumPy": (size, "new"), "cowarray": ("0 B", "kept")},
    }
    assert snapshots["NumPy"] == ("384.0 MB", "1 of 3 kept")
    copied_by_cowarray, _ = snapshots["cowarray"]
    if pages_are_to_be_had():  # a base once, and pages
        assert 16 <= float(copied_by_cowarray.removesuffix(" MB")) < 23
    else:
        assert copied_by_cowarray == "384.0 MB"
    *_, price, copied, times, verified = result.stdout.splitlines()
    assert re.fullmatch(r"A snapshot and an edit of one element: .* by cowarray, .* by NumPy; the array has .*", price)
    assert copied.startswith("Copied: 528.0 MB by NumPy, ")
    assert times.startswith("Time: ")
    file = io.BytesIO()
    np.save(file, np.arange(2e6).reshape(200, 100, 100))
    digest = hashlib.sha256(file.getbuffer()).hexdigest()[:16]
    assert verified == f"Verified: every result equals NumPy's, and the file is as it was (sha256 {digest}...)."


def pages_are_to_be_had():
    """Whether a copy is by the page here, where the program asks for it."""
    before = cowarray.paging()
    try:
        if before != "off":
            cowarray.paging("eager")
        x = cowarray.array(np.zeros(1 << 20))
        kept = x.copy()
        x[0] = 1
        return kept.shape == x.shape and x.storage.own_nbytes < x.nbytes
    finally:
        cowarray.paging(before)


def test_the_snapshots_leave_the_mode_as_it_was(saved):
    before = cowarray.paging(12345)
    try:
        assert main(["demo", str(saved(np.arange(10.0)))]) == 0
        assert cowarray.paging() == 12345
    finally:
        cowarray.paging(before)


def test_its_data_leaves_nothing_behind(tmp_path):
    result = run("demo", env={**os.environ, "TMPDIR": str(tmp_path)})
    assert result.returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "array",
    [
        np.array(3.5),
        np.array([7]),
        np.zeros(0),
        np.zeros((3, 0, 2)),
        np.arange(30000.0),
        np.asfortranarray(np.arange(60000, dtype=">i4").reshape(200, 300)),
        np.zeros((50, 40), bool),
        np.full(100, np.nan, np.float16),
        np.arange(12, dtype=np.longdouble).reshape(3, 4),
        np.arange(12, dtype=complex),
        np.array(["2020-01-01", "NaT"], "M8[D]"),
        np.array([5, 6], "m8[s]"),
        np.array(["one", "zwei"]),
        np.array([b"one", b"zwei"]),
        np.array([(1, 2.5), (3, 4.5)], dtype=np.dtype([("a", "i1"), ("b", "f8")], align=True)),
        np.zeros(5, dtype=[("nested", [("x", "f4", (2, 2)), ("y", "S3")])]),
        np.zeros(4, "V5"),
        np.zeros(3, "V0"),
    ],
    ids=lambda array: f"{array.dtype.kind}-{'x'.join(map(str, array.shape))}",
)
def test_any_array_in_a_file_is_edited_and_verified(saved, array, capsys):
    path = saved(array)
    before = path.read_bytes()
    assert main(["demo", str(path)]) == 0
    out = capsys.readouterr().out
    assert "Verified:" in out
    assert "\x1b" not in out
    assert set(rows(out)) >= {1, 2, 3, 4, 6, 7, 8}
    assert path.read_bytes() == before


def test_a_file_that_is_too_large_is_used_in_part(saved, monkeypatch, capsys):
    path = saved(np.asfortranarray(np.arange(10000.0).reshape(100, 100)))
    monkeypatch.setattr(demo, "LARGEST", 8000)
    assert main(["demo", str(path)]) == 0
    out = capsys.readouterr().out
    assert "first 8.0 kB" in out
    assert rows(out)[1]["NumPy"][0] == "8.0 kB"


def test_a_long_step_is_told_on_stderr(saved, monkeypatch, capsys):
    path = saved(np.zeros(10))
    slow, told = demo._Cowarray.writable, threading.Event()

    def tell(*text, **options):
        print(*text, **options)
        if text == ("step 1, cowarray: 1 s",):
            told.set()

    monkeypatch.setattr(demo, "print", tell, raising=False)
    monkeypatch.setattr(demo._Cowarray, "writable", lambda side: told.wait(LONGEST) and slow(side))
    monkeypatch.setattr(demo, "ROUNDS", 1)
    assert main(["demo", str(path)]) == 0
    assert told.is_set()
    assert beside_waiting(capsys.readouterr().err) == []


# ---- files that cannot be used ---------------------------------------------------------------------------------------


def archived(path, whole):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", whole)


# What makes a file of a path and a good file's bytes, and a word of the complaint.
BAD = {
    "missing": (lambda path, whole: None, "No such file"),
    "truncated": (lambda path, whole: path.write_bytes(whole[:-1]), "truncated"),
    "truncated in the header": (lambda path, whole: path.write_bytes(whole[:40]), "truncated"),
    "empty": (lambda path, whole: path.write_bytes(b""), "not a .npy file"),
    "text": (lambda path, whole: path.write_text("a,b\n1,2\n"), "not a .npy file"),
    "objects": (lambda path, whole: np.save(path, np.array([{}, None]), allow_pickle=True), "Python objects"),
    "archive": (archived, "npz"),
    "folder": (lambda path, whole: path.mkdir(), "not a regular file"),
    "pipe": (lambda path, whole: os.mkfifo(path), "not a regular file"),
    "negative length": (lambda path, whole: path.write_bytes(whole.replace(b"(100,)", b"(-10,)")), "damaged"),
    "enormous": (
        lambda path, whole: path.write_bytes(whole.replace(b"(100,), }        ", b"(10000000000,), }")),
        "truncated",
    ),
    "damaged header": (lambda path, whole: path.write_bytes(whole.replace(b"'shape'", b"'shap'*")), "damaged"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_cannot_be_used_gets_one_line_and_status_2(saved, capsys, kind):
    make, words = BAD[kind]
    good = saved(np.arange(100.0))
    path = good.with_name("bad.npy")
    make(path, good.read_bytes())
    assert main(["demo", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    [line] = captured.err.splitlines()
    assert line.startswith(f"demo: {path}: ")
    assert words in line


def test_the_exit_status_reaches_the_shell(tmp_path):
    result = run("demo", tmp_path / "missing.npy")
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1


def test_nothing_in_a_file_is_executed(tmp_path, capsys):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    path = tmp_path / "objects.npy"
    np.save(path, np.array([Trap()]), allow_pickle=True)
    assert main(["demo", str(path)]) == 2
    assert not (tmp_path / "sprung").exists()


# ---- it can fail -----------------------------------------------------------------------------------------------------


def test_a_wrong_result_is_found(saved, monkeypatch, capsys):
    path = saved(np.arange(10.0))

    def copy_that_aliases(side, array):
        return array[...]

    monkeypatch.setattr(demo._Cowarray, "copy", copy_that_aliases)
    assert main(["demo", str(path)]) == 1
    out = capsys.readouterr().out
    assert "WRONG:  step 3 differs from NumPy's result" in out
    assert "Verified" not in out


def test_a_changed_file_is_found(saved, monkeypatch, capsys):
    path = saved(np.arange(10.0))
    reshape = demo._Cowarray.reshape

    def reshape_and_write(side, array, shape):
        with open(path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"!")
        return reshape(side, array, shape)

    monkeypatch.setattr(demo._Cowarray, "reshape", reshape_and_write)
    assert main(["demo", str(path)]) == 1
    assert "the file has changed" in capsys.readouterr().out


def test_want_of_memory_gets_one_line(saved, monkeypatch, capsys):
    def refuse(side):
        raise MemoryError

    monkeypatch.setattr(demo._Cowarray, "own", refuse)
    assert main(["demo", str(saved(np.arange(10.0)))]) == 1
    assert capsys.readouterr().err == "demo: not enough memory for copies of this array\n"


@pytest.mark.parametrize("different", [0, 4999, 9999])
def test_equal_looks_at_every_block(monkeypatch, different):
    monkeypatch.setattr(demo, "BLOCK", 800)
    theirs = np.arange(10000.0)
    ours = cowarray.asarray(theirs, copy=True)
    assert demo.equal(ours, theirs)
    ours[different] = -1
    assert not demo.equal(ours, theirs)


def test_equal_looks_at_shape_and_dtype():
    assert not demo.equal(cowarray.array([0, 0]), np.array([[0, 0]]))
    assert not demo.equal(cowarray.array([0, 0]), np.array([0.0, 0.0]))


# ---- how it ends -----------------------------------------------------------------------------------------------------


def test_ctrl_c_ends_it_without_a_traceback(tmp_path):
    # A line appears once the work is under way; what is then pending is a sleep.
    program = (
        "import signal, sys, threading, time; from cowarray._tools import demo; from cowarray.__main__ import main\n"
        # A shell's background job, as which tests may run, ignores it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "numbers, told = demo._numbers, threading.Event()\n"
        "demo.print = lambda *text, **options: print(*text, **options) or 'file' in options and told.set()\n"
        "demo._numbers = lambda: told.wait() and numbers()\n"  # a slow machine
        "demo._Cowarray.own = lambda side: print('here', flush=True) or time.sleep(60)\n"
        "sys.exit(main(['demo']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        for line in process.stdout:
            if line == "here\n":
                break
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=LONGEST)
    assert process.returncode == 130
    assert "making an array: 1 s" in err
    assert beside_waiting(err) == ["interrupted"]
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_is_no_error():
    with subprocess.Popen([*COMMAND, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        err = process.stderr.read().decode()
    assert beside_waiting(err) == []
    assert process.returncode == 1


def test_help_and_unknown_commands():
    assert run("--help").returncode == 0
    assert "FILE.npy" in run("demo", "--help").stdout
    for arguments in ([], ["fly"], ["demo", "a.npy", "b.npy"], ["demo", "--fast"]):
        result = run(*arguments)
        assert result.returncode == 2
        assert "usage: python -m cowarray" in result.stderr


def test_info_tells_the_versions_and_the_headers(capsys):
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for told in (cowarray.__version__, np.__version__, cowarray.get_include(), sys.version.split()[0]):
        assert str(told) in out


def test_the_package_needs_nothing_for_its_data():
    """No network, no file beside the modules."""
    assert not list(Path(demo.__file__).parent.glob("*.npy"))
