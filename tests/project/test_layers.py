"""The house stands: what a file uses lies below it.

Of the C core, a file calls what is defined in it or in a file before it. Of the package, a module imports, cimports and
includes only what is in a room below, or in its own room if no circle comes of it. An import counts wherever it stands:
in a function, for type checkers alone, relative, or as a string. What a lower room is handed by a higher one instead,
`test_handed.py` lists. So each file can be read with those before it in mind, and nothing comes in from above unseen.
"""

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

import pytest
from support.sources import PACKAGE, ROOT, TOKEN, files, modules, statements

CORE = ROOT / "src" / "core"

# ---- the core --------------------------------------------------------------------------------------------------------

# Lowest first. Files of one line know nothing of each other.
FILES = [
    ["assertions"],
    ["yield", "status", "stats"],
    ["mode"],
    ["lender"],
    ["account"],
    ["large", "base", "dirty", "slots", "prices", "family", "boxes"],
    ["windows"],
    ["maps"],
    ["policy", "aside"],
    ["commits", "differences", "pasts"],
    ["pages", "foretold"],
    ["memory", "gate", "nowhere"],
    ["context"],
    ["storage"],
    ["recall"],
    ["materialize"],
    ["rest"],
    ["scope", "absence"],
    ["clone", "by_page"],
    ["ground", "travel"],
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
    found = {path.stem: without_comments(path.read_text()) for path in CORE.rglob("*.c")}
    assert set(found) == {name for names in FILES for name in names}
    return found


def test_no_file_of_the_core_names_what_stands_on_it(sources):
    assert climbing_calls(sources) == []


def test_a_name_from_above_is_found_in_each_file(sources):
    level = {name: i for i, names in enumerate(FILES) for name in names}
    homes = {home: name for home, text in sources.items() for name in DEFINITION.findall(text)}
    above = {
        (file, homes[home], home) for file in level for home in homes if home != file and level[home] >= level[file]
    }
    for file, call, _ in above:
        sources[file] += f"\nstatic void planted(void)\n{{\n    (void){call};\n}}\n"
    assert set(climbing_calls(sources)) == above


def climbing_includes(texts):
    """(file, header) where a file of the core, or its header, includes the header of a file that is not below it."""
    level = {name: i for i, names in enumerate(FILES) for name in names}
    return {
        (name, header)
        for name, text in texts.items()
        for header in INCLUDE.findall(without_comments(text))
        if header.removesuffix(".h") in level.keys() - {name[:-2]} and level[header[:-2]] >= level.get(name[:-2], 99)
    }


@pytest.fixture
def texts():
    return {path.name: path.read_text() for path in CORE.glob("*.[ch]")}


def test_no_file_of_the_core_includes_the_header_of_what_stands_on_it(texts):
    assert climbing_includes(texts) == set()


def test_a_header_from_above_is_found_in_each_file(texts):
    level = {name: i for i, names in enumerate(FILES) for name in names}
    above = {
        (name, header)
        for name in texts
        for header in texts
        if header[-1] == "h" and name[:-2] != header[:-2] and level.get(header[:-2], -1) >= level.get(name[:-2], 99)
    }
    assert len(above) > 200
    for name, header in above:
        texts[name] = f'#include "{header}"\n{texts[name]}'
    assert climbing_includes(texts) == above


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
    ["_modes.copies", "_modes.aliasing", "_modes.layouts"],
    ["_modes.simulate"],
    ["_modes.fake.guards"],
    ["_modes.fake.unwritten"],
    ["_modes.fake.assumptions"],
    ["_modes.fake.refusals"],
    ["_modes.fake.fakes"],
    ["_modes.fake.calls"],
    ["_modes.fake.rules"],
    ["_modes.fake"],
    ["_modes.record"],
    ["_modes.deferred", "_modes.budget"],
    ["_versions", "_processes"],
    ["_tools.frameless"],
    ["_tools"],
    [""],  # the package itself, which gathers the public names
    ["_tools.demo", "_tools.stand_ins"],
    ["_tools.compiled"],
    ["_tools.programs"],
    ["_tools.reporting"],
    ["_tools.simulation", "_tools.running", "_tools.planned_files"],
    ["_tools.planning"],
    ["__main__"],
]


