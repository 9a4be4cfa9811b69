"""Programs that call `cowarray.register()`: each in a process of its own, as what a process has registered stays so."""

import importlib.util
import os
import subprocess
import sys
import textwrap

import pytest
from support.limits import LONGEST

BEGINNING = """
import pickle
import pydoc
import sys
import warnings
warnings.simplefilter("error", RuntimeWarning)
import numpy as np
import cowarray
x = cowarray.array([1.0, 2.0, 3.0])
"""


def program(*parts):
    """Run parts of a program one after the other; its output and status."""
    text = "".join(textwrap.dedent(part) + "\n" for part in (BEGINNING, *parts))
    return subprocess.run(
        [sys.executable, "-B", "-c", text], capture_output=True, text=True, timeout=LONGEST,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip


def passes(*parts):
    done = program(*parts)
    assert done.returncode == 0, done.stderr
    return done.stdout


def need(library):
    if importlib.util.find_spec(library.partition(".")[0]) is None:
        pytest.skip(f"{library} is not installed; it comes with cowarray[clients]")
