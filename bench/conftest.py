"""What every benchmark has: the rounds of the session, and a description of the machine in the JSON file."""

import os
import sys
from pathlib import Path

# Threads of torch and of NumPy's OpenBLAS that have nothing to do spin on a core for a while, which the next competitor
# needs: on two cores ``a @ b`` on 16 MiB took 10 ms instead of 0.4 in all of them. Read when the libraries are loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))  # the tracing allocator

import numpy as np
import pytest
from machine import describe, memory_available
from paired import Rounds, read_environment, setting, show
from peers import MISSING

_rounds = Rounds()


def pytest_configure(config):
    # As pytest-benchmark decides it: pyproject.toml disables, --benchmark-enable wins.
    read_environment(smoke=config.getoption("benchmark_disable") and not config.getoption("benchmark_enable"))


def pytest_sessionstart():
    # The C library learns from the first large block that is freed to serve later ones, of up to 32 MiB, from memory
    # that it has kept. From here on it has learnt that, whatever runs first, as in a program that has run
    # for a while.
    if not setting.smoke:
        np.ones(31 << 20, np.uint8)


def pytest_report_header():
    lines = [f"bench: not here: {reason}" for reason in MISSING.values()]
    if setting.smoke:
        return [*lines, "bench: smoke tests, nothing is timed"]
    size = f"bench: arrays of up to {show(setting.largest)} (COWARRAY_BENCH_MAX)"
    return [*lines, f"{size}, {memory_available() / 2**30:.1f} GiB of memory available"]


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent == Path(__file__).parent and "compare" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.benchmark(timer=_rounds.clock))


@pytest.hookimpl(optionalhook=True)
def pytest_benchmark_update_machine_info(machine_info):
    machine_info.clear()
    machine_info.update(describe(), missing=sorted(MISSING.values()))


@pytest.fixture
def compare(benchmark):
    """`Rounds.compare` with the test's own benchmark."""

    def compare(who, make, **case):
        _rounds.compare(benchmark, who, make, **case)

    return compare
