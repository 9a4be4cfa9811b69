"""Try the installed cowarray as a newcomer would: by the examples of README.md and of the first pages.

usage: tour.py        run it as python -I tools/tour.py, so that only installed packages are found
       tour.py PAGE   try one page, and print how many examples it has
"""

import contextlib
import doctest
import subprocess
import sys
from pathlib import Path

import numpy as np

import cowarray

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/tour.md", "docs/concepts.md", "docs/interop.md", "docs/fake.md", "docs/deferred.md")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def write_everywhere():
    """Smoke-test what may depend on compilers and platforms: a lazy copy, the write that copies, and the export."""
    x = cowarray.array(np.arange(1 << 16, dtype=np.float64))
    copy, snapshot = x.copy(), np.asarray(x)
    assert cowarray.shares_bytes(x, copy)
    copy[0] = -1.0
    assert (x[0], copy[0], snapshot[0]) == (0.0, -1.0, 0.0)
    with contextlib.suppress(ValueError):
        snapshot[0] = 1.0
    assert snapshot[0] == x[0] == 0.0, "a snapshot was written"
    assert cowarray.stats()["bytes_copied"] >= copy.nbytes


def try_page(page):
    """Return how many examples a page has; exit if one fails."""
    failed, examples = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=FLAGS)
    if failed:
        sys.exit(f"tour: {failed} examples of {page} fail")
    return examples


def main():
    if len(sys.argv) > 1:
        print(try_page(sys.argv[1]))
        return
    write_everywhere()
    tried = 0
    for page in PAGES:
        if (ROOT / page).exists():  # in a new process: the cost of a write depends on earlier copies
            done = subprocess.run(
                [sys.executable, "-I", __file__, page], stdout=subprocess.PIPE, text=True, check=False
            )
            if done.returncode != 0:
                sys.stdout.write(done.stdout)
                sys.exit(done.returncode)
            tried += int(done.stdout)
    if not tried:
        sys.exit("tour: no examples")
    python = ".".join(map(str, sys.version_info[:3]))
    print(f"tour: {tried} examples pass with {Path(cowarray.__file__).parent}, Python {python}, NumPy {np.__version__}")


if __name__ == "__main__":
    main()
