"""Print the requirements of a build of the package, or of an extra, from pyproject.toml: requires.py [EXTRA]"""

import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text())

print(
    *(PROJECT["project"]["optional-dependencies"][sys.argv[1]] if sys.argv[1:] else PROJECT["build-system"]["requires"])
)
