"""The programs that are measured within a budget compute with cowarray what they compute with NumPy, small."""

import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from budget_examples import DIFFERENTIATED, PROGRAMS, digest

import cowarray

PROGRAM = Path(__file__).with_name("budget_examples.py")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_numpys_results(name):
    if name in DIFFERENTIATED:
        pytest.importorskip("autograd", reason="autograd is not installed; it comes with the group test")
        cowarray.register()
    expected = digest(PROGRAMS[name](numpy.array, True)())
    assert digest(PROGRAMS[name](cowarray.array, True)()) == expected
    with cowarray.deferred():
        found = PROGRAMS[name](cowarray.array, True)()
    assert digest(found) == expected


def test_results_that_differ_have_another_digest():
    x = numpy.arange(3.0)
    same = {"a": [x, 1.5], "b": (x,)}
    assert digest(same) == digest({"a": (cowarray.array(x), 1.5), "b": [x]})
    for other in ({"a": [x, 1.5], "b": (x + 1,)}, {"a": [x, 1.25], "b": (x,)}, {"a": [x], "b": (1.5, x)}):
        assert digest(other) != digest(same)


def test_the_table_is_printed():
    done = subprocess.run(
        [sys.executable, PROGRAM, "--small", "--rounds", "1", "notebook"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["notebook", "NumPy", "cowarray"]
    assert all(" MiB " in line for line in lines[1:])


def test_an_unknown_program_is_named():
    done = subprocess.run([sys.executable, PROGRAM, "rain"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no program rain; there are fluid, rnn" in done.stderr
