"""What the pages say is so. Their Python examples run as doctests; here are their tables, links and C examples."""

import doctest
import importlib.util
import json
import os
import pkgutil
import re
import subprocess
import sys
import typing
from pathlib import Path

import numpy as np
import pytest
from support.extensions import SUFFIX, build, compiler, run
from support.sources import PACKAGE, ROOT, files, folders, load, modules

import cowarray
from cowarray._ops import table as _table

PAGES = files(".md")


def fenced(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def docstring_examples():
    """Of every class and function of the package, but for what needs other libraries."""
    finder, found = doctest.DocTestFinder(), {}
    importable = [name for name, texts in modules().items() if {".py", ".pyx"} & texts.keys()]
    names = [name for name in importable if name.partition(".")[0] not in ("", "_tools", "__main__")]
    public = {name: getattr(cowarray, name) for name in cowarray.__all__}  # each is there once it was asked for
    for space in [public, *(vars(importlib.import_module(f"cowarray.{name}")) for name in names)]:
        for name, value in space.items():
            if isinstance(value, (typing.TypeVar, typing.ParamSpec)):
                continue  # Python's, with examples of its own
            if (getattr(value, "__module__", None) or "").startswith("cowarray"):  # not NumPy's own types
                found |= {test.docstring: test for test in finder.find(value, name, module=False, globs={})}
    return [test for test in found.values() if test.examples]


@pytest.mark.parametrize("test", docstring_examples(), ids=lambda test: test.name)
def test_examples_in_docstrings_run_as_written(test):
    out = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    assert runner.run(test, out=out.append).failed == 0, "".join(out)


def test_most_public_functions_have_an_example():
    named = {test.name for test in docstring_examples()}
    assert {"aliases", "explain", "lazy_clone", "no_copy", "shares_bytes", "stats", "trace"} <= named


# ---- tables ----------------------------------------------------------------------------------------------------------


def test_the_table_of_operations_is_the_dispatchers():
    maker = load(ROOT / "docs" / "table.py")
    assert maker.with_table(maker.PAGE.read_text()) == maker.PAGE.read_text(), "run: python docs/table.py"
    assert "`np.flip`" in maker.table()


def readme_rows():
    """{first words of a row: the operations that it names} of the README's table of what aliases."""
    section = (ROOT / "README.md").read_text().partition("## What aliases and what copies")[2].partition("\n## ")[0]
    rows = {}
    for line in section.splitlines():
        if line.startswith("| ") and not line.startswith("| gives"):
            kind, names = line.strip("| ").split(" | ")
            rows[re.split("[:;]", kind)[0]] = re.findall("`(.*?)`", names)
    return rows


@pytest.mark.parametrize(
    ("row", "result", "readonly"),
    [("a view", _table.VIEW, False), ("a read-only view", _table.VIEW, True), ("a copy", _table.COPY, False)],
)
def test_the_readmes_table_is_the_dispatchers(row, result, readonly):
    names = [name for name in readme_rows()[row] if re.fullmatch(r"(x|np)\.\w+", name)]
    assert len(names) >= 3
    for name in names:
        owner, _, rest = name.partition(".")
        operation = _table.OPERATIONS[f"ndarray.{rest}" if owner == "x" else rest]
        assert (operation.result, operation.readonly) == (result, readonly), name


def test_the_readmes_writers_are_the_dispatchers():
    names = [name for name in readme_rows()["nothing"] if re.fullmatch(r"(x|np)\.\w+", name)]
    assert len(names) >= 3
    for name in names:
        owner, _, rest = name.partition(".")
        assert _table.OPERATIONS[f"ndarray.{rest}" if owner == "x" else rest].writes, name


@pytest.mark.parametrize("expression", [name for name in readme_rows()["a view"] if "[" in name])
def test_the_readmes_views_by_index_are_views(expression):
    x = cowarray.array(np.zeros((3, 2), dtype=[("field", "f8")]))
    assert eval(expression, {"x": x}).storage is x.storage


@pytest.mark.parametrize("expression", [name for name in readme_rows()["a fresh array"] if "[" in name])
def test_the_readmes_fresh_arrays_are_fresh(expression):
    x = cowarray.array(np.arange(3))
    assert eval(expression, {"x": x, "mask": x > 0}).storage is not x.storage


# ---- links, names, commands ------------------------------------------------------------------------------------------


def not_there(page, text):
    """What a page names that there is not: files, headings, commands of the Makefile, names of the package."""
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, anchor = target.partition("#")
        linked = (page.parent / file) if file else page
        if target.startswith("https://"):
            continue
        if not linked.exists():
            yield target
        elif anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)
            if anchor not in {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}:
                yield target
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command in re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE):
        if command not in targets:
            yield f"make {command}"
    for path in re.findall(r"`((?:bench|docs|include|src/cowarray|tests|tools|_[a-z]+)/[a-z_\d./*-]+)`", text):
        top = PACKAGE if path[0] == "_" else ROOT
        if not list(top.glob(path)) and not list(top.glob(f"{path}.*")):
            yield path
    for name in re.findall(r"`(cowarray(?:\.[a-z_]\w*)+)", text):
        try:
            pkgutil.resolve_name(name)
        except (AttributeError, ImportError):
            yield name


