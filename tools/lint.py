"""Lint everything and check its format, for `make lint` and the hooks of .pre-commit-config.yaml.

usage: lint.py [check ...]     only these; without arguments all of them, and the hooks must name each
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
HOOKS = ROOT / ".pre-commit-config.yaml"

CYTHON = (".pyx", ".pxd")
C = (".c", ".h")
BUILT = {"build", "dist", "src/cowarray/include"}


def files(endings):
    """Return the tree's files with these endings, at any depth, without built files; there must be some."""
    found = []
    for folder, inside, names in os.walk(ROOT):
        here = Path(folder).relative_to(ROOT)
        inside[:] = [name for name in inside if name[0] != "." and str(here / name) not in BUILT]
        found += [str(here / name) for name in names if name.endswith(endings)]
    if not found:
        sys.exit(f"lint: no files {' '.join(endings)}")
    return sorted(found)


# Name: the command, the endings of the files that it takes, and the command that shows the changes it wants.
CHECKS = {
    "ruff-check": (["ruff", "check", "--quiet"], (), None),
    "ruff-format": (["ruff", "format", "--check", "--quiet"], (), ["ruff", "format", "--diff", "--quiet"]),
    "cython-lint": (["cython-lint"], CYTHON, None),
    "clang-format": (["clang-format", "--dry-run", "-Werror"], C, None),
    "docstrings": (["python", "docs/docstrings.py"], (), None),
    "workflows": (["zizmor", "--offline", "--quiet", "--no-progress", ".github"], (), None),
}


def run(command, **kwargs):
    # cython-lint looks for pycodestyle on the path.
    environment = {**os.environ, "PATH": os.pathsep.join([str(BIN), os.environ.get("PATH", "")])}
    return subprocess.run([str(BIN / command[0]), *command[1:]], cwd=ROOT, env=environment, **kwargs)


def passes(check):
    command, endings, show = CHECKS[check]
    passed = run([*command, *(files(endings) if endings else ())]).returncode == 0
    if not passed and show:
        run(show)
    return passed


def hooks():
    """Return {name: command} of the commit hooks."""
    return dict(re.findall(r"^ +- id: (\S+)\n(?: +(?!entry|- )\S.*\n)* +entry: (.*)$", HOOKS.read_text(), re.MULTILINE))


def main(names):
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        sys.exit(f"lint: no check {unknown}; there are {', '.join(CHECKS)}")
    if not names:
        wanted = {check: f"make lint ARGS={check}" for check in CHECKS}
        if hooks() != wanted:
            sys.exit(f"lint: the hooks of {HOOKS.name} are {hooks()}, and not {wanted}")
    failed = [check for check in names or CHECKS if not passes(check)]
    if failed:
        sys.exit(f"lint: {', '.join(failed)}")
    if not names:
        shown = run(["ruff", "check", "--show-files"], capture_output=True, text=True).stdout.splitlines()
        python = sum(name.endswith((".py", ".pyi")) for name in shown)
        if not python:
            sys.exit("lint: no Python files")
        print(f"lint: {python} Python, {len(files(CYTHON))} Cython and {len(files(C))} C files are clean")


if __name__ == "__main__":
    main(sys.argv[1:])
