"""What type checkers say of the public names, of the examples in the documentation, and of what must be refused.

`tests/typing` asserts types, and has lines that must be refused: an ignored error that is none is an error.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
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


def run(*command, cwd):
    environment = dict(os.environ)
    if PACKAGE.name != "site-packages":
        environment["MYPYPATH"] = str(PACKAGE)
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd)


def test_mypy_follows_shapes_and_dtypes_and_refuses_what_is_wrong(sources):
    pytest.importorskip("mypy", reason="mypy is not installed; `make types` and `make check` install it")
    result = run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "typing", "examples", cwd=sources)
    count = len(list(sources.glob("*/*.py")))
    assert (result.stdout, result.stderr) == (f"Success: no issues found in {count} source files\n", "")


def test_pyright_agrees(sources):
    if importlib.util.find_spec("basedpyright") is None:
        pytest.skip("basedpyright is not installed; `make types` and `make check` install it")
    settings = {
        "extraPaths": [str(PACKAGE)],
        "typeCheckingMode": "strict",
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    (sources / "pyrightconfig.json").write_text(json.dumps(settings))
    result = run(sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, cwd=sources)
    assert (result.stdout, result.stderr) == ("0 errors, 0 warnings, 0 notes\n", "")
