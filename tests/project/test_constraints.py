"""constraints.txt: what it says holds for everything that pyproject.toml names, on every interpreter."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
LINES = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, GROUPS = PYPROJECT["project"], PYPROJECT["dependency-groups"]
LISTS = [PYPROJECT["build-system"]["requires"], PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
NAMED = [
    one for listed in [*LISTS, *GROUPS.values()] for one in listed if isinstance(one, str)
]  # not an included group


def of_the_makefile(name):
    [value] = re.findall(rf"^{name} := (.*)$", MAKEFILE, re.MULTILINE)
    return value


def versions(python):
    """{project: version} on an interpreter; each line is NAME==VERSION, perhaps with a marker."""
    environment = {**default_environment(), "python_version": python, "python_full_version": f"{python}.0"}
    found = {}
    for line in LINES:
        requirement = Requirement(line)
        [pin] = requirement.specifier
        assert (pin.operator, requirement.url, Version(pin.version).local) == ("==", None, None), line
        if requirement.marker is None or requirement.marker.evaluate(environment):
            assert requirement.name not in found, f"{requirement.name} has two versions on Python {python}"
            found[requirement.name] = Version(pin.version)
    return found


@pytest.mark.parametrize("python", of_the_makefile("SUPPORTED").split())
def test_whatever_pyproject_names_has_a_version_that_it_allows(python):
    found = versions(python)
    assert len(NAMED) > 20
    for text in [*NAMED, of_the_makefile("PIP_NEEDED")]:
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        assert name in found, f"pyproject.toml needs {text}: run make constraints"
        assert requirement.specifier.contains(found[name]), f"{text} is needed, constraints.txt has {found[name]}"


def test_the_makefile_resolves_every_group():
    assert set(of_the_makefile("GROUPS").split()) == set(GROUPS)
