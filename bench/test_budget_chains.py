"""The chains that are measured within a budget give NumPy's gradients, small."""

import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from budget_chains import FUNCTIONS, by_hand, run

import cowarray

PROGRAM = Path(__file__).with_name("budget_chains.py")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_chain_has_numpys_gradient(function):
    expected = run(function, numpy, 36, 512).tobytes()
    assert by_hand(function, numpy, 36, 512).tobytes() == expected
    with cowarray.budget(12 * 512, small=0) as found:
        assert run(function, cowarray, 36, 512).tobytes() == expected
    assert found.remakes > 0
    assert found.peak_bytes <= 12 * 512


def test_the_table_of_chains_is_printed():
    done = subprocess.run([sys.executable, PROGRAM, "--small", "matmul"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("compute") == 4


def test_the_table_of_heuristics_is_printed():
    done = subprocess.run(
        [sys.executable, PROGRAM, "--table", "--small", "--heuristic", "dtr", "--heuristic", "lru", "tanh"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]
    assert [row[2] for row in rows] == ["2 √N = 12", "N/2 = 18", "4 log₂N = 20"]
    assert all(1 <= float(row[3]) <= float(row[4]) for row in rows)
    assert 1.4 < float(rows[0][5]) < 1.6


def test_what_a_budget_costs_that_is_never_reached_is_printed():
    command = [sys.executable, PROGRAM, "--never-reached", "--small", "--rounds", "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("inside ×") == len(FUNCTIONS)
