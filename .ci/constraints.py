"""Rewrites constraints.txt: the newest versions that pyproject.toml allows, as pip resolves them for each interpreter.

    python .ci/constraints.py [--with REQUIREMENT] python3.11 python3.12 ...       # make constraints

The file is sorted and says nothing of where a version came from, so a difference is a release. It covers everything
that pyproject.toml names (to build, to run, extras, groups) and what that needs in turn. Nothing is built or installed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

__all__ = ["CONSTRAINTS", "lines", "requirements", "text"]

ROOT = Path(__file__).parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
HEADER = """\
# The versions that the Makefile installs, so that a release of somebody else's breaks nobody's first minute.
# Written by `make constraints`: the newest that pyproject.toml allows, for CPython {resolved}.
# A newer interpreter takes what the newest of these takes. Users of the package are not bound by this file.
"""


def normal(name):
    """A project's name as package indexes compare it."""
    return re.sub("[-_.]+", "-", name).lower()


def requirements():
    """Every requirement in pyproject.toml, by where it stands there: to build, to run, the extras, the groups."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)
    groups = project["dependency-groups"]
    return {
        "build-system": project["build-system"]["requires"],
        "dependencies": project["project"]["dependencies"],
        **project["project"]["optional-dependencies"],
        # What a group includes stands under the name of that group.
        **{name: [one for one in listed if isinstance(one, str)] for name, listed in groups.items()},
    }


def run(*command):
    """What a command writes. A constraint of somebody's environment must not decide what is newest."""
    environment = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{result.stderr}")
    return result.stdout


def resolve(python, wanted):
    """{project: version} that pip would install, without the local part that a build of one's own has."""
    with tempfile.TemporaryDirectory() as directory:
        run(python, "-m", "venv", directory)
        pip = [Path(directory, "bin", "python"), "-m", "pip", "install", "--quiet"]
        run(*pip, "pip>=25.1")
        report = Path(directory, "report.json")
        resolution = [*pip, "--dry-run", "--ignore-installed", "--report", report]
        try:
            run(*resolution, *wanted)
        except RuntimeError as error:
            # A pinned version may have no wheel for this interpreter; pyproject.toml itself says which it is.
            pinned = [requirement for requirement in wanted if "==" in requirement]
            if not pinned:
                raise
            run(*resolution, *(requirement for requirement in wanted if requirement not in pinned))
            print(f"{python}: without {', '.join(pinned)}: {str(error).strip().splitlines()[-1]}")
        installed = json.loads(report.read_text())["install"]
    found = [one["metadata"] for one in installed]
    return {normal(one["name"]): one["version"].partition("+")[0] for one in found}


def marker(first, last, versions):
    """Where the interpreters from first to last are meant: older and newer ones than all go with their neighbours."""
    below = "" if last == versions[-1] else f'python_version < "{versions[versions.index(last) + 1]}"'
    above = "" if first == versions[0] else f'python_version >= "{first}"'
    return " and ".join(filter(None, [above, below]))


def lines(resolved):
    """The constraints, of {(3, 11): {project: version}}: one line where interpreters agree, or one for each version."""
    versions = [".".join(map(str, version)) for version in sorted(resolved)]
    found = {}
    for version in sorted(resolved):
        for project, release in resolved[version].items():
            found.setdefault(project, []).append((".".join(map(str, version)), release))
    result = []
    for project in sorted(found):
        runs = []  # [first interpreter, release], each up to where the next begins
        for version, release in found[project]:
            if not runs or runs[-1][1] != release:
                runs.append([version, release])
        runs[0][0] = versions[0]  # needed by some only: the others do not ask
        for i, (first, release) in enumerate(runs):
            following = versions.index(runs[i + 1][0]) - 1 if i + 1 < len(runs) else -1
            where = marker(first, versions[following], versions)
            result.append(f"{project}=={release}" + (f" ; {where}" if where else ""))
    return result


def text(resolved):
    names = ", ".join(".".join(map(str, version)) for version in sorted(resolved))
    return HEADER.format(resolved=names) + "\n".join(lines(resolved)) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--with", dest="more", action="append", default=[], metavar="REQUIREMENT")
    parser.add_argument("interpreters", nargs="+")
    arguments = parser.parse_args()
    wanted = sorted({one for listed in requirements().values() for one in listed} | set(arguments.more))
    resolved = {}
    for python in arguments.interpreters:
        version = run(python, "-c", "import sys; print(*sys.version_info[:2])").split()
        resolved[tuple(map(int, version))] = resolve(python, wanted)
    if min(resolved) != (3, 11):
        sys.exit(f"constraints: Python 3.11, the oldest that is supported, is not among {arguments.interpreters}")
    CONSTRAINTS.write_text(text(resolved))
    print(f"{CONSTRAINTS.name}: {len(lines(resolved))} lines for {len(resolved)} interpreters")


if __name__ == "__main__":
    main()
