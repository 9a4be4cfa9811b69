"""`cowarray.add.reduce`, `cowarray.add.at` and the others are NumPy's, and give this library's arrays."""

import ast
import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from support.cases import by_rule
from support.numpy_versions import happens
from support.oracle import same
from support.public import UFUNCS, ufunc_methods

import cowarray
from cowarray import _chapters

pytestmark = pytest.mark.numpy_ends

NAMES = sorted(name for name in cowarray.__all__ if isinstance(getattr(np, name, None), np.ufunc))
FIGURES = ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature")
METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")


def test_all_of_numpys_ufuncs_are_here():
    assert set(NAMES) == {name for name, value in vars(np).items() if isinstance(value, np.ufunc)}


@pytest.mark.parametrize("name", NAMES)
def test_a_function_has_what_a_ufunc_has(name):
    ours, theirs = getattr(cowarray, name), getattr(np, name)
    for figure in FIGURES:
        assert getattr(ours, figure) == getattr(theirs, figure)
    public = {each for each in dir(np.ufunc) if not each.startswith("_")}
    assert public <= set(dir(ours))
    assert inspect.isfunction(inspect.unwrap(ours))
    assert inspect.getdoc(ours)


def test_parameters_are_numpys():
    for name in ("accumulate", "reduceat") if not happens("functions in C tell no signature") else ():
        ours = inspect.signature(getattr(cowarray.add, name)).parameters
        theirs = inspect.signature(getattr(np.add, name)).parameters
        assert list(ours) == list(theirs)
    shown = list(inspect.signature(cowarray.add.reduce).parameters)
    assert shown == ["array", "axis", "dtype", "out", "keepdims", "initial", "where"]
    assert list(inspect.signature(cowarray.add.outer).parameters) == ["A", "B", "out", "kwargs"]


def results(space, call, make):
    """What a call gives, or raises; and its first argument afterwards."""
    x = make([[3.0, 1.0, 4.0, 1.0], [5.0, 9.0, 2.0, 6.0], [5.0, 3.0, 5.0, 8.0], [9.0, 7.0, 9.0, 3.0]])
    try:
        with np.errstate(all="ignore"):
            given = eval(call, {"np": space, "x": x, "A": make, "like": np.zeros_like})
    except Exception as error:
        given = type(error)
    return given, x


CALLS = [
    (name, case.source)
    for name in NAMES
    for case in by_rule.of_ufunc(name, UFUNCS[getattr(np, name).__name__])
    if case.name.rpartition(".")[2] in METHODS
]


@pytest.mark.parametrize(("name", "call"), CALLS, ids=[call for _, call in CALLS])
def test_results_are_numpys(name, call):
    ours, x = results(cowarray, call, cowarray.array)
    theirs, n = results(np, call, np.array)
    same(x, n)
    same(ours, theirs)


def test_enough_is_called():
    assert len(CALLS) > 150
    assert {name for name, _ in CALLS} >= {"add", "maximum", "logical_or", "bitwise_and", "pow"}


OPTIONS = [
    "add.reduce(x)",
    "add.reduce(x, 1)",
    "add.reduce(x, None)",
    "add.reduce(x, axis=(0, 1), keepdims=True)",
    "add.reduce(x, 0, 'f4', None, True, 10., A([True, False, True, True])[:, None])",
    "add.reduce(x, initial=None)",
    "maximum.reduce(x, initial=7.)",
    "maximum.reduce(x[:0])",
    "add.reduce(x, axis=5)",
    "add.reduce(x, 0, None, A([0., 0., 0., 0.]))",
    "add.accumulate(x, 1, 'f4')",
    "add.reduceat(x, [0, 2], 1)",
    "add.reduceat(x, indices=[0, 2], axis=1)",
    "add.reduceat(x, [0, 9])",
    "multiply.outer(x[0], A([1., 2.]))",
    "multiply.outer(x[0], 2, dtype='f4')",
    "multiply.outer(2, 3)",
    "multiply.outer(A([1., 2.]), [1, 2], out=A([[0., 0.], [0., 0.]]))",
    "matmul.reduce(x)",
    "matmul.at(x, 0, 1)",
    "sin.reduce(x)",
    "divmod.outer(x[0], x[1])",
    "negative.at(x, [0, 0])",
    "add.at(x, (0, [1, 1]), [2, 3])",
    "add.at(x, [0, 9], 1)",
    "add.at(x, 0)",
    "add.at([1, 2], 0, 1)",
    "add.reduce([1, 2])",
    "add.reduce([])",
    "add.resolve_dtypes((np.dtype('f4'), np.dtype('i2'), None))",
]


@pytest.mark.parametrize("call", OPTIONS)
def test_options_and_errors_are_numpys(call):
    ours, x = results(cowarray, f"np.{call}", cowarray.array)
    theirs, n = results(np, f"np.{call}", np.array)
    same(x, n)
    same(ours, theirs)


def test_out_is_written_and_returned_and_no_copy_of_it_changes():
    x, out = cowarray.array([[1.0, 2.0], [3.0, 4.0]]), cowarray.array([0.0, 0.0])
    kept = out.copy()
    assert cowarray.add.reduce(x, out=out) is out
    assert cowarray.add.reduce(x, out=(out,)) is out
    assert (out.tolist(), kept.tolist()) == ([4.0, 6.0], [0.0, 0.0])


def test_at_writes_the_array_and_no_copy_of_it():
    x = cowarray.array([1.0, 2.0])
    kept, view = x.copy(), x[:1]
    assert cowarray.add.at(x, [0, 0], 1) is None
    assert (x.tolist(), view.tolist(), kept.tolist()) == ([3.0, 2.0], [3.0], [1.0, 2.0])
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        cowarray.add.at(x, 0, 1)


def test_numpys_arrays_are_read_where_they_lie_and_written_by_at():
    n = np.array([1.0, 2.0])
    assert type(cowarray.add.accumulate(n)) is cowarray.ndarray
    cowarray.add.at(n, 0, 5)
    assert n.tolist() == [6.0, 2.0]


def test_another_type_with_rules_of_its_own_is_asked():
    class Asked:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc, method, kwargs

    assert cowarray.add.reduce(Asked(), axis=1) == (np.add, "reduce", {"axis": 1})
    assert cowarray.add.outer(cowarray.array([1]), Asked()) == (np.add, "outer", {})


def test_masked_arrays_stay_masked():
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    assert type(cowarray.multiply.outer(masked, [1.0])) is type(np.multiply.outer(masked, [1.0]))


def test_every_ufunc_is_one_to_a_type_checker():
    decorated = {
        node.name
        for path in Path(_chapters.__file__).parent.glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef)
        for mark in map(ast.unparse, node.decorator_list)
        if re.fullmatch(r"calling(_for_two)?\(.*\)", mark)
    }
    assert {getattr(cowarray, name) for name in decorated} == {getattr(cowarray, name) for name in NAMES}


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_methods_are_those_of_the_ufunc(name):
    if hasattr(cowarray, name):
        assert set(ufunc_methods(UFUNCS[name])) - {"__call__", "out"} <= set(dir(getattr(cowarray, name)))
