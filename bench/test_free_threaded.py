"""Do lazy clones from two threads scale without a GIL? See free_threaded.py, which another interpreter runs."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from free_threaded import CASES, DISTINCT, ONE, ONE_THREAD, SIBLINGS, ways
from paired import setting

PYTHON = os.environ.get("COWARRAY_FREE_THREADED")
# A clone by one of two threads takes 1 / 1.7 of the time if both make 1.7 times as many.
# Of one count, the two may make half as many as one of them alone.
TARGETS = {DISTINCT: 1 / 1.7, SIBLINGS: 1 / 0.5, ONE: 1 / 0.5}


@functools.cache
def run(python, *arguments):
    command = [python, str(Path(__file__).with_name("free_threaded.py")), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def missing():
    """Why it cannot be measured; None if it can."""
    if setting.smoke:
        return None
    if not PYTHON:
        return "no free-threaded Python with cowarray: name one in COWARRAY_FREE_THREADED, or FREE_THREADED= for make"
    return f"{PYTHON} has a GIL" if run(PYTHON)["gil"] else None


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("who", ["cowarray", ONE_THREAD, "numpy views", "numpy copies of 10 elements"])
def test_lazy_clones_from_two_threads(compare, who, case):
    """Time per clone in all, against one thread."""
    skip = missing()
    compare(
        who,
        lambda: ways(case, jobs=2),
        elsewhere=lambda: run(PYTHON)["times"][case],
        question="lazy clones from two threads without a GIL",
        case=case,
        targets={ONE_THREAD: TARGETS[case]},
        skip=skip,
        interpreter=None if skip or setting.smoke else run(PYTHON)["interpreter"],
    )


def test_the_program_for_the_other_interpreter_runs():
    found = run(sys.executable, "--smoke")
    assert set(found["times"]) == set(CASES)
    for case in CASES:
        rounds = {who: len(times) for who, times in found["times"][case].items()}
        assert set(rounds) == set(ways(case, jobs=2))
        assert len(set(rounds.values())) == 1
