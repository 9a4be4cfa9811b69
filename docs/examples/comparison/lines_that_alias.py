"""A tool names the lines of an unchanged program whose result depends on a copy being a view."""

import subprocess
import sys
import tempfile
from pathlib import Path

from findings import NO, YES, raises, tell

PROGRAM = """\
import numpy as np
x = np.zeros((2, 3))
x.ravel()[0] = 1
print(x.sum())
"""


def cowarray():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "program.py").write_text(PROGRAM)
        command = [sys.executable, "-m", "cowarray", "simulate", "program.py"]
        said = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    assert "program.py:3" in said
    assert "program.py:4" in said
    return YES, "`python -m cowarray simulate program.py` names the line that wrote and the line that read it"


def numpy():
    import numpy as np

    x = np.zeros((2, 3))
    assert np.shares_memory(x, x.ravel())
    return NO, "`np.shares_memory(a, b)` answers for two arrays that one has in hand"


def pandas():
    import warnings

    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert raises(Warning, pd.set_option, "mode.copy_on_write", "warn")
    return NO, 'the option `mode.copy_on_write="warn"`, which told what would change, is deprecated and does nothing'


if __name__ == "__main__":
    tell(globals())
