"""What the import of the package brings, and what comes when it is first asked for."""

import importlib
import pickle
import types
from pathlib import Path

import pytest
from support.programs import run

import cowarray

LATE = sorted({*cowarray._LATER, *cowarray._MODULES})
CHAPTERS = {chapter: names.split() for chapter, names in cowarray._CHAPTERS.items()}
OF_CHAPTERS = {name for names in CHAPTERS.values() for name in names}
OTHERS = [name for name in LATE if name not in OF_CHAPTERS]

NO_CHAPTERS = {
    *(
        "__init__",
        "absent",
        "cloning",
        "declared",
        "docstrings",
        "gathered",
        "generators",
        "inspection",
        "legacy_random",
    )
}

# Of what comes later: it took more than half of the time.
NOT_YET = (
    *(f"cowarray.{name}" for name in ("_files", "_modes", "_processes", "_tools", "_versions", *cowarray._MODULES)),
    *(f"cowarray._chapters.{name}" for name in CHAPTERS),
    *("concurrent.futures", "dataclasses", "html", "json", "numpy.strings", "numpy.typing", "pathlib"),
    *("sqlite3", "socket"),
)

# Runs a function for each of the words given, each time in a child in which nothing was asked for yet.
IN_CHILDREN = """
import faulthandler, importlib, os, sys, threading
import cowarray

def each(function):
    for word in sys.argv[1].split():
        child = os.fork()
        if not child:
            faulthandler.dump_traceback_later(60, exit=True)
            function(word)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0, word
"""


def test_the_import_leaves_out_what_is_not_needed_yet():
    run(
        """
        import sys
        import numpy
        before = set(sys.modules)
        import cowarray
        late = tuple(sys.argv[1].split())
        assert [name for name in sys.modules if name not in before and name.startswith(late)] == []
        assert {"History", "array_api", "fake", "linalg"} <= set(dir(cowarray)), "named before they are there"
        """,
        " ".join(NOT_YET),
        prelude="",
    )


def test_the_import_does_no_more_than_it_did():
    """In bytecodes, which every machine counts alike: 290,000; they were 660,000 when it brought the chapters."""
    counted = run(
        """
        import inspect, sys  # as NumPy does from 2.4 on
        import numpy

        def count(frame, event, argument):
            global counted
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            counted += event == "opcode"
            return count

        counted = 0
        sys.settrace(count)
        import cowarray
        sys.settrace(None)
        print(counted)
        """,
        prelude="",
    )
    assert 100_000 < int(counted) < 400_000


def test_all_that_is_public_is_there_at_once_or_later():
    assert {*cowarray._LATER, *cowarray._MODULES} <= {*cowarray.__all__}
    assert {*cowarray.__all__} <= {*dir(cowarray)}


def test_the_names_of_each_chapter_are_those_that_it_lists():
    for chapter, names in CHAPTERS.items():
        assert sorted(importlib.import_module(f"cowarray._chapters.{chapter}").__all__) == sorted(names), chapter
    files = {path.stem for path in Path(cowarray.__file__).parent.joinpath("_chapters").glob("*.py")}
    assert files - {*CHAPTERS} == NO_CHAPTERS
    gathered = importlib.import_module("cowarray._chapters.gathered")
    assert sorted(gathered.__all__) == sorted(OF_CHAPTERS)


def test_each_name_is_there_when_it_is_first_asked_for():
    run(
        """
        def ask(name):
            found = getattr(cowarray, name)
            assert vars(cowarray)[name] is found
            if name not in cowarray._MODULES:
                assert (found.__module__, found.__qualname__) == ("cowarray", name)

        each(ask)
        """,
        " ".join(OTHERS),
        prelude=IN_CHILDREN,
    )


def test_each_name_of_a_chapter_is_there_when_it_is_first_asked_for():
    run(
        """
        def ask(chapter):
            for name in cowarray._CHAPTERS[chapter].split():
                found = getattr(cowarray, name)
                assert vars(cowarray)[name] is found
                assert found is vars(sys.modules[f"cowarray._chapters.{chapter}"])[name]

        each(ask)
        """,
        " ".join(CHAPTERS),
        prelude=IN_CHILDREN,
    )


def test_a_method_has_its_whole_docstring_with_the_chapter_that_it_refers_to():
    run(
        """
        import cowarray
        before = cowarray.ndarray.sum.__doc__
        assert "Refer to `cowarray.sum` " in before and "Parameters" not in before
        assert cowarray.sum(cowarray.ones(3)) == 3
        assert "Parameters" in cowarray.ndarray.sum.__doc__ and "Refer" not in cowarray.ndarray.sum.__doc__
        """,
        prelude="",
    )


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["History", "array_api", "fake", "linalg", "sin", "zeros"])
@pytest.mark.parametrize(
    "way",
    [
        "import cowarray; found = cowarray.{0}",
        "from cowarray import {0} as found",
        "from cowarray import *; found = {0}",
        "import cowarray; cowarray.zeros(1).__array_namespace__(); found = cowarray.{0}",
        "import cowarray; cowarray.zeros(1).evict; found = cowarray.{0}",
    ],
)
def test_by_whatever_way_it_is_first_asked_for(name, way):
    program = (
        "import sys; exec(sys.argv[1]); print(found.__name__, found is getattr(sys.modules['cowarray'], sys.argv[2]))"
    )
    expected = f"cowarray.{name} True\n" if name in cowarray._MODULES else f"{name} True\n"
    assert run(program, way.format(name), name, prelude="") == expected


@pytest.mark.parametrize("use", ["x._repr_html_()", "x.checkpoint()", "x.is_checkpointed()", "x.__array_namespace__()"])
def test_methods_bring_what_they_need(use):
    run("import sys, cowarray; x = cowarray.zeros(3); eval(sys.argv[1])", use, prelude="")


def test_no_module_asks_for_the_lock_while_it_is_imported():
    """Who imports it without the lock has Python's own of the module, which who has the lock may be waiting for."""
    run(
        """
        def import_it(module):
            def hold():
                with importing:
                    held.set()
                    threading.Event().wait()

            from cowarray._native.fork_locks import importing
            held = threading.Event()
            threading.Thread(target=hold, daemon=True).start()
            held.wait()
            importlib.import_module(f"cowarray.{module}")

        each(import_it)
        """,
        " ".join(sorted({*cowarray._LATER.values(), *cowarray._MODULES, "_tools.notebook"})),
        prelude=IN_CHILDREN,
    )


@pytest.mark.parametrize("name", OTHERS)
def test_it_is_pickled_by_its_public_name(name):
    found = getattr(cowarray, name)
    if not isinstance(found, types.ModuleType):
        assert b"cowarray._" not in pickle.dumps(found) or cowarray._LATER[name].endswith(".raw")
        assert pickle.loads(pickle.dumps(found)) is found


def test_a_name_that_is_not_there_is_refused_as_ever():
    with pytest.raises(AttributeError, match="has no attribute 'Histories'"):
        cowarray.Histories  # noqa: B018
