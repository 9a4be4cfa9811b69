"""The house stands: what a file uses lies below it.

Of the C core, a file calls what is defined in it or in a file before it. Of the package, a module imports, cimports and
includes only what is in a room below, or in its own room if no circle comes of it. So each can be read with those
before it in mind, and nothing can come in from above unseen.
"""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent
while not (ROOT / "pyproject.toml").exists():
    ROOT = ROOT.parent
CORE = ROOT / "src" / "core"
PACKAGE = ROOT / "src" / "cowarray"

# ---- the core --------------------------------------------------------------------------------------------------------

# Lowest first. Files of one line know nothing of each other.
FILES = [
    ["assertions"],
    ["yield", "status", "stats"],
    ["account"],
    ["large", "base", "dirty", "slots", "prices", "ledger", "boxes"],
    ["windows", "maps"],
    ["policy"],
    ["commits"],
    ["pages", "foretold"],
    ["memory", "gate", "nowhere"],
    ["context"],
    ["storage"],
    ["materialize"],
    ["rest"],
    ["scope", "absence"],
    ["clone", "by_page"],
]

NAMES = r"\b(cowi?_[a-z_0-9]+)"
# A function's definition begins at the margin and is no declaration.
DEFINITION = re.compile(rf"^(?!static|typedef|struct|#)\S[^;={{}}]*?{NAMES}\([^;{{}}]*\)\n\{{", re.MULTILINE)
CALL = re.compile(rf"{NAMES}(?!_t\b)")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def climbing_calls(sources):
    """(file, name, file) where a file names a function of a file that is not below it."""
    level = {name: i for i, names in enumerate(FILES) for name in names}
    home = {found: name for name, text in sources.items() for found in DEFINITION.findall(text)}
    assert len(home) > 50, "the functions were not found"
    return [
        (name, called, home[called])
        for name, text in sources.items()
        for called in sorted(set(CALL.findall(text)))
        if called in home and home[called] != name and level[home[called]] >= level[name]
    ]


@pytest.fixture
def sources():
    found = {path.stem: without_comments(path.read_text()) for path in CORE.glob("*.c")}
    assert set(found) == {name for names in FILES for name in names}
    return found


def test_no_file_of_the_core_names_what_stands_on_it(sources):
    assert climbing_calls(sources) == []


@pytest.mark.parametrize(
    ("file", "call"), [("storage", "cow_const_begin"), ("gate", "cow_storage_free"), ("scope", "cow_lazy_clone")]
)
def test_a_name_from_above_is_found(sources, file, call):
    sources[file] += f"\nstatic void planted(void)\n{{\n    (void){call};\n}}\n"
    assert (file, call) in [found[:2] for found in climbing_calls(sources)]


def test_the_core_includes_its_own_headers_and_the_public_one():
    included = {name for path in CORE.glob("*.[ch]") for name in INCLUDE.findall(path.read_text())}
    assert "cowarray/core.h" in included
    assert {name for name in included if not (CORE / name).exists()} == {"cowarray/core.h"}


# ---- the package -----------------------------------------------------------------------------------------------------

# Lowest first. Rooms of one line know nothing of each other. What is no room is a module.
ROOMS = [
    ["_c"],
    ["_native"],
    ["_array"],
    ["_ops"],
    ["_face"],
    ["_chapters", "_files"],
    ["linalg", "fft", "lib", "random"],
    ["array_api"],
    ["_modes", "_modes.common"],
    ["_modes.copies", "_modes.simulate", "_modes.layouts"],
    ["_modes.fake.refusals"],
    ["_modes.fake.fakes"],
    ["_modes.fake.calls"],
    ["_modes.fake.rules"],
    ["_modes.fake"],
    ["_modes.record"],
    ["_modes.deferred", "_modes.budget"],
    ["_tools"],
    [""],  # the package itself, which gathers the public names
    ["_tools.demo", "_tools.stand_ins"],
    ["_tools.compiled"],
    ["_tools.programs"],
    ["_tools.reporting"],
    ["_tools.simulation", "_tools.planned_files"],
    ["_tools.planning"],
    ["__main__"],
]
# `random` imports its room when it is first used, and is itself imported from there.
FROM = re.compile(r"^\s*from\s+cowarray([\w.]*)\s+c?import\s+(\([^)]*\)|[^\n#]+)", re.MULTILINE)
PLAIN = re.compile(r"^\s*c?import\s+cowarray([\w.]*)", re.MULTILINE)
TEXT = re.compile(r"^\s*include\s", re.MULTILINE)


def modules():
    """The modules of the package by name, and the text of all the files that make up each."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.p[yx]*")):
        if path.suffix in (".py", ".pyx", ".pxd"):
            name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
            name = name.removesuffix("__init__").removesuffix(".")
            found[name] = found.get(name, "") + "\n" + path.read_text()
    return found


def code(text):
    """Text without its strings of several lines, whose examples import the package."""
    return re.sub(r'("""|\'\'\').*?\1', "", text, flags=re.DOTALL)


def uses(text, known):
    """The modules of the package that a text names in its imports and cimports."""
    text = code(text)
    found = {name.lstrip(".") for name in PLAIN.findall(text)}
    for name, imported in FROM.findall(text):
        name = name.lstrip(".")
        names = [each.split(" as ")[0].strip() for each in imported.strip("()").replace("\n", " ").split(",")]
        inside = {f"{name}.{each}".lstrip(".") for each in names if f"{name}.{each}".lstrip(".") in known}
        found |= inside
        if len(inside) < len([each for each in names if each]):
            found.add(name)
    return found


