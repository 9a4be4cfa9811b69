"""The programs of docs/engines.md run, with the same results for each kind of array, also when a worker dies."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.limits import LONGEST

import cowarray

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCKS = re.findall(r"^```python\n(import.*?)^```", (DOCS / "engines.md").read_text(), re.MULTILINE | re.DOTALL)
PRINTED = {
    "dask": "0.0 True\n",
    "ray": "[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]\n0.0\n",
    "joblib": "[0.0, 10.0, 20.0] 0.0\n",
}
SMALL = {
    "ensemble_on_dask.py": ("distributed", "--mebibytes=16", "--members=6", "--processes", "1", "2"),
    "terrain_scan.py on ray": ("ray", "--engine=ray", "--mebibytes=128", "--jobs=4", "--processes", "2"),
    "terrain_scan.py on joblib": ("joblib", "--engine=joblib", "--mebibytes=128", "--jobs=4", "--processes", "2"),
}


def need(name):
    if find_spec(name) is None:
        pytest.skip(f"{name} is not installed; it comes with cowarray[engines]")


def run(*command):
    # Workers look where this process looks.
    environment = os.environ | {"PYTHONPATH": str(Path(cowarray.__file__).parents[1])}
    command = [sys.executable, *command]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=LONGEST)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("engine", PRINTED)
def test_what_the_page_shows_runs(tmp_path, engine):
    need(engine)
    [block] = [block for block in BLOCKS if re.search(rf"^import {engine}$", block, re.MULTILINE)]
    program = tmp_path / "shown.py"
    program.write_text(block)
    assert run(program) == PRINTED[engine]


@pytest.mark.sampled
@pytest.mark.parametrize("kill", [False, True], ids=["", "kill"])
@pytest.mark.parametrize("example", SMALL)
def test_an_example_gives_the_same_with_each_kind_of_array(example, kill):
    needed, *options = SMALL[example]
    need(needed)
    printed = run(DOCS / "examples" / example.split()[0], *options, *(["--kill"] if kill else []))
    rows = re.findall(r"^(\w+).* (\d+) processes .* ([\d.]+) GB copied", printed, re.MULTILINE)
    copied = {kind: float(copied) for kind, _, copied in rows}
    assert len(rows) >= 3
    assert copied["cowarray"] < copied["NumPy"] / 2
    assert printed.splitlines()[-1].startswith("every ")