def test_the_map_of_the_tests_has_each_folder():
    named = re.findall("`(.*?)`", (ROOT / "tests" / "README.md").read_text())
    assert {folder.name for folder in folders() if folder.parent == ROOT / "tests"} - set(named) == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_exists(page):
    text = page.read_text()
    assert list(not_there(page, text)) == []
    missing = ["nowhere.md", "#nowhere", "make nothing", "tests/nowhere.py", "_ops/nothing"]
    missing += ["cowarray.nothing", "cowarray.fft.nothing"]
    planted = "\n[a](nowhere.md) [b](#nowhere)\nmake nothing\n`tests/nowhere.py` `_ops/nothing`\n"
    planted += "`cowarray.nothing()` `cowarray.fft.nothing`\n"
    assert list(not_there(page, text + planted)) == missing


@pytest.mark.parametrize(
    ("page", "files", "count"), [("moving", ["heat.py"], 6), ("fake", ["stations.py", "clusters.py"], 3)]
)
def test_a_guide_shows_what_its_programs_and_the_command_print(tmp_path, page, files, count):
    guide = ROOT / "docs" / f"{page}.md"
    for file, program in zip(files, fenced(guide, "python"), strict=True):
        (tmp_path / file).write_text(program)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    blocks = fenced(guide, "console")
    assert len(blocks) == count
    for block in blocks:
        printed = []
        for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
            result = subprocess.run(
                ["sh", "-c", command],
                cwd=tmp_path,
                env=os.environ | {"PATH": path},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            printed += [f"$ {command}\n", result.stdout]
        assert "".join(printed) == block


# The command's arguments, a program, where the page names the report's keys, those named elsewhere, what else is named.
REPORTS = {
    "fake": (
        ["plan", "--real=0"],
        "import numpy as np\nx = np.ones(2)\nnp.poly1d\nfloat(x[0])\n",
        ("**In JSON**", "\n\n"),
        {"name", "used", "versions", "program"},
        {"simulate", "what", "masks", "conditions", "numbers", "answer", "times"},
    ),
    "moving": (
        ["simulate"],
        "import numpy as np\nx = np.ones(2)\nx.ravel()[0] = 2\nprint(x)\nnp.poly1d\n",
        ("### In CI", "\n## "),
        set(),
        {"numpy", "python", "cowarray", "module"},
    ),
}


@pytest.mark.parametrize("page", REPORTS)
def test_a_guide_names_the_options_and_the_keys(tmp_path, page):
    arguments, program, (begin, end), elsewhere, others = REPORTS[page]
    guide = (ROOT / "docs" / f"{page}.md").read_text()
    command = [sys.executable, "-m", "cowarray", *arguments]
    said = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout
    options = re.findall(r"^\| `(--[a-z]+)", guide, re.MULTILINE)
    assert set(options) == set(re.findall(r"^  (--[a-z]+)", said, re.MULTILINE))
    (tmp_path / "script.py").write_text(program)
    subprocess.run([*command, "--json", "--output", "report", "script.py"], cwd=tmp_path, capture_output=True)
    report = json.loads((tmp_path / "report").read_text())
    if page == "fake":
        keys = set().union(report, report["lines"][0], report["stopped"], report["stopped"]["needs_a_value"])
    else:
        [divergence], [borrowed] = report["divergences"], report["borrowed"]
        keys = {*report, *report["would_be_copies"], *divergence, *divergence["made"], *borrowed, *report["program"]}
    quoted = set(re.findall(r"`(\w+)`", guide.partition(begin)[2].partition(end)[0]))
    assert keys - quoted - elsewhere == set()
    assert quoted - keys - others == set()


# ---- C ---------------------------------------------------------------------------------------------------------------

WARNINGS = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-pthread"]


def test_the_extension_of_the_c_page_compiles_and_works(tmp_path):
    extension, _ = fenced(ROOT / "docs" / "c-api.md", "c")
    source, built = tmp_path / "scaling.c", tmp_path / f"scaling{SUFFIX}"
    source.write_text(extension)
    build(source, built, *WARNINGS)
    scaling = load(built)

    x = cowarray.array(np.arange(6.0))
    copy = x.copy()
    scaling.scale(x[::-2], 10.0)
    assert x.tolist() == [0.0, 10.0, 2.0, 30.0, 4.0, 50.0]
    assert copy.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    cowarray.reset_stats()
    shared = x.copy()
    for wrong, error in ((x.reshape(2, 3), TypeError), (x.astype("f4"), TypeError), (np.arange(3.0), TypeError)):
        with pytest.raises(error):
            scaling.scale(wrong, 1.0)
    shared.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        scaling.scale(shared, 1.0)
    assert cowarray.stats()["copies"] == 0
    assert x.storage.share_count == 2  # no scope was left open


def test_the_cython_module_of_the_c_page_compiles_and_works(tmp_path):
    pytest.importorskip("Cython", reason="Cython is not installed; the build has it")
    if importlib.util.find_spec("setuptools") is None:  # an import would put its own packages on the path
        pytest.skip("setuptools is not installed; the build has it")
    [text] = fenced(ROOT / "docs" / "c-api.md", "cython")
    (tmp_path / "clipping.pyx").write_text(text)
    setup = next(block for block in fenced(ROOT / "docs" / "c-api.md", "python") if "import Extension" in block)
    (tmp_path / "setup.py").write_text(setup)
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    clipping = load(tmp_path / f"clipping{SUFFIX}")

    x = cowarray.array(np.arange(6.0))
    cowarray.reset_stats()
    assert clipping.total(x[::2]) == 6.0
    within = clipping.clipped(x, 5.0)
    assert (within.tolist(), cowarray.stats()["copies"]) == (x.tolist(), 0)
    assert clipping.clipped(x, 3.0).tolist() == [0.0, 1.0, 2.0, 3.0, 3.0, 3.0]
    assert (x.tolist(), cowarray.stats()["copies"]) == ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 1)
    for function in (clipping.total, lambda wrong: clipping.clipped(wrong, 1.0)):
        for wrong in (x.reshape(2, 3), x.astype("f4"), np.arange(3.0)):
            with pytest.raises(TypeError):
                function(wrong)
    assert within.storage is not x.storage
    del within
    assert x.storage.share_count == 1  # no scope was left open


def test_the_program_of_the_c_page_compiles_and_works(tmp_path):
    _, program = fenced(ROOT / "docs" / "c-api.md", "c")
    source = tmp_path / "program.c"
    source.write_text(program)
    include = ["-I", ROOT / "include", "-I", ROOT / "src" / "core"]
    words = [*compiler("CC", "cc", "gcc", "clang"), *WARNINGS, *include]
    run([*words, source, *files(".c", top=ROOT / "src" / "core"), "-o", tmp_path / "program"])
    result = subprocess.run([tmp_path / "program"], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "same bytes: 1\nsame bytes: 0\n")
