"""Programs that could corrupt memory, and arrays that user code has changed as far as it can."""

import subprocess
import sys
import warnings

import numpy as np
from support.limits import LONGEST

HEAD = """
import gc, sys, threading, weakref
import numpy as np, cowarray as ca
def whole(x):
    # Reads each byte of x and writes it, in bytes of its own.
    assert x.copy().tolist() == x.tolist()
    x[...] = x.copy()
"""


def survives(program):
    ran = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", HEAD + program], capture_output=True, text=True, timeout=LONGEST
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def spoil(shown):
    """Change a NumPy array as far as this can be done to a read-only one."""
    if type(shown) is np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shown.dtype = "i1"
            shown.shape = (2, -1)
