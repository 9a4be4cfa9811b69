"""The command line: the demonstration runs on every file, tells a bad file in one line, and can fail."""

import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import cowarray
from cowarray.__main__ import main
from cowarray._tools import demo
from cowarray._tools import planets as _planets

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
    size = "17.5 MB"
    assert table == {
        1: {"NumPy": (size, "new"), "cowarray": ("0 B", "kept")},
        2: {"NumPy": (size, "new"), "cowarray": ("0 B", "kept")},
        3: {"NumPy": ("52.6 MB", "new"), "cowarray": (size, "2 of 3 kept")},
        4: {"NumPy": (size, "new"), "cowarray": (size, "new")},
        5: {"NumPy": (size, "new"), "cowarray": ("0 B", "new")},
        6: {"NumPy": (size, "new"), "cowarray": ("0 B", "new")},
        7: {"NumPy": (size, "new"), "cowarray": ("0 B", "kept")},
    }
    assert snapshots["NumPy"] == ("420.8 MB", "1 of 3 kept")
    copied_by_cowarray, _ = snapshots["cowarray"]
    if pages_are_to_be_had():  # a base once, and pages
        assert 17.5 <= float(copied_by_cowarray.removesuffix(" MB")) < 25
    else:
        assert copied_by_cowarray == "420.8 MB"
    *_, price, copied, times, verified = result.stdout.splitlines()
    assert re.fullmatch(r"A snapshot and an edit of one element: .* by cowarray, .* by NumPy; the array has .*", price)
    assert copied.startswith("Copied: 578.6 MB by NumPy, ")
    assert times.startswith("Time: ")
    assert verified.startswith("Verified: every result equals NumPy's, and the file is as it was")


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
    slow = demo._Cowarray.writable
    monkeypatch.setattr(demo._Cowarray, "writable", lambda side: time.sleep(1.2) or slow(side))
    monkeypatch.setattr(demo, "ROUNDS", 1)
    assert main(["demo", str(path)]) == 0
    assert capsys.readouterr().err == "step 1, cowarray: 1 s\n"


# ---- files that cannot be used ---------------------------------------------------------------------------------------


def make_bad(folder, kind):
    path = folder / "bad.npy"
    good = folder / "good.npy"
    np.save(good, np.arange(100.0))
    whole = good.read_bytes()
    if kind == "truncated":
        path.write_bytes(whole[:-1])
    elif kind == "truncated in the header":
        path.write_bytes(whole[:40])
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "text":
        path.write_text("a,b\n1,2\n")
    elif kind == "objects":
        np.save(path, np.array([{}, None]), allow_pickle=True)
    elif kind == "archive":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.npy", whole)
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "negative length":
        path.write_bytes(whole.replace(b"(100,)", b"(-10,)"))
    elif kind == "enormous":
        path.write_bytes(whole.replace(b"(100,), }        ", b"(10000000000,), }"))
    elif kind == "damaged header":
        path.write_bytes(whole.replace(b"'shape'", b"'shap'*"))
    else:
        assert kind == "missing"
    return path


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("missing", "No such file"),
        ("truncated", "truncated"),
        ("truncated in the header", "truncated"),
        ("empty", "not a .npy file"),
        ("text", "not a .npy file"),
        ("objects", "Python objects"),
        ("archive", "npz"),
        ("folder", "not a regular file"),
        ("pipe", "not a regular file"),
        ("negative length", "damaged"),
        ("enormous", "truncated"),
        ("damaged header", "damaged"),
    ],
)
def test_a_file_that_cannot_be_used_gets_one_line_and_status_2(tmp_path, capsys, kind, words):
    path = make_bad(tmp_path, kind)
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
        "import signal, sys, time; from cowarray._tools import demo; from cowarray.__main__ import main\n"
        # A shell's background job, as which tests may run, ignores it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "positions = demo._planets.positions\n"
        "demo._planets.positions = lambda: time.sleep(1.2) or positions()\n"  # a slow machine
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
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "computing the planets' positions: 1 s" in err
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


# ---- its data --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def planets():
    return _planets.positions()


def at(day):
    return (np.datetime64(day) - _planets.FIRST_DAY).astype(int)


def longitude(planets, name):
    """Of a planet as seen from the sun, in degrees, without jumps."""
    x, y, _ = planets[:, _planets.NAMES.index(name)].T
    return np.degrees(np.unwrap(np.arctan2(y, x)))


def test_planets_are_where_their_orbits_are(planets):
    assert planets.shape == (91312, 8, 3)
    assert planets.dtype == np.float64
    assert planets.nbytes > 10_000_000
    assert np.isfinite(planets).all()
    distances = np.linalg.norm(planets, axis=-1)
    # Perihelion and aphelion, in au.
    limits = {
        "Mercury": (0.307, 0.467),
        "Venus": (0.718, 0.729),
        "Earth": (0.983, 1.017),
        "Mars": (1.381, 1.667),
        "Jupiter": (4.94, 5.46),
        "Saturn": (9.0, 10.1),
        "Uranus": (18.2, 20.2),
        "Neptune": (29.8, 30.4),
    }
    for i, name in enumerate(_planets.NAMES):
        low, high = limits[name]
        assert low < distances[:, i].min(), name
        assert distances[:, i].max() < high, name


def test_years_are_as_long_as_they_are(planets):
    # Sidereal periods in days.
    for name, period in {"Mercury": 87.969, "Venus": 224.701, "Earth": 365.256, "Mars": 686.980}.items():
        turned = longitude(planets, name)
        assert 360 * (len(planets) - 1) / (turned[-1] - turned[0]) == pytest.approx(period, rel=1e-4), name


@pytest.mark.parametrize("day", ["1874-12-09", "1882-12-06", "2004-06-08", "2012-06-06"])
def test_venus_passes_before_the_sun_when_it_did(planets, day):
    """At a transit Venus stands between Earth and sun to within a fraction of a degree; a day later it does not."""
    venus, earth = planets[:, 1], planets[:, 2]
    cosine = (venus * earth).sum(-1) / np.linalg.norm(venus, axis=-1) / np.linalg.norm(earth, axis=-1)
    angle = np.degrees(np.arccos(cosine))
    around = slice(at(day) - 200, at(day) + 200)
    assert abs(np.argmin(angle[around]) - 200) <= 1
    assert angle[around].min() < 1.0


def test_mars_is_nearest_when_it_was(planets):
    """27 August 2003: 0.3727 au."""
    start, end = at("2003-01-01"), at("2004-01-01")
    distance = np.linalg.norm(planets[start:end, 3] - planets[start:end, 2], axis=-1)
    nearest = np.argmin(distance)
    assert abs(start + nearest - at("2003-08-27")) <= 1
    assert distance[nearest] == pytest.approx(0.3727, abs=5e-4)


def test_the_package_needs_nothing_for_its_data():
    """No network, no file beside the modules."""
    assert not list(Path(demo.__file__).parent.glob("*.npy"))
