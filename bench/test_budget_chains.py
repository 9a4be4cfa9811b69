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
    assert done.stdout.count("compute") == 3
