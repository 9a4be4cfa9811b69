"""Classes and methods are called what a user calls them, and show their parameters."""

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest
from support.numpy_versions import happens

import cowarray

X = cowarray.array([[1.0, 2.0], [3.0, 4.0]])
CLASSES = {
    "ndarray": X,
    "Storage": X.storage,
    "Snapshot": X.to_numpy().base,
    "Flags": X.flags,
    "FlatIterator": X.flat,
    "CopyError": cowarray.CopyError(),
    "random.Generator": cowarray.random.default_rng(1),
}
SPACES = [cowarray, cowarray.fft, cowarray.linalg, cowarray.random, cowarray.array_api]
METHODS = [
    name
    for name, value in vars(cowarray.ndarray).items()
    if not name.startswith("_") and not inspect.isdatadescriptor(value)
]


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_is_called_what_it_is_found_by(name):
    kind = type(CLASSES[name])
    assert f"{kind.__module__}.{kind.__qualname__}" == f"cowarray.{name}"
    assert kind.__name__ == name.rpartition(".")[2]
    assert repr(kind) == f"<class 'cowarray.{name}'>"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(kind, protocol)) is kind


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
def test_a_function_is_called_what_it_is_found_by(space):
    functions = {name: getattr(space, name) for name in space.__all__}
    own = {name: each for name, each in functions.items() if callable(each) and each.__module__.startswith("cowarray")}
    assert len(own) > (1 if space is cowarray.random else len(functions) / 2)
    homes = {name: each.__module__ for name, each in own.items()}
    shared = {"__array_namespace_info__": "cowarray"} if space is cowarray.array_api else {}
    assert {name: home for name, home in homes.items() if home != space.__name__} == shared
    for each in own.values():
        assert pickle.loads(pickle.dumps(each)) is each
    assert cowarray.add.reduce.__module__ == "cowarray"


@pytest.mark.parametrize("module", ["_face.ndarray", "_native.storage", "_face.attributes"])
def test_pickles_that_name_the_modules_where_classes_were_written_still_load(module):
    name = {"_face.ndarray": "ndarray", "_native.storage": "Storage", "_face.attributes": "Flags"}[module]
    assert pickle.loads(f"ccowarray.{module}\n{name}\n.".encode()) is getattr(cowarray, name)


@pytest.mark.parametrize(
    "use", ["x.nothing", "x.storage.nothing", "x.flat.nothing", "cowarray.ndarray.sum(3)", "cowarray.Storage()"]
)
def test_errors_say_whose_class_it_is(use):
    with pytest.raises((AttributeError, TypeError), match=r"cowarray\.(ndarray|Storage|FlatIterator)"):
        eval(use, {"x": X, "cowarray": cowarray})


@pytest.mark.parametrize("name", METHODS)
def test_a_method_that_is_not_called_is_one_short_line(name):
    assert len(METHODS) > 50
    assert repr(getattr(X, name)).startswith(f"<built-in method {name} of cowarray.ndarray object at ")
    assert repr(getattr(cowarray.ndarray, name)) == f"<method '{name}' of 'cowarray.ndarray' objects>"


# Each dies in a process of its own, if it does: a method of Cython's own kind takes anything for an array.
def test_a_method_takes_no_stranger_for_an_array():
    script = (
        "import cowarray\n"
        "kinds = [cowarray.ndarray, cowarray.FlatIterator]\n"
        "found = [getattr(kind, name) for kind in kinds for name in dir(kind)]\n"
        "for method in filter(callable, found):\n"
        "    try: method(3)\n"
        "    except Exception: pass\n"
        "print(len(found) > 100)\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "True\n")


# NumPy's text says less than NumPy takes (**kwargs), or has another name for what only has a place.
OTHERWISE = {"byteswap", "clip", "conj", "conjugate", "max", "mean", "min", "prod", "std", "sum", "var", "view"}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_shows_its_parameters(name):
    ours = inspect.signature(getattr(cowarray.ndarray, name))
    assert inspect.signature(getattr(X, name)).parameters.keys() == ours.parameters.keys() - {"self"}
    text = getattr(getattr(np.ndarray, name, None), "__text_signature__", None)
    if text is None or name in OTHERWISE:
        return
    theirs = inspect.signature(getattr(np.ndarray, name))
    names = [each.name for each in theirs.parameters.values()]
    if not happens("sort has no descending"):
        names = [each for each in names if each != "descending"]  # which only our functions have
    assert names == [each.name for each in ours.parameters.values()]


SUMMARIES = ["sum", "prod", "max", "min", "mean", "std", "var", "all", "any"]


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_parameters_that_are_shown_are_taken(name):
    given = {"axis": 0, "dtype": "f4", "keepdims": True, "initial": 1, "where": True, "ddof": 1, "out": None}
    shown = inspect.signature(getattr(cowarray.ndarray, name)).parameters
    options = {key: given[key] for key in shown if key in given}
    assert len(options) >= 4
    ours, theirs = (getattr(a, name)(**options) for a in (X, X.to_numpy()))
    assert ours.tolist() == theirs.tolist()
    assert ours.dtype == theirs.dtype
    for key, each in shown.items():
        if each.default is not inspect.Parameter.empty and each.default is not ...:
            assert getattr(X, name)(**{key: each.default}) == getattr(X, name)()


def test_help_shows_parameters():
    text = inspect.getdoc(cowarray.ndarray.sum)
    assert text.startswith("Sum elements along axes.")
    assert "keepdims : bool" in text


def test_an_error_tells_this_librarys_class_from_numpys():
    from cowarray import _unpickle_objects

    with pytest.raises(ValueError, match=r"expected a numpy\.ndarray \(got <class 'cowarray\.ndarray'>\)"):
        _unpickle_objects(X)
