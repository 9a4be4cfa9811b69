"""No rule reads an element of a fake: all is as foretold, with the addresses of fakes made unreadable."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.limits import LONGEST

import cowarray as cw
from cowarray import fake

HERE = Path(__file__).parent
# What reads there, crashes.
UNREADABLE = """
import ctypes, sys
import pytest
from cowarray._modes.fake.fakes import region

start, nbytes = region()
assert nbytes, "no region"
libc = ctypes.CDLL(None, use_errno=True)
assert libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(nbytes), 0) == 0
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-n", "0", *sys.argv[1:]]))
"""


@pytest.mark.sampled
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="protects pages")
@pytest.mark.parametrize("tests", ["test_fakes.py", "test_rules_crosscheck.py", "test_rules_mended.py"])
def test_nothing_reads_the_addresses_of_fakes(tests):
    command = [sys.executable, "-X", "faulthandler", "-c", UNREADABLE, str(HERE / tests)]
    found = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        cwd=HERE.parent.parent,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
    )
    assert found.returncode == 0, found.stdout[-2000:] + found.stderr[-2000:]
    assert " passed" in found.stdout


def test_a_fake_index_may_be_any():
    """A write by indices that nobody knows costs as many pages as there are indices, and not the one of zeros."""
    with fake() as plan:
        a = cw.zeros(1 << 27)
        b = a.copy()
        b[cw.zeros(1000, "i8")] = 1
        copied = plan.bytes_copied - a.nbytes  # its base
        b[cw.zeros((1 << 30,), "i8")] = 1  # in no time
    assert 900 << 12 < copied <= 1000 << 12
