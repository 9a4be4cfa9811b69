"""An interrupt at any bytecode of a fetch leaves no descriptor, lease, map or thread; arrays work or say why not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.extensions import SOURCES, STRICT, SUFFIX, build
from support.seeds import all_or, chosen_seed


@pytest.mark.parametrize("when", ["loads", "use"])
def test_an_interrupt_of_a_fetch_leaves_nothing(tmp_path, when):
    target = tmp_path / f"interrupting{SUFFIX}"
    build(SOURCES / "interrupting.c", target, "-std=c11", *STRICT)
    stride = all_or(1, 7)
    program = Path(__file__).with_name("interrupted_fetches.py")
    done = subprocess.run(
        [sys.executable, program, target, when, str(stride), str(1 + chosen_seed() % stride)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["wrong"] == []
    assert found["bytecodes"] > 200
    assert found["came"] > found["bytecodes"] / stride / 2
