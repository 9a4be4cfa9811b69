"""constraints.txt: what it says holds for everything that pyproject.toml names, on every interpreter."""

import importlib.util
import re
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("constraints", ROOT / ".ci" / "constraints.py")
constraints = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(constraints)

INTERPRETERS = ("3.11", "3.12", "3.13", "3.14")
LINES = [line for line in constraints.CONSTRAINTS.read_text().splitlines() if not line.startswith("#")]
NAMED = [(place, one) for place, listed in constraints.requirements().items() for one in listed]


def versions(python):
    """{project: version} on an interpreter; each line is NAME==VERSION, perhaps with a marker."""
    environment = {**default_environment(), "python_version": python, "python_full_version": f"{python}.0"}
    found = {}
    for line in LINES:
        requirement = Requirement(line)
        [pin] = requirement.specifier
        assert pin.operator == "==", line
        assert requirement.url is None, line
        if requirement.marker is None or requirement.marker.evaluate(environment):
            assert requirement.name not in found, f"{requirement.name} has two versions on Python {python}"
            found[requirement.name] = Version(pin.version)
    return found


@pytest.mark.parametrize("python", INTERPRETERS)
def test_whatever_pyproject_names_has_a_version_that_it_allows(python):
    found = versions(python)
    assert len(NAMED) > 20
    for place, text in NAMED:
        requirement = Requirement(text)
        name = constraints.normal(requirement.name)
        assert name in found, f"{place} needs {text}: run make constraints"
        assert requirement.specifier.contains(found[name]), f"{place} needs {text}, constraints.txt has {found[name]}"


def test_the_makefiles_pip_is_constrained_too():
    [needed] = re.findall(r"^PIP_NEEDED := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    requirement = Requirement(needed)
    assert requirement.specifier.contains(versions("3.11")[requirement.name])


def test_nothing_says_where_it_came_from():
    assert len(LINES) > 20
    assert [line for line in LINES if re.search(r"[+/@]|file:|--", line)] == []
    names = [re.split("[= ;]", line)[0] for line in LINES]
    assert names == sorted(names)


def test_a_version_holds_for_the_interpreters_up_to_the_next():
    resolved = {
        (3, 11): {"a": "1", "b": "1", "c": "1", "old": "1"},
        (3, 12): {"a": "1", "b": "2", "c": "2", "new": "2"},
        (3, 13): {"a": "1", "b": "2", "c": "3", "new": "3"},
    }
    assert constraints.lines(resolved) == [
        "a==1",
        'b==1 ; python_version < "3.12"',
        'b==2 ; python_version >= "3.12"',
        'c==1 ; python_version < "3.12"',
        'c==2 ; python_version >= "3.12" and python_version < "3.13"',
        'c==3 ; python_version >= "3.13"',
        'new==2 ; python_version < "3.13"',
        'new==3 ; python_version >= "3.13"',
        "old==1",
    ]
    assert constraints.text(resolved).splitlines()[-9:] == constraints.lines(resolved)
    assert constraints.lines({(3, 11): {"a": "1"}}) == ["a==1"]
