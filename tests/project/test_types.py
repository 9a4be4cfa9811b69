"""What type checkers say of the public names, of the examples in the documentation, and of what must be refused.

`tests/typing` asserts types, and has lines that must be refused: an ignored error that is none is an error. What checks
the types of the package itself, `make types`, finds an error in each of its files.
"""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

import cowarray

TESTS = Path(__file__).parents[1]
PACKAGE = Path(cowarray.__file__).parent.parent


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A folder with what is checked: the tests of types, and each page's examples as a module."""
    folder = tmp_path_factory.mktemp("types")
    shutil.copytree(TESTS / "typing", folder / "typing", ignore=shutil.ignore_patterns("__pycache__"))
    script = TESTS.parent / "docs" / "examples.py"
    subprocess.run([sys.executable, str(script), str(folder / "examples")], check=True)
    assert len(list(folder.glob("*/*.py"))) >= 7
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A Python where the package is installed, and not part of what is checked: what it does not export is private."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder)
    (site,) = folder.glob("lib/*/site-packages")
    (site / "installed.pth").write_text(f"{PACKAGE}\n{sysconfig.get_path('purelib')}\n")
    return str(folder / "bin" / "python")


def run(*command, cwd):
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=cwd)


def test_mypy_follows_shapes_and_dtypes_and_refuses_what_is_wrong(sources, installed):
    pytest.importorskip("mypy", reason="mypy is not installed; `make types` and `make check` install it")
    options = "--strict", "--python-executable", installed, "--cache-dir", "cache"
    result = run("-m", "mypy", *options, "typing", "examples", cwd=sources)
    count = len(list(sources.glob("*/*.py")))
    assert (result.stdout, result.stderr) == (f"Success: no issues found in {count} source files\n", "")


def test_pyright_agrees(sources, installed):
    if importlib.util.find_spec("basedpyright") is None:
        pytest.skip("basedpyright is not installed; `make types` and `make check` install it")
    settings = {"typeCheckingMode": "strict", "reportUnnecessaryTypeIgnoreComment": "error"}
    (sources / "pyrightconfig.json").write_text(json.dumps(settings))
    result = run("-m", "basedpyright", "--pythonpath", installed, cwd=sources)
    assert (result.stdout, result.stderr) == ("0 errors, 0 warnings, 0 notes\n", "")


@pytest.fixture
def tree(tmp_path):
    """A copy of what `make types` reads."""
    root = TESTS.parent
    without_builds = shutil.ignore_patterns("*.so", "*.c", "__pycache__")
    shutil.copytree(root / "src" / "cowarray", tmp_path / "src" / "cowarray", ignore=without_builds)
    shutil.copytree(TESTS / "typing", tmp_path / "tests" / "typing", ignore=without_builds)
    for name in ("tools/check_types.py", "docs/examples.py", "README.md", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(root / name, tmp_path / name)
    return tmp_path


def check_types(tree, *checks):
    return run("tools/check_types.py", *checks, cwd=tree)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("checker", "of_sources", "of_stubs"),
    [("mypy", "return-value", "name-defined"), ("basedpyright", "reportReturnType", "reportUndefinedVariable")],
)
def test_an_error_in_any_file_of_the_package_is_found(tree, checker, of_sources, of_stubs):
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed; `make types` and `make check` install it")
    paths, stubs = (sorted((tree / "src").rglob(f"*.{ending}")) for ending in ("py", "pyi"))
    assert len({path.parent for path in paths}) > 15
    assert len({path.parent for path in stubs}) > 10
    for path in paths:
        with open(path, "a") as file:
            file.write('\n\ndef planted() -> int:\n    return "planted"\n')
    for path in stubs:
        with open(path, "a") as file:
            file.write("\n\ndef planted() -> Nowhere: ...\n")
    result = check_types(tree, checker)
    assert result.stderr == f"types: {checker}\n"
    assert result.returncode == 1
    for rule, planted in {of_sources: paths, of_stubs: stubs}.items():
        found = re.findall(rf"^(src/\S+\.pyi?):\d+: error: .*\[{rule}\]$", result.stdout, re.MULTILINE)
        assert sorted(found) == [str(path.relative_to(tree)) for path in planted]


@pytest.mark.sampled
def test_what_an_extension_does_not_have_is_found_in_each_stub(tree):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed; `make types` and `make check` install it")
    stubs = sorted((tree / "src").rglob("*.pyi"))
    assert len({path.parent for path in stubs}) > 10
    for path in stubs:
        with open(path, "a") as file:
            file.write("\n\ndef planted() -> int: ...\n")
    result = check_types(tree, "stubtest")
    assert result.stderr == "types: stubtest\n"
    found = re.findall(r"^error: (\S+)\.planted is not present at runtime$", result.stdout, re.MULTILINE)
    names = [".".join(path.relative_to(tree / "src").with_suffix("").parts) for path in stubs]
    assert sorted(found) == sorted(names)


def test_a_stub_is_missed_beside_cython_and_unwanted_beside_python(tree):
    package = tree / "src" / "cowarray"
    (package / "_ops" / "road.pyi").rename(package / "fft.pyi")
    result = check_types(tree, "stubs")
    assert result.stdout.splitlines()[:3] == [
        "no stub beside src/cowarray/_ops/road.pyx",
        "src/cowarray/fft.pyi is a stub of no .pyx",
        "src/cowarray/fft.pyi hides the .py beside it",
    ]
    assert result.stderr == "types: stubs\n"
