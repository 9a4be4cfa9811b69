"""Tests come in random order, so each must leave the process as it found it: what is planted is found."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
SPEC = importlib.util.spec_from_file_location("all_tests", CONFTEST)
all_tests = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(all_tests)

# What a test of that name leaves.
LEFT = {
    "the working directory": "os.chdir('..')",
    "the environment": "os.environ['LEFT'] = 'here'",
    "sys.path": "sys.path.append('left')",
    "the switch interval": "sys.setswitchinterval(1.0)",
    "the recursion limit": "sys.setrecursionlimit(5000)",
    "a trace or a profile": "sys.setprofile(lambda *each: None)",
    "the collector": "gc.disable()",
    "what signals do": "signal.signal(signal.SIGALRM, signal.SIG_IGN)",
    "limits": "resource.setrlimit(resource.RLIMIT_NOFILE, (200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))",
    "threads": "threading.Thread(target=threading.Event().wait, daemon=True).start()",
    "blocks": "cowarray.no_copy().__enter__()",
    "errors of NumPy's": "np.seterr(all='ignore')",
    "how arrays are printed": "np.set_printoptions(precision=3)",
    "paging": "cowarray.paging(4096)",
}


@pytest.mark.sampled
def test_what_a_test_leaves_behind_is_found(tmp_path):
    assert LEFT.keys() == all_tests.state().keys()
    shutil.copy(CONFTEST, tmp_path)
    lines = ["import gc, os, resource, signal, sys, threading, time", "import numpy as np, cowarray"]
    for number, statement in enumerate(["pass", *LEFT.values()]):
        lines += [f"def test_{number}():", f"    {statement}"]
    lines += ["before = threading.Thread(target=time.sleep, args=(0.5,))", "before.start()"]
    lines += ["def test_in_which_a_thread_ends():", "    before.join()"]
    (tmp_path / "test_planted.py").write_text("\n".join(lines))
    (tmp_path / "pytest.ini").write_text("[pytest]")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_planted.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert f"{2 + len(LEFT)} passed, {len(LEFT)} errors" in ran.stdout, ran.stdout + ran.stderr
    found = re.findall(r"teardown of test_(\d+) .*\nother than before the test: \{([\"'])(.*?)\2: ", ran.stdout)
    assert {int(number): name for number, _, name in found} == dict(enumerate(LEFT, 1))
    assert re.search(r"^Using --randomly-seed=\d+$", ran.stdout, re.MULTILINE)


def test_an_address_in_the_name_of_a_test_is_found(tmp_path):
    shutil.copy(CONFTEST, tmp_path)
    planted = "import pytest\n@pytest.mark.parametrize('x', [object()], ids=repr)\ndef test_planted(x):\n    pass\n"
    (tmp_path / "test_planted.py").write_text(planted)
    (tmp_path / "pytest.ini").write_text("[pytest]")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_planted.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode != 0
    assert "the address of an object is in the name of a test: test_planted.py::test_planted[<object" in ran.stderr


# What a test chooses, by itself and with Hypothesis, and the order of ten.
CHOOSING = """
import os, random
from hypothesis import given, strategies
from support.seeds import chosen_seed
def note(*what):
    print("chosen", *what, flush=True)
@given(strategies.integers(0, 2**60))
def test_examples(n):
    note("example", n)
def test_seed():
    note("seed", chosen_seed(), random.random())
def test_usual():
    note("usual", chosen_seed(5))
"""


def chosen(directory, **environment):
    """What the tests of CHOOSING chose, in the order in which they ran."""
    shutil.copy(CONFTEST, directory)
    (directory / "pytest.ini").write_text("[pytest]")
    tests = [f"def test_{k}():\n    note({k})" for k in range(10)]
    (directory / "test_choosing.py").write_text("\n".join([CHOOSING, *tests]))
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", "test_choosing.py"]
    environment = {"PYTHONPATH": str(CONFTEST.parent), "PATH": os.environ["PATH"], **environment}
    ran = subprocess.run(command, cwd=directory, capture_output=True, text=True, env=environment)
    assert "13 passed" in ran.stdout, ran.stdout + ran.stderr
    shutil.rmtree(directory / ".hypothesis", ignore_errors=True)
    return re.findall("chosen (.*)", ran.stdout)


@pytest.mark.sampled
def test_two_checks_of_a_commit_choose_alike_and_nothing_else_does(tmp_path):
    checked = chosen(tmp_path, COWARRAY_CHECK_SEED="7")
    assert checked == chosen(tmp_path, COWARRAY_CHECK_SEED="7")
    assert any(line.startswith("seed 7 ") for line in checked)
    assert "usual 5" in checked
    for other in chosen(tmp_path, COWARRAY_CHECK_SEED="8"), chosen(tmp_path):
        assert [line for line in other if line in checked] != checked
        assert {line for line in other if line.startswith("example")} != {
            line for line in checked if line.startswith("example")
        }
