"""Large arrays by the page."""

import os
import subprocess
import sys

import numpy as np
from support.limits import LONGEST

import cowarray as ca

PAGE = 4096
MIB = 1 << 20


def is_by_page(x):
    return x.storage.own_nbytes < x.nbytes


def pages_again(tries):
    """Whether a write to a copy costs pages; what earlier give-ups have left to skip is used up by then."""
    x = large()
    for _ in range(tries):
        y = x.copy()
        y[0] = 1
        if is_by_page(y):
            return True
    return False


def large(n=MIB):
    """An array of n float64, 8 MiB unless said."""
    return ca.array(np.arange(float(n)))


def in_a_process(code, **environment):
    """What a program prints in a process of its own, whose ledger is empty."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment, timeout=LONGEST
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
