"""Compiled functions get NumPy's arrays in place of ours, and write where they write with NumPy."""

import functools
import json
import operator
import os
import shutil
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest
from support.extensions import SOURCES, SUFFIX, build

import cowarray
from cowarray._tools import compiled
from cowarray._tools.stand_ins.values import taken_in

SCRIPT = """
    import functools, inspect, pickle
    import numpy as np
    import demanding

    x = np.arange(4.0)
    print(demanding.itself(x) is x, demanding.twice(x), isinstance(x, demanding.kind))
    demanding.clear(array=x)
    print(x, demanding.itself.__name__, demanding.twice.__doc__, repr(demanding.itself)[:9])
    print(pickle.loads(pickle.dumps(demanding.twice)) is demanding.twice)

    class Own:
        method = demanding.itself

    print(Own().method(x) is x, functools.partial(demanding.twice)(np.ones(2)))
    y = np.ones(4)
    demanding.clear(y.reshape(2, 2))
    print(y)
    z = demanding.twice(np.ones(4))
    z.reshape(2, 2)[0] = 0
    print(z, isinstance(z, np.ndarray))
    try:
        demanding.twice([1])
    except TypeError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def extension(tmp_path_factory):
    path = tmp_path_factory.mktemp("extension") / f"demanding{SUFFIX}"
    build(SOURCES / "demanding.c", path)
    return path


@pytest.mark.parametrize("own", [False, True])
def test_they_do_what_they_do_with_numpy(tmp_path, extension, own):
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))
    if own:
        shutil.copy(extension, tmp_path)
    options = {
        "cwd": tmp_path,
        "env": os.environ | {"PYTHONPATH": os.pathsep.join([str(extension.parent), os.environ.get("PYTHONPATH", "")])},
        "capture_output": True,
        "text": True,
    }
    plain = subprocess.run([sys.executable, "script.py"], **options)
    command = [sys.executable, "-m", "cowarray", "simulate", "--json", "--output", "report", "script.py"]
    ours = subprocess.run(command, **options)
    assert plain.stderr == ours.stderr == ""
    assert ours.stdout == plain.stdout
    assert len(plain.stdout.splitlines()) == 7
    found = [
        tuple(each[step]["code"].partition("(")[0] for step in ("made", "written", "accessed"))
        for each in json.loads((tmp_path / "report").read_text())["divergences"]
    ]
    assert ("demanding.clear", "demanding.clear", "print") in found
    assert (("z.reshape", "z.reshape", "print") in found) is own  # others' results are NumPy's


SOLVING = """
    import numpy as np
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import SuperLU, spsolve, splu

    matrix, right = csc_matrix(np.array([[2.0, 0, 1], [0, 3, 0], [1, 0, 4]])), np.array([1.0, 2, 3])
    factors = splu(matrix)
    print(spsolve(matrix, right), factors.solve(right), factors.shape, isinstance(factors, SuperLU), repr(factors)[:8])
"""


@pytest.mark.parametrize("options", [[], ["--include", "scipy"]])
def test_factors_of_a_sparse_matrix_take_our_arrays(tmp_path, options):
    pytest.importorskip("scipy")
    (tmp_path / "script.py").write_text(textwrap.dedent(SOLVING))
    run = {"cwd": tmp_path, "capture_output": True, "text": True}
    plain = subprocess.run([sys.executable, "script.py"], **run)
    ours = subprocess.run([sys.executable, "-m", "cowarray", "simulate", *options, "script.py"], **run)
    assert (ours.stdout, ours.returncode) == (plain.stdout, 0)
    assert "SuperLU" not in ours.stderr


class fortran:  # f2py's functions have this name for their type, and no module
    def __getattribute__(self, name):
        if name == "__module__":
            raise AttributeError(name)
        return super().__getattribute__(name)


@pytest.mark.parametrize("name", ["sqrt", "mean", "atleast_1d", "asarray"])
def test_what_compiled_code_has_of_ours_gives_it_numpys_arrays(name):
    module = types.ModuleType("demanding")
    setattr(module, name, getattr(cowarray, name))
    module.ndarray, module.nameless = cowarray.ndarray, fortran()
    compiled._adapt(module, taken_in)
    assert type(getattr(module, name)(np.ones((2, 2)), *((0,) if name == "mean" else ()))) is np.ndarray
    assert module.ndarray is cowarray.ndarray
    untouched = types.ModuleType("others")
    untouched.sqrt = cowarray.sqrt
    compiled._adapt(untouched, None)
    assert untouched.sqrt is cowarray.sqrt


def test_a_compiled_function_gets_another_one_itself():
    """As torch adds docstrings to its own."""
    assert compiled._Adapted(id, None)(compiled._Adapted(len, None)) == id(len)


def test_compiled_functions_give_each_other_numpys_arrays():
    """As shapely's: one checks `out`, and the other fills what it gives."""
    checked = compiled._Adapted(operator.itemgetter(0), taken_in)
    call = compiled._Adapted(operator.call, None)
    out = np.ones(2)
    assert type(checked([out])) is cowarray.ndarray
    assert call(functools.partial(checked, [out])) is out


def test_a_tree_of_shapely_is_made_from_numpys_arrays():
    class STRtree:
        def __init__(self, geometries):
            assert type(geometries) is np.ndarray
            self.geometries = geometries

    module = types.ModuleType("lib")
    module.STRtree = STRtree
    compiled._adapt(module, taken_in)
    tree = module.STRtree(cowarray.ones(2))
    assert isinstance(tree, STRtree)
    assert type(tree.geometries) is cowarray.ndarray


def test_a_compiled_module_may_be_named_as_such_by_its_functions():
    """As psutil's: their `__module__` is the module."""
    module = types.ModuleType("planted")
    function = type("cython_function_or_method", (), {"__module__": module})()
    module.function = function
    compiled._adapt(module, None)
    assert type(module.function) is compiled._Adapted
