"""The runner of NumPy's own tests (`make conformance-numpy`) swaps, counts, and goes red when it should."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.limits import LONGEST
from support.sources import load

RUNNER = Path(__file__).parents[1] / "conformance" / "numpy_own.py"

PLANTED = """
import os
import cowarray
import numpy as np
from numpy import zeros
from numpy.random import Generator
from numpy.testing import assert_array_equal

whole = np.arange(3)

def test_that_builds():
    assert type(np.ones(3)) is type(zeros(3)) is type(whole) is cowarray.ndarray
    assert type(np.ma.ones(3).data) is type(np.sort([2, 1])) is np.ndarray
    assert_array_equal([np.ones(2), 3 * np.ones(2)], [[1, 1], (3, 3)])

def test_that_draws():
    x = np.random.default_rng(1).random(2)
    assert type(x) is type(Generator(np.random.PCG64(1)).integers(5, size=2)) is cowarray.ndarray
    assert type(np.random.rand(2)) is type(np.random.permutation(3)) is cowarray.ndarray

def test_that_draws_a_number():
    assert np.random.default_rng(1).random() < 1

def test_that_builds_nothing():
    assert len(np.sort([2, 1])) == 2

def test_that_fails():
    x = np.zeros((2, 3))
    x.reshape(-1)[0] = 1
    assert x[0, 0] == 1

def test_that_ends_the_process():
    os._exit(3)
"""

FAILS = "## reshape copies\nplanted::test_that_fails\n"
ENDS = "!planted::test_that_ends_the_process\n"


def run(folder, expected, module="planted"):
    """The runner's exit status, what it said, and the tests' fates."""
    (folder / "planted.py").write_text(PLANTED)
    (folder / "expected.txt").write_text(expected)
    paths = [str(folder), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    ran = subprocess.run(
        [sys.executable, str(RUNNER), module, "--expected", "expected.txt", "--fates", "fates"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths))},
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    assert not ran.stderr, ran.stderr
    return ran.returncode, ran.stdout, list(map(json.loads, (folder / "fates").read_text().splitlines()))


@pytest.mark.sampled
def test_what_is_listed_fails_and_what_is_touched_is_counted(tmp_path):
    status, said, fates = run(tmp_path, FAILS + ENDS)
    assert status == 0, said
    outcomes = {fate["id"].partition("::")[2]: (fate["outcome"], fate["built"] > 0) for fate in fates}
    assert outcomes == {
        "test_that_builds": ("passed", True),
        "test_that_draws": ("passed", True),
        "test_that_draws_a_number": ("passed", False),
        "test_that_builds_nothing": ("passed", False),
        "test_that_fails": ("failed", True),
    }
    assert "3 tests built our arrays, 2 of them passed (66.67 %)" in said
    assert "1 reshape copies" in said


@pytest.mark.sampled
def test_it_goes_red_and_says_why(tmp_path):
    status, said, _ = run(tmp_path, "## planted\nplanted::test_that_builds\nplanted::test_that_is_*\n")
    assert status == 1
    for complaint in (
        "FAILED planted::test_that_fails",
        "WRONG planted::test_that_builds passes, but is listed: planted",
        "WRONG planted::test_that_is_* is listed, and names no test",
        "WRONG planted: planted::test_that_ends_the_process: status 3",
    ):
        assert complaint in said, said


FAILED = {"id": "m::a[1]", "outcome": "failed", "built": 1, "line": "", "error": ""}
PASSED = {"id": "m::a[2]", "outcome": "passed", "built": 1}


@pytest.mark.parametrize(
    ("fates", "patterns", "ends", "status"),
    [
        ([FAILED, PASSED], ["m::a[1]"], [], 0),
        ([FAILED], ["m::a[*]"], [], 0),
        ([FAILED, PASSED], [], [], 1),
        ([FAILED, PASSED], ["m::a[*]"], [], 1),
        ([FAILED, PASSED], ["m::a[1]", "m::b"], [], 1),
        ([FAILED, PASSED], ["m::a[1]"], ["m: no end"], 1),
        ([{**PASSED, "built": 0}], [], [], 1),
        ([], [], [], 1),
    ],
)
def test_each_thing_that_is_wrong_makes_it_red(fates, patterns, ends, status, capsys):
    runner = load(RUNNER)
    assert runner.report(fates, [runner.Expected(pattern, "cause") for pattern in patterns], ends) == status
    assert ("WRONG" in (said := capsys.readouterr().out) or "FAILED" in said) == status


@pytest.mark.sampled
def test_a_file_of_numpys(tmp_path):
    module = "numpy.lib.tests.test_twodim_base"
    if not (Path(np.__file__).parent / "lib/tests/test_twodim_base.py").exists():
        pytest.skip("this NumPy comes without its tests")
    status, said, fates = run(tmp_path, "", module)
    assert status == 0, said
    assert sum(fate["built"] > 0 for fate in fates) > 20
