"""What `make check` leaves to the next commit is taken by then, and a stage that checks nothing has failed."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tool(monkeypatch):
    """A module of tools/, by its name."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    names = "sampling", "changed"
    yield importlib.import_module
    for name in names:
        sys.modules.pop(name, None)


def test_four_samples_take_all(tool, monkeypatch, tmp_path):
    sampling = tool("sampling")
    monkeypatch.setattr(sampling, "ROOT", tmp_path)
    monkeypatch.delenv("SAMPLE", raising=False)
    assert sampling.sampled("abcdefg", "letters") == list("abcdefg")
    taken = []
    for part in range(4):
        monkeypatch.setenv("SAMPLE", f"{part}/4")
        taken += sampling.sampled("abcdefg", "letters")
    assert sorted(taken) == list("abcdefg")
    notes = (tmp_path / "build" / "sampled").read_text().splitlines()
    assert len(notes) == 4
    assert "2 of 7 letters (part 1 of 4" in notes[1]


MARKED = """
import pytest
@pytest.mark.sampled
@pytest.mark.parametrize("x", range(5))
def test_five(x):
    pass
@pytest.mark.sampled
def test_one():
    pass
@pytest.mark.parametrize("x", range(3))
def test_of_which_each_is_always_run(x):
    pass
"""


def test_four_samples_take_all_tests_that_are_marked_so(tmp_path):
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_marked.py").write_text(MARKED)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {tmp_path}\nmarkers = sampled: as in the project")
    (tmp_path / "sampling.py").write_text((ROOT / "tools" / "sampling.py").read_text().replace("parents[1]", "parent"))

    def taken(**environment):
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", "test_marked.py"]
        environment = {name: value for name, value in {**os.environ, **environment}.items() if value}
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return sorted(re.findall(r"::(\S+) PASSED", ran.stdout))

    whole = taken(SAMPLE="")
    assert len(whole) == 9
    always = [name for name in whole if "always" in name]
    parts = [taken(SAMPLE=f"{part}/4") for part in range(4)]
    assert [len(part) - 3 for part in parts] == [2, 2, 1, 1]
    assert all(name in part for name in always for part in parts)
    assert sorted({name for part in parts for name in part}) == whole
    assert "2 of 6 tests that are marked so (part 0 of 4" in (tmp_path / "build" / "sampled").read_text()


def stages(folder, *arguments):
    command = [sys.executable, str(ROOT / "tools" / "stages.py"), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": os.defpath})
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("echo; echo ==== 12 passed in 3.21s ====", 0),
        ("echo 'skipped: models: not installed'", 0),
        ("echo 12 passed; false", 1),
        ("echo all is well", 1),
        ("echo 0 passed", 1),
        ("true", 1),
    ],
)
def test_a_stage_must_say_what_it_ran(tmp_path, program, status):
    assert stages(tmp_path, "run", "one", "sh", "-c", program)[0] == status
    assert stages(tmp_path, "table", "one")[0] == status


def test_the_table_tells_what_ran_and_what_did_not(tmp_path):
    stages(tmp_path, "run", "one", "sh", "-c", "echo ==== 12 passed in 3.21s ====")
    (tmp_path / "build" / "skipped").write_text("skipped: two\n")
    status, said = stages(tmp_path, "table", "one")
    assert status == 0
    assert said.splitlines()[1].split()[3:] == ["12", "passed"]
    assert said.splitlines()[-1] == "skipped: two"
    status, said = stages(tmp_path, "table", "one", "three")
    assert status == 1
    assert "did not run" in said
    row = json.loads((tmp_path / "build" / "check" / "stages.jsonl").read_text())
    assert row["end"] >= row["start"]


def test_what_changed_chooses_tests_that_exist(tool):
    changed = tool("changed")
    everything = {each for needed in changed.NEEDS.values() for each in needed if not each.startswith("--")}
    assert [each for each in sorted(everything) if not (ROOT / each).exists()] == []
    assert [each for each in changed.NEEDS if not list(ROOT.glob(f"{each}*"))] == []
    chosen = changed.wanted(["src/cowarray/_modes/budget/pools.pyx", "tests/edges/test_pickle.py"])
    assert chosen == ["tests/project", "tests/budget", "tests/edges/test_pickle.py"]


PROGRAMS = re.findall(
    r"^\t@(?:PYTHONPATH=(\S+) )?\$\(IN_VENV\) ((?:tests|tools)/\S+\.py)\b",
    (ROOT / "Makefile").read_text(),
    re.MULTILINE,
)


@pytest.mark.parametrize(("path", "program"), PROGRAMS, ids=[program for _, program in PROGRAMS])
def test_a_program_that_make_runs_finds_what_it_imports(path, program):
    """What the Makefile's other environments have may be missing in this one; what the tree has may not."""
    text = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='looked_at')"
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"import sys; sys.path[0] = {os.path.dirname(program)!r}; {text}", program],
        cwd=ROOT, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    missing = re.search(r"^ModuleNotFoundError: No module named '([^'.]+)", done.stderr, re.MULTILINE)
    if missing and not [*ROOT.glob(f"*/{missing[1]}*"), *ROOT.glob(f"*/*/{missing[1]}*")]:
        pytest.skip(f"{missing[1]} is not installed")
    assert done.returncode == 0, done.stderr


def test_test_files_have_names_of_their_own():
    """pytest imports those of tests/ and of bench/ by their names alone, and looks at both in one run."""
    names = [path.name for folder in ("tests", "bench") for path in (ROOT / folder).rglob("test_*.py")]
    assert [name for name in sorted(set(names)) if names.count(name) > 1] == []
