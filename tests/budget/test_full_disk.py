"""A disk that takes no more bytes is tried now and then, not at each eviction; and nothing is lost by it.

The disk is real: a limit of the size of files, in a process of its own (Python ignores the signal that comes with it).
"""

import subprocess
import sys

import pytest
from support.limits import LONGEST

LIMITED = """
import os
import resource
import sys
import numpy as np
import cowarray
from cowarray._modes.budget import spilling

MIB = 1 << 20
N = MIB // 8
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]


def limit(nbytes):
    resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, hard))


failed, done = [], []
pwrite = os.pwrite


def counted(*args):
    try:
        found = pwrite(*args)
    except OSError:
        failed.append(args)
        raise
    done.append(found)
    return found


os.pwrite = counted
spilling.Spill.write_rate = spilling.Spill.read_rate = property(lambda self: 1e15)  # cheaper than any computation
x = cowarray.linspace(0, 1, N)
"""


def run(program, directory):
    command = [sys.executable, "-c", LIMITED + program, str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    assert (done.stdout, done.returncode) == ("ran\n", 0), done.stderr


@pytest.mark.parametrize("recompute", ["", "recompute=['multiply'], "])
def test_a_full_disk_is_tried_ever_more_rarely(tmp_path, recompute):
    program = """
limit(3 * MIB)
wanted = np.asarray(x)
with cowarray.budget(8 * MIB, cost="model", RECOMPUTEspill=sys.argv[1]) as run:
    steps = [cowarray.sin(x)]
    for _ in range(15):
        steps.append(cowarray.sin(steps[-1]))
    for i in range(400):
        y = steps[i * 7 % 16] * 2.0
    assert run.peak_bytes <= 8 * MIB
    assert run.spills >= 3, run.stats()
    assert run.evictions > 300, run.stats()
    assert 1 <= len(failed) <= len(done) + 12, (len(failed), len(done), run.stats())
    assert len(failed) < run.evictions / 8
    before = run.spills
    limit(1000 * MIB)
    for i in range(2 * run.evictions):
        y = steps[i * 7 % 16] * 2.0
        if run.spills > before + 10:
            break
    assert run.spills > before + 10, run.stats()
for step in steps:
    wanted = np.sin(wanted)
    assert np.array_equal(np.asarray(step), wanted)
print("ran")
"""
    run(program.replace("RECOMPUTE", recompute), tmp_path)


def test_what_must_stay_stays_on_a_full_disk(tmp_path):
    program = """
limit(3 * MIB)
with cowarray.budget(6 * MIB, keep=["sin"], spill=sys.argv[1]) as run:
    steps = []
    try:
        for i in range(20):
            steps.append(cowarray.sin(x + i))
    except MemoryError as error:
        assert "needs 1" in str(error), error
    else:
        raise AssertionError("all of them fit")
    assert len(steps) >= 5, (len(steps), run.stats())
    assert all("evicted" not in str(cowarray.explain(step)) for step in steps)
    assert any("spilled" in str(cowarray.explain(step)) for step in steps)
    assert run.peak_bytes <= 6 * MIB
    before = len(failed)
    del steps[0], steps[0]
    limit(1000 * MIB)
    for i in range(5):
        steps.append(cowarray.sin(x + i))  # where nothing else can leave, the disk is tried at once
    assert len(failed) == before, (before, failed)
for step, i in zip(steps[-5:], range(5)):
    assert np.array_equal(np.asarray(step), np.sin(np.asarray(x) + i))
print("ran")
"""
    run(program, tmp_path)


def test_failures_double_the_rest_and_a_success_ends_it(tmp_path):
    program = """
spill = spilling.Spill(sys.argv[1])
limit(1 << 16)
assert spill.is_ready() and not spill.is_full
for n in range(1, 15):
    assert spill.write(bytes(MIB)) is None
    assert spill.is_full
    asked = 1
    while not spill.is_ready():
        asked += 1
    assert asked == 2 ** min(n, 10), (n, asked)
assert spill.write(b"abc")
assert spill.is_ready() and spill.is_full
for n in range(9):
    assert spill.write(b"abc")
assert not spill.is_full
assert spill.write(bytes(MIB)) is None
spill.hurry()
assert spill.is_ready() and spill.is_full
print("ran")
"""
    run(program, tmp_path)
