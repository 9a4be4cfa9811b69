"""Checks the types: mypy and pyright, both strict, and the stubs against the modules. Run by `make types`."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
BUILD = ROOT / "build"

# What Cython adds to modules and classes for itself, a method that has its name from Python 3.12 on, and the lists of
# names that are gathered from the chapters: the stub has the names, and is compared with the modules.
ADDED = [
    r"cowarray\.((_chapters|_files)\.([a-z_]+\.)?)?__all__",
    r".*\.__pyx_.*",
    r".*\.__test__",
    r".*\.__(reduce|setstate)_cython__",
    r".*\.__buffer__",
]
# Functions with attributes, which to a type checker are objects: test_ufunc_methods compares their parameters.
UFUNCS = "|".join(name for name, value in vars(np).items() if isinstance(value, np.ufunc))
ADDED.append(rf"cowarray\.(_chapters\.(\w+\.)?)?({UFUNCS})")


def modules(*endings):
    """The names of the modules of the package whose files end so."""
    found = [path for ending in endings for path in (ROOT / "src" / "cowarray").rglob(f"*.{ending}")]
    names = {".".join(path.relative_to(ROOT / "src").with_suffix("").parts) for path in found}
    return {name.removesuffix(".__init__") for name in names}


def run(*command, **kwargs):
    done = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, **kwargs)
    if done.returncode != 0:
        sys.exit(f"{done.stdout or ''}types: {command[0]} fails")
    return done.stdout


def main():
    wanted, stubs = modules("py", "pyx"), modules("pyi")
    if not wanted:
        sys.exit("types: no modules")
    if wanted != stubs:
        sys.exit(f"types: only a stub or only a module: {sorted(wanted ^ stubs)}")
    BUILD.mkdir(exist_ok=True)
    allowlist = BUILD / "stubtest-allowlist"
    allowlist.write_text("\n".join(ADDED) + "\n")
    said = run(
        "stubtest", "--allowlist", allowlist, "--ignore-unused-allowlist", "cowarray", stdout=subprocess.PIPE, text=True
    )
    checked = re.search(r"in (\d+) modules", said)
    if checked is None or int(checked[1]) < len(wanted):
        sys.exit(f"types: {len(wanted)} modules, but stubtest says: {said}")
    shutil.rmtree(BUILD / "examples", ignore_errors=True)
    run(Path(sys.executable).name, "docs/examples.py", "build/examples")
    run("mypy", "src/cowarray", "tests/typing", "build/examples")
    run("basedpyright", "--pythonpath", sys.executable)


if __name__ == "__main__":
    main()
