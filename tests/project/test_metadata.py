"""What the package says of itself to indexes and builders: one version, one list of needs, links that lead to files."""

import re
import subprocess
import sys
import tomllib

import pytest
from support.sources import ROOT, files

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
RECIPE = (ROOT / "conda-recipe" / "recipe.yaml").read_text()
WHEELS = PYPROJECT["tool"]["cibuildwheel"]


def of_the_makefile(name):
    [value] = re.findall(rf"^{name} := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return value.split()


def of_the_recipe(section):
    """The requirements in a section: names and versions, without spaces."""
    [lines] = re.findall(rf"^  {section}:\n((?:    - .*\n)+)", RECIPE, re.MULTILINE)
    return {line.strip("- ").replace(" ", "") for line in lines.splitlines()}


@pytest.fixture(scope="module")
def description():
    """README.md as an index shows it."""
    command = [sys.executable, "setup.py", "--quiet", "--long-description"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_links_of_the_long_description_are_absolute_and_lead_to_files(description):
    files = f"{PROJECT['urls']['Source']}/blob/v{PROJECT['version']}/"
    links = re.findall(r"\]\(([^)]+)\)", description)
    assert len(links) > 10
    assert [link for link in links if not link.startswith(files)] == []
    assert [link for link in links if not (ROOT / link.removeprefix(files).partition("#")[0]).exists()] == []


def test_the_long_description_is_otherwise_the_readme(description):
    files = f"{PROJECT['urls']['Source']}/blob/v{PROJECT['version']}/"
    assert description.replace(f"]({files}", "](").strip() == (ROOT / "README.md").read_text().strip()


def test_all_addresses_are_the_sources():
    assert {"Source", "Documentation", "Changelog", "Issues"} <= set(PROJECT["urls"])
    assert [url for url in PROJECT["urls"].values() if not url.startswith(PROJECT["urls"]["Source"])] == []
    assert set(re.findall(r"https://\S+", RECIPE)) == {PROJECT["urls"]["Source"]}


def test_the_version_is_the_same_everywhere():
    assert f'version: "{PROJECT["version"]}"' in RECIPE
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"\nversion: {PROJECT['version']}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_conda_recipe_needs_what_the_package_needs():
    assert of_the_recipe("run") == {f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]}
    assert of_the_recipe("host") == {"python", "pip", *PYPROJECT["build-system"]["requires"]}
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert f'match(python, "<{oldest}")' in RECIPE
    assert f"license: {PROJECT['license']}\n" in RECIPE


def test_the_build_needs_the_numpy_of_the_package():
    assert set(PROJECT["dependencies"]) <= set(PYPROJECT["build-system"]["requires"])


def test_a_release_has_wheels_for_every_python_that_is_supported():
    built = [".".join(re.match(r"cp(\d)(\d+)-\*$", one).groups()) for one in WHEELS["build"].split() if "t-" not in one]
    assert built == of_the_makefile("SUPPORTED")
    assert f">={built[0]}" == PROJECT["requires-python"]
    assert {"manylinux-x86_64-image", "musllinux-x86_64-image"} <= set(WHEELS["linux"])
    assert "macos" not in WHEELS  # the core does not build there


def test_what_tries_a_wheel_exists():
    tried = re.findall(r"\{project\}/(\S+)", " ".join(WHEELS["test-command"]))
    assert tried
    assert [name for name in tried if not (ROOT / name).exists()] == []


def test_the_policy_names_the_versions_that_the_package_has():
    policy = (ROOT / "docs" / "versions.md").read_text()
    first, *_, last = of_the_makefile("SUPPORTED")
    assert f"| Python | {first} to {last}" in policy
    [numpy] = PROJECT["dependencies"]
    assert f"| NumPy | {numpy.removeprefix('numpy>=').partition(',')[0]} and newer" in policy


def test_make_builds_again_when_any_source_changes():
    """At any depth."""
    said = subprocess.run(["make", "-npq", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    [known] = re.findall(r"^EXTENSION_SOURCES := (.*)$", said, re.MULTILINE)
    sources = {
        str(path.relative_to(ROOT))
        for top in ("include", "src")
        for path in files(".c", ".h", ".pyx", ".pxd", top=ROOT / top)
    }
    assert sources == {name for name in known.split() if "/" in name}
