"""What the import of the package brings, and what comes when it is first asked for."""

import pickle

import pytest
from support.programs import run

import cowarray
from cowarray._versions import public

# What `History` and `save_async` need, and the notebook's pages: together they took a third of the time.
LATE = (
    "cowarray._versions",
    "cowarray.array_api",
    "concurrent.futures",
    "html",
    "json",
    "pathlib",
    "sqlite3",
    "socket",
)


def test_the_import_leaves_out_what_is_not_needed_yet():
    run(
        """
        import sys
        import numpy
        before = set(sys.modules)
        import cowarray
        late = tuple(sys.argv[1].split())
        assert [name for name in sys.modules if name not in before and name.startswith(late)] == []
        assert {"History", "array_api"} <= set(dir(cowarray)), "named before they are there"
        """,
        " ".join(LATE),
        prelude="",
    )


@pytest.mark.parametrize("name", [*public.__all__, "array_api"])
@pytest.mark.parametrize(
    "way",
    [
        "import cowarray; found = cowarray.{0}",
        "from cowarray import {0} as found",
        "from cowarray import *; found = {0}",
        "import cowarray; cowarray.zeros(1).__array_namespace__(); found = cowarray.{0}",
    ],
)
def test_it_is_there_by_whatever_way_it_is_first_asked_for(name, way):
    program = "import sys; exec(sys.argv[1]); print(found.__name__, getattr(found, '__module__', None))"
    expected = "cowarray.array_api None\n" if name == "array_api" else f"{name} cowarray\n"
    assert run(program, way.format(name), prelude="") == expected


@pytest.mark.parametrize("name", public.__all__)
def test_it_is_pickled_by_its_public_name(name):
    assert b"_versions" not in pickle.dumps(getattr(cowarray, name))
    assert pickle.loads(pickle.dumps(getattr(cowarray, name))) is getattr(cowarray, name)


def test_a_name_that_is_not_there_is_refused_as_ever():
    with pytest.raises(AttributeError, match="has no attribute 'Histories'"):
        cowarray.Histories  # noqa: B018
