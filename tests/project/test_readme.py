"""README.md is short, its commands run, and its figures are of these days."""

import re
import shutil
import subprocess
import sys

import pytest
from support.sources import ROOT

README = (ROOT / "README.md").read_text()


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)


def test_it_is_short_and_has_one_table_of_figures():
    assert len(README.splitlines()) <= 120
    tables = re.findall(r"(?:^\|.*\n)+", README, re.MULTILINE)
    assert len([table for table in tables if re.search(r"\d (?:ms|µs|ns|s)\b", table)]) == 1


def test_its_figures_are_of_a_commit_shortly_before_this_one():
    """A merge counts as one commit."""
    if shutil.which("git") is None or not ROOT.samefile(git("rev-parse", "--show-toplevel").stdout.strip() or "/"):
        pytest.skip("not a checkout")
    [commit] = re.findall(r"commit ([0-9a-f]{7,40})\.", README)
    since = git("rev-list", "--count", "--first-parent", f"{commit}..HEAD")
    if since.returncode != 0:
        pytest.skip(f"{commit} is not here: a shallow clone, or another history")
    assert int(since.stdout) <= 50, "run: make bench-readme"


@pytest.mark.parametrize("command", re.findall(r"^python -m cowarray .*$", README, re.MULTILINE))
def test_its_commands_run(tmp_path, command):
    (tmp_path / "program.py").write_text("import numpy as np\nx = np.ones(3)\nx.copy()[0] = 2\nprint(x.sum().shape)\n")
    words = command.partition("#")[0].split()
    done = subprocess.run([sys.executable, *words[1:]], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "()\n"), done.stderr
