"""Prints what a build of the package needs, as pyproject.toml has it, each on a line."""

import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"

print(*tomllib.loads(PROJECT.read_text())["build-system"]["requires"], sep="\n")