def imports_by_tokens(text):
    """(module, names) of each import and cimport; a relative module has its dots."""
    for _, tokens in statements(text):
        at = next((i for i, token in enumerate(tokens) if token in ("import", "cimport")), None)
        if at is not None and tokens[0] in ("from", "import", "cimport"):
            names = [
                name for before, name in pairwise(tokens[at:]) if before in (tokens[at], ",", "(") and name not in "()"
            ]
            yield from [("".join(tokens[1:at]), names)] if at else [(name, []) for name in names]


def imports_by_ast(text):
    """The same of a Python file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), [each.name for each in node.names]
        elif isinstance(node, ast.Import):
            yield from [(each.name, []) for each in node.names]


def imports_by_strings(text):
    """The same of the strings that name a module of the package, or that a function imports by."""
    before = ["", ""]
    for match in TOKEN.finditer(text):
        if match["string"]:
            name = match["text"].partition("{")[0].rstrip(".")  # the rest is computed
            called = before[1] == "(" and before[0].rpartition(".")[2] in ("import_module", "__import__")
            shown = before[1] == "=" and before[0].endswith("__module__")
            if called or (name.startswith("cowarray.") and not shown):
                yield name, []
        if match["token"] != "\n":
            before = [before[1], match["token"]] if match["token"] else before


def uses(module, suffix, text, known):
    """The modules of the package that a file of a module names in its imports and cimports."""
    found = set()
    read = imports_by_ast if suffix == ".py" else imports_by_tokens
    for base, names in [*read(text), *imports_by_strings(text)]:
        if base.startswith("."):
            above = ["cowarray", *filter(None, module.split("."))]
            is_package = not module or any(each.startswith(f"{module}.") for each in known)
            rest = base.lstrip(".")
            base = ".".join([*above[: len(above) - (len(base) - len(rest)) + is_package], rest]).rstrip(".")
        if base.partition(".")[0] == "cowarray":
            base = base.removeprefix("cowarray").lstrip(".")
            inside = {f"{base}.{each}".lstrip(".") for each in names} & known.keys()
            found |= inside if names and len(inside) == len(names) else inside | ({base} & known.keys())
    return found - {module}


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


@cache
def edges():
    """What each module uses."""
    known = modules()
    return {
        name: set().union(*(uses(name, suffix, text, known) for suffix, text in files.items()))
        for name, files in known.items()
    }


def climbing_imports(edges):
    """(module, module) where the second is not below the first, or in its room; circles within a room."""
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
    assert sum(map(len, edges().values())) > 500, "the imports were not found"
    assert climbing_imports(edges()) == []


@pytest.mark.sampled
def test_an_import_from_above_is_found_between_each_two_modules():
    level = {name: room(name) for name in edges()}
    above = {
        (name, other)
        for name, (at, own) in level.items()
        for other, (there, its) in level.items()
        if there > at or (there == at and its != own)
    }
    planted = {name: used | {other for one, other in above if one == name} for name, used in edges().items()}
    assert set(climbing_imports(planted)) == above


def test_a_circle_within_a_room_is_found():
    planted = edges()["_array.copies"] | {"_array.imports"}  # which use copies
    [circle] = climbing_imports(edges() | {"_array.copies": planted})
    assert {"_array.copies", "_array.imports"} <= set(circle)


FORMS = {
    ".py": """
        import {path}
        import json, {path} as above
        from {package} import {name}
        from {package} import (|    {name} as above,  # for a reason|)
        from {path} import *
        from {dots}{rest} import {name}
        def function():|    from {package} import {name}
        if TYPE_CHECKING:|    from {package} import {name}
        importlib.import_module("{path}")
        import_module(|    '{dots}{inner}', __package__)
        __import__("{path}")
        import_module(f"{path}.{{name}}")
        above = sys.modules["{path}"]
    """,
    ".pyx": """
        cimport {path}
        from {package} cimport {name}
        from {package} cimport (|    other,|    {name},  # for a reason|)
        from {package} \\|    cimport {name}
        from {dots}{rest} cimport {name}
        cdef int function() except -1:|    from {path} import something
        cdef void *function(): from {path} import something; return NULL
    """,
}
FORMS = [(suffix, line.strip()) for suffix, lines in FORMS.items() for line in lines.strip().splitlines()]


@pytest.mark.sampled
@pytest.mark.parametrize(("suffix", "form"), [*FORMS, *((".pyx", form) for suffix, form in FORMS if suffix == ".py")])
def test_each_form_of_import_is_found_in_each_module(suffix, form):
    """Each module imports one of the next line of ROOMS."""
    missed = []
    for module in edges():
        above = next((each for each in edges() if each and room(each)[0] > room(module)[0]), None)
        if above is None:
            continue
        path = f"cowarray.{above}"
        package, _, name = path.rpartition(".")
        inside = any(each.startswith(f"{module}.") for each in edges())
        dots = "." * (len(list(filter(None, module.split(".")))) + (inside or not module))
        rest = package.removeprefix("cowarray").lstrip(".")
        line = form.format(path=path, package=package, name=name, dots=dots, rest=rest, inner=above).replace("|", "\n")
        if above not in uses(module, suffix, line, edges()):
            missed.append((module, line))
    assert missed == []


def of_cython(*begin):
    """The modules in whose Cython files a statement begins so."""
    texts = [(name, text) for name, files in modules().items() for suffix, text in files.items() if suffix != ".py"]
    return {name for name, text in texts for _, tokens in statements(text) if tokens[: len(begin)] == [*begin]}


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
    used = [each for name, used in edges().items() if room(name)[1] == "_modes.layouts" for each in used]
    assert {room(each)[1] for each in used} == {"_modes.layouts"}


def test_what_is_recorded_knows_no_mode_that_records():
    texts = {path.name: path.read_text().lower() for path in (PACKAGE / "_modes" / "record").glob("*.p[yx]*")}
    assert len(texts) > 5
    assert [name for name, text in texts.items() if "budget" in text or "deferred" in text] == []


def test_no_text_is_included():
    assert of_cython("include") == set()
    assert [*PACKAGE.rglob("*.pxi")] == []


def test_all_foreign_declarations_are_in_one_room():
    """`cdef extern` stands in `_c` and nowhere else."""
    assert {room(name)[1] for name in of_cython("cdef", "extern")} == {"_c"}


def several_owners(texts):
    """Headers with state of a thread's that more than one extension includes: each would have its own, unseen."""
    with_state = {name for name, text in texts.items() if "_Thread_local" in without_comments(text)}
    users = {name: [each for each, used in edges().items() if name in used] for name in with_state}
    return {name for name, using in users.items() if name.endswith(".h") or len(using) != 1}


def headers():
    """C's, by their names, and the declarations of foreign C, which may have C of their own, by their modules."""
    found = {path.name: path.read_text() for path in files(".h", top=ROOT / "src") + files(".h", top=ROOT / "include")}
    return found | {name: texts[".pxd"] for name, texts in modules().items() if name.startswith("_c.")}


def test_state_of_a_thread_is_in_no_header():
    assert several_owners(headers()) == set()


def test_state_of_a_thread_is_found_in_each_header():
    planted = {name: f"{text}\nstatic _Thread_local int planted;\n" for name, text in headers().items()}
    assert len(planted) > 30
    alone = {name for name in planted if len([1 for used in edges().values() if name in used]) == 1}
    assert several_owners(planted) == planted.keys() - alone


def test_imports_by_tokens_are_those_by_ast():
    """What reads Cython files reads Python files as Python does."""
    texts = [files[".py"] for files in modules().values() if ".py" in files]
    assert len(texts) > 100
    for text in texts:
        assert sorted(imports_by_tokens(text)) == sorted(imports_by_ast(text))
