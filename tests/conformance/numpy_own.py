"""Runs the tests that ship with NumPy on our arrays, and holds the outcome to `numpy_expected.txt`.

`make conformance-numpy`; `python tests/conformance/numpy_own.py numpy.lib.tests.test_twodim_base` runs one file. Each
file has a process and a time of its own (see `numpy_swap.py` for what happens in it). It ends red if a test fails that
is not listed, if a listed one passes or is gone, or if a process dies. With `--aliasing`, all of it runs in
`cowarray.aliasing`.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).parent
NUMPY = Path(np.__file__).parent
VERSION = "2.4.6"  # what the list was made for

# Folders and files of tests that are not run. None of them builds arrays to try them.
FOLDERS = {
    "f2py": "wraps Fortran, needs compilers",
    "distutils": "builds packages",
    "_pyinstaller": "builds programs",
    "typing": "checks NumPy's stubs",
    "tests": "NumPy's package: its namespace, configuration, scripts, reloading",
}
FILES = {
    "_core.tests.test_cython": "builds an extension",
    "_core.tests.test_limited_api": "builds an extension",
    "_core.tests.test_mem_policy": "builds an extension",
    "_core.tests.test_array_interface": "builds an extension",
    "random.tests.test_extending": "builds an extension",
}
BUT = {"tests.test_ctypeslib", "tests.test_matlib"}  # which are about arrays


class Expected(NamedTuple):
    pattern: str
    cause: str


def read_expected(path, aliasing=False):
    """The list: patterns, with `*` for any text, under headings that say kind and cause; `!` marks what is not run.

    A heading that ends with "(outside of aliasing)" or "(in aliasing)" holds there alone.
    """
    entries, not_run, cause, holds = [], [], None, True
    for line in path.read_text().splitlines():
        if line.startswith("## "):
            cause = line.removeprefix("## ")
            holds = not cause.endswith("(outside of aliasing)" if aliasing else "(in aliasing)")
        elif line.startswith("!"):
            not_run.append(line[1:].strip())
        elif line.strip() and not line.startswith("#"):
            if cause is None:
                raise ValueError(f"{path.name}: {line!r} stands under no cause")
            if holds:
                entries.append(Expected(line.strip(), cause))
    return entries, not_run


def matches(pattern, name):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


def modules():
    """NumPy's test modules, without those that are left out."""
    for path in sorted(NUMPY.glob("**/tests/test_*.py")):
        name = ".".join(path.relative_to(NUMPY).with_suffix("").parts)
        if name in BUT or (name.partition(".")[0] not in FOLDERS and name not in FILES):
            yield f"numpy.{name}"


def run(module, not_run, seconds, aliasing=False):
    """The fates of a module's tests, and what ended its process before they were all known."""
    with tempfile.TemporaryDirectory() as folder:
        fates, settings = Path(folder, "fates"), Path(folder, "pytest.ini")
        settings.write_text("[pytest]\n")
        command = [sys.executable, "-m", "pytest", "-c", str(settings), "-p", "numpy_swap", "--fates", str(fates)]
        command += ["-p", "no:cacheprovider", "-p", "no:randomly", "-q", "--tb=short", "-m", "not slow"]
        command += ["--pyargs", module, *["--aliasing"] * aliasing]
        command += [f"--not-run={name}" for name in not_run]
        command += [f"-Wignore:{text}" for text in ("the matrix subclass", "Importing from numpy.matlib is")]
        paths = [str(HERE), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths))}
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, timeout=seconds, capture_output=True, text=True, check=False
            )
            ended = "" if done.returncode in (0, 1, 2, 5) else f"status {done.returncode}: {done.stdout[-2000:]}"
            said = done.stdout[-2000:] + done.stderr[-2000:]
        except subprocess.TimeoutExpired:
            ended, said = f"no end after {seconds} s", ""
        lines = [json.loads(line) for line in fates.read_text().splitlines()] if fates.exists() else []
    known = {line["id"]: line for line in lines if line["outcome"] != "began"}
    for line in lines:
        if line["id"] not in known:
            ended = f"{line['id']}: {ended or said}"
    if not known and not ended:
        ended = said if done.returncode != 5 else ""
    return list(known.values()), ended


def judge(fates, entries):
    """(unexpected failures, entries that are wrong: whose tests pass, or are gone; failures by cause)."""
    failed = {fate["id"] for fate in fates if fate["outcome"] == "failed"}
    ran = failed | {fate["id"] for fate in fates if fate["outcome"] in ("passed", "xfailed")}
    listed, stale, causes = set(), [], collections.Counter()
    for entry in entries:
        found = {name for name in ran if matches(entry.pattern, name)}
        for name in sorted(found - failed):
            stale.append(f"{name} passes, but is listed: {entry.cause}")
        if not found:
            stale.append(f"{entry.pattern} is listed, and names no test")
        causes[entry.cause] += len((found & failed) - listed)
        listed |= found
    return sorted(failed - listed), stale, causes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="dotted names; all of NumPy's by default")
    parser.add_argument("--expected", type=Path, default=HERE / "numpy_expected.txt")
    parser.add_argument("--seconds", type=float, default=900, help="that a module may take")
    parser.add_argument("--fates", type=Path, help="file for the fate of every test, as lines of JSON")
    parser.add_argument("--aliasing", action="store_true", help="run in cowarray.aliasing")
    options = parser.parse_args()
    entries, not_run = read_expected(options.expected, options.aliasing)
    if options.modules:
        entries = [entry for entry in entries if entry.pattern.startswith(tuple(f"{m}::" for m in options.modules))]
    elif np.__version__ != VERSION:
        print(f"the list is of NumPy {VERSION}, this is {np.__version__}")
    fates, ends = [], []
    for module in options.modules or modules():
        found, ended = run(module, not_run, options.seconds, options.aliasing)
        fates += found
        ends += [f"{module}: {ended}"] * bool(ended)
        counts = collections.Counter(fate["outcome"] for fate in found)
        print(f"{module}: {', '.join(f'{n} {what}' for what, n in sorted(counts.items())) or 'no tests'}", flush=True)
    if options.fates:
        options.fates.write_text("".join(json.dumps(fate) + "\n" for fate in fates))
    return report(fates, entries, ends)


def report(fates, entries, ends):
    """Print what happened; the exit status."""
    unexpected, stale, causes = judge(fates, entries)
    errors = {fate["id"]: f"{fate['line']} {fate['error']}" for fate in fates if fate["outcome"] == "failed"}
    for name in unexpected:
        print(f"FAILED {name}\n    {errors[name][:300]}")
    for line in (*stale, *ends):
        print(f"WRONG {line}")
    touched = [fate for fate in fates if fate.get("built") and fate["outcome"] in ("passed", "failed", "xfailed")]
    passed = sum(fate["outcome"] != "failed" for fate in touched)
    for cause, count in causes.most_common():
        print(f"{count:6} {cause}")
    print(
        f"{len(touched)} tests built our arrays, {passed} of them passed ({100 * passed / max(len(touched), 1):.2f} %)"
    )
    if not touched:
        print("WRONG nothing was tested")
    return bool(unexpected or stale or ends or not touched)


if __name__ == "__main__":
    sys.exit(main())
