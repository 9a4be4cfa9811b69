"""The programs of docs/processes.md do what the page says."""

import subprocess
import sys

from support.sources import ROOT


def test_the_example_runs():
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "examples" / "processes.py", "64"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    changed = 8 * 4 * -(-2 * 2**20 // 100_000)  # float64 in four quarters of 2 Mi elements
    assert f"{changed} bytes changed" in done.stdout
    assert "sweep: best 1007.0, the state has 1000.0" in done.stdout
    assert "pipeline: 8.0 after 3 stages, 1.0 before" in done.stdout
    assert "sent as bytes: 0" in done.stdout
