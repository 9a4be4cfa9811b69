"""How long does the import take, beyond NumPy's? Each figure comes from a new process."""

import subprocess
import sys

import pytest
from paired import Way, pick

PROGRAM = """
import time
import numpy
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
"""


class Import(Way):
    """Imports a module in a process of its own, after NumPy."""

    def __init__(self, module):
        super().__init__("pass", once=True)
        self.program = PROGRAM.format(module=module)

    def seconds(self, calls):
        done = subprocess.run([sys.executable, "-c", self.program], capture_output=True, text=True, check=True)
        return float(done.stdout)

    def result(self):
        assert self.seconds(1) > 0


@pytest.mark.parametrize("who", pick(["cowarray", "pandas"], ["cowarray"]))
def test_import(compare, who):
    compare(
        who,
        lambda: {name: Import(name) for name in ("cowarray", "pandas")},
        question="import beyond NumPy",
        case="",
        limit_seconds=0.030,
    )
