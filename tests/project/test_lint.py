"""`make lint` looks everywhere: what it should find is planted in each folder of a copy of the tree's, and is found."""

import re
import shutil

import pytest
from support.sources import ROOT, folders, load


@pytest.fixture
def lint(tmp_path, monkeypatch):
    """tools/lint.py as a module, of a tree of empty folders."""
    module = load(ROOT / "tools" / "lint.py")
    for folder in folders():
        (tmp_path / folder.relative_to(ROOT)).mkdir(exist_ok=True)
    for name in ("pyproject.toml", ".clang-format", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("check", "below", "endings", "text"),
    [
        ("ruff-check", "", ("py", "pyi"), "import os\n"),
        ("ruff-format", "", ("py", "pyi"), "x : int\n"),
        ("cython-lint", "src/cowarray", ("pyx", "pxd"), "cdef int x \n"),
        ("clang-format", "", ("c", "h"), "int x ;\n"),
    ],
)
def test_a_fault_is_found_in_each_folder(lint, tmp_path, capfd, check, below, endings, text):
    tool = lint.CHECKS[check][0][0]
    if not (lint.BIN / tool).exists():
        pytest.skip(f"{tool} is not installed; `make lint` and `make check` install it")
    planted = {folder / f"planted.{ending}" for folder in folders(tmp_path / below) for ending in endings}
    assert len(planted) > 30
    for path in planted:
        path.write_text(text)
    assert not lint.passes(check)
    said = "".join(capfd.readouterr())
    found = {tmp_path / name for name in re.findall(r"[\w./-]*planted\.\w+", said)}
    assert {str(path.relative_to(tmp_path)) for path in planted - found} == set()


def test_what_finds_nothing_to_check_fails(lint):
    with pytest.raises(SystemExit, match="no files"):
        lint.passes("clang-format")


@pytest.mark.parametrize(
    "check", ["ruff-check", "ruff-format", "cython-lint", "clang-format", "docstrings", "workflows"]
)
def test_each_check_is_a_hook(lint, tmp_path, monkeypatch, check):
    hooks = tmp_path / "hooks"
    hooks.write_text(lint.HOOKS.read_text().replace(f"ARGS={check}\n", "ARGS=\n"))
    monkeypatch.setattr(lint, "HOOKS", hooks)
    with pytest.raises(SystemExit, match="the hooks"):
        lint.main([])


def test_a_workflow_that_anybody_can_use_is_found(lint, tmp_path):
    if not (lint.BIN / "zizmor").exists():
        pytest.skip("zizmor is not installed; `make lint` and `make check` install it")
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    assert lint.passes("workflows")
    tests = tmp_path / ".github" / "workflows" / "tests.yml"
    tests.write_text(tests.read_text().replace("  contents: read\n", "  contents: write\n"))
    assert not lint.passes("workflows")
