"""The plugin of `make leaks` finds what is planted, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[1] / "leaks"

PLANTED = """
import ctypes
import numpy as np
import cowarray as ca

kept, constant = [], ca.array(np.arange(5.0))
lose = ctypes.pythonapi.Py_IncRef

def test_clean():
    x = ca.array(np.arange(10.0))
    y = x.copy()
    y[0] = np.asarray(x)[1]

def test_that_keeps_an_array():
    kept.append(ca.array(np.arange(10.0)))

def test_that_loses_a_reference_to_an_object():
    lose(ctypes.py_object([object()]))

def test_that_loses_a_reference_to_an_array():
    lose(ctypes.py_object(ca.array(np.arange(10.0)).copy()))
"""


@pytest.mark.sampled
def test_planted_leaks_are_found(tmp_path):
    (tmp_path / "test_planted.py").write_text(PLANTED)
    (tmp_path / "pytest.ini").write_text("[pytest]")
    paths = [str(PLUGIN), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    command = [sys.executable, "-m", "pytest", "-p", "leaks", "-p", "no:cacheprovider", "-q", "test_planted.py"]
    ran = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths))},
    )
    found = {line.split("::")[1].split(" more")[0] for line in ran.stdout.splitlines() if line.startswith("LEAK")}
    names = {line.split(":")[0] for line in found}
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert names == {
        "test_that_keeps_an_array",
        "test_that_loses_a_reference_to_an_object",
        "test_that_loses_a_reference_to_an_array",
    }, ran.stdout
    assert "leaks: 4 tests" in ran.stdout
    assert " 0 blocks of the core left" not in ran.stdout
