"""An interrupt at any bytecode of the modes' Python code leaves things as they were, or as they were to become.

Each run takes a sample of the bytecodes (`bytecodes.py`), in a process of its own, which may die; the long one takes
all. Beside those, signals come at random times.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.extensions import STRICT, SUFFIX, build
from support.seeds import chosen_seed

HERE = Path(__file__).parent
# By program, every how many bytecodes it is interrupted.
PROGRAMS = {"simulated": 13, "faked": 211, "deferred": 211, "budgeted": 211, "watched": 7}


@pytest.fixture(scope="session")
def interrupting(tmp_path_factory):
    target = tmp_path_factory.mktemp("interrupting") / f"interrupting{SUFFIX}"
    build(HERE.parent / "extension" / "interrupting.c", target, "-std=c11", *STRICT)
    return target


def run(*arguments):
    done = subprocess.run([sys.executable, HERE / "bytecodes.py", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["wrong"] == []
    return found


@pytest.mark.sampled
@pytest.mark.parametrize("program", PROGRAMS)
def test_an_interrupt_at_a_bytecode_loses_nothing(interrupting, program):
    stride = PROGRAMS[program]
    found = run(interrupting, program, stride, 1 + chosen_seed() % stride)
    assert found["bytecodes"] > 500
    assert found["came"] >= 40


@pytest.mark.sampled
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_signal_at_any_time_loses_nothing(interrupting, program):
    assert run(interrupting, program, "signals", 40, chosen_seed())["came"] == 40


@pytest.mark.long
@pytest.mark.parametrize("program", PROGRAMS)
def test_an_interrupt_at_every_bytecode_loses_nothing(interrupting, program):
    found = run(interrupting, program, 1, 1)
    assert found["came"] > found["bytecodes"] * 0.75  # NumPy drops what is raised while it asks for a buffer


@pytest.mark.long
@pytest.mark.parametrize("program", PROGRAMS)
def test_two_thousand_signals_lose_nothing(interrupting, program):
    assert run(interrupting, program, "signals", 2000, chosen_seed())["came"] == 2000