def room(name):
    """The line of ROOMS that a module stands in, and its room there."""
    found = [
        (len(each), level, each)
        for level, rooms in enumerate(ROOMS)
        for each in rooms
        if name == each or (each and name.startswith(each + "."))
    ]
    assert found, f"{name!r} has no room"
    return max(found)[1:]


def climbing_imports(found):
    """(module, module) where the second is not below the first, or in its room; circles within a room."""
    edges = {name: uses(text, found) - {name} for name, text in found.items()}
    assert sum(map(len, edges.values())) > 150, "the imports were not found"
    wrong = []
    for name, used in edges.items():
        level, own = room(name)
        for other in sorted(used):
            there, its = room(other)
            # A package gathers what its modules offer; they do not import it.
            if there > level or (there == level and its != own):
                wrong.append((name, other))
    inner = {
        name: {other for other in used if room(other) == room(name) and other != room(name)[1]}
        for name, used in edges.items()
    }
    try:
        list(TopologicalSorter(inner).static_order())
    except CycleError as error:
        wrong.append(tuple(error.args[1]))
    return wrong


def test_no_module_imports_what_stands_on_it():
    found = modules()
    assert len(found) > 45
    assert climbing_imports(found) == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("_native.storage", "from cowarray._modes import copies"),
        ("_array.array", "from cowarray._ops.road cimport call"),
        ("_array.copies", "from cowarray._array.imports cimport copy_foreign"),  # a circle: imports use copies
        ("_ops.road", "    from cowarray._ops.protocols import array_ufunc"),
        ("_chapters.sorting", "import cowarray"),
        ("_files.npy", "from cowarray._chapters import sorting"),
        ("_face.ndarray", "from cowarray import linalg"),
        ("_modes.common.handing", "from cowarray._modes.simulate import simulated"),
        ("_modes.copies.lending", "from cowarray._modes.layouts import dtypes"),
        ("_modes.simulate.watching", "from cowarray._modes.fake.fakes cimport Origin"),
        ("_modes.layouts.dtypes", "from cowarray._modes.fake.refusals import FakeError"),
        ("_modes.fake.fakes", "from cowarray._modes.fake.calls import Call"),
        ("_modes.fake.calls", "    from cowarray._modes.fake.rules import rules"),
        ("_modes.fake.rules.rules", "from cowarray._modes.fake.faking import follow"),
        ("_modes.fake.passing", "from cowarray._modes.record.nodes cimport Node"),
        ("_modes.record.nodes", "from cowarray._modes.deferred.recipes cimport Recipe"),
        ("_modes.deferred.recording", "from cowarray._modes.budget import runs"),
        ("_modes.budget.budgeting", "    from cowarray._modes.deferred import recording"),
    ],
)
def test_an_import_from_above_is_found(module, line):
    found = modules()
    found[module] += f"\n{line}\n"
    assert any(module in edge for edge in climbing_imports(found))


def late_imports(tree, within=None):
    """(line, whether the lock of late imports is held) of each import of the package's inside a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)) and within is not None:
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else [node.module]
            if any(name.partition(".")[0] == "cowarray" for name in names):
                yield node.lineno, within
        inner = within
        if isinstance(node, ast.FunctionDef):
            inner = bool(within)
        elif isinstance(node, ast.With) and ast.unparse(node.items[0]).endswith("importing"):
            inner = True
        yield from late_imports(node, inner)


# They break circles of modules that are imported together.
TOGETHER = {"array_api/__init__.py", "_modes/fake/rules/values.py", "_modes/fake/rules/methods.py"}


def test_late_imports_hold_the_lock_that_a_fork_waits_for():
    found = {
        (str(path.relative_to(PACKAGE)), line): locked
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, locked in late_imports(ast.parse(path.read_text()))
    }
    assert sum(found.values()) > 10
    without = {name for (name, _), locked in found.items() if not locked and not name.startswith("_tools/")}
    assert without <= TOGETHER | {"__main__.py"}, without


def test_layouts_import_nothing_else_of_the_package():
    found = modules()
    edges = {name: uses(text, found) for name, text in found.items() if room(name)[1] == "_modes.layouts"}
    assert len(edges) > 5
    assert {room(other)[1] for used in edges.values() for other in used} == {"_modes.layouts"}


def test_what_is_recorded_knows_no_mode_that_records():
    texts = {path.name: path.read_text().lower() for path in (PACKAGE / "_modes" / "record").glob("*.p[yx]*")}
    assert len(texts) > 5
    assert [name for name, text in texts.items() if "budget" in text or "deferred" in text] == []


def test_no_text_is_included():
    assert [path.name for path in PACKAGE.rglob("*.px*") if TEXT.search(path.read_text())] == []
    assert [path.name for path in PACKAGE.rglob("*.pyx") if TEXT.search(code(path.read_text()))] == []


def test_all_foreign_declarations_are_in_one_room():
    """`cdef extern` stands in `_c` and nowhere else."""
    paths = [*PACKAGE.rglob("*.px*"), *PACKAGE.rglob("*.pyx")]
    assert {path.relative_to(PACKAGE).parts[0] for path in paths if "cdef extern" in path.read_text()} == {"_c"}


def test_every_module_parses_as_what_it_is():
    """The patterns above read Python files as Python does."""
    known = modules()
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")
        exact = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "cowarray":
                base = node.module.removeprefix("cowarray").lstrip(".")
                for alias in node.names:
                    inner = f"{base}.{alias.name}".lstrip(".")
                    exact.add(inner if inner in known else base)
            elif isinstance(node, ast.Import):
                exact |= {
                    each.name.removeprefix("cowarray").lstrip(".")
                    for each in node.names
                    if each.name.partition(".")[0] == "cowarray"
                }
        assert exact == uses(path.read_text(), known), name
