"""What a program finds under the name `numpy`: NumPy's names, our arrays; and who finds it."""

import builtins
import copy
import functools
import importlib
import importlib.machinery
import inspect
import io
import linecache
import pickle
import typing

import numpy
import pytest
from support.oracle import same

import cowarray
from cowarray._face.ndarray import set_namespace
from cowarray._tools.programs import ImportRule
from cowarray._tools.stand_ins import modules
from cowarray._tools.stand_ins.modules import StandIns
from cowarray._tools.stand_ins.values import taken_in


@pytest.fixture
def stand_ins():
    return StandIns()


@pytest.fixture
def np(stand_ins):
    return stand_ins.of(numpy)


# ---- names -----------------------------------------------------------------------------------------------------------


def public_names(module):
    return [name for name in dir(module) if not name.startswith("_")]


@pytest.mark.parametrize("module", ["numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.lib.stride_tricks"])
def test_a_stand_in_has_numpys_names_and_no_others(stand_ins, module):
    real = importlib.import_module(module)
    ours = stand_ins.of(real)
    assert dir(ours) == dir(real)
    assert getattr(ours, "__all__", None) == getattr(real, "__all__", None)
    assert (repr(ours), ours.__name__, ours.__file__, ours.__spec__) == (
        repr(real),
        real.__name__,
        real.__file__,
        real.__spec__,
    )
    assert public_names(real)
    for name in public_names(real):
        getattr(ours, name)
    for name in set(cowarray.__all__) - set(dir(real)):
        assert not hasattr(ours, name)


def test_what_numpy_lacks_raises_numpys_error(np):
    for name in ("float", "nothing", "lend"):
        with pytest.raises(AttributeError) as theirs:
            getattr(numpy, name)
        with pytest.raises(AttributeError) as ours:
            getattr(np, name)
        assert str(ours.value) == str(theirs.value)


def test_functions_are_the_librarys_wherever_numpy_keeps_them(np, stand_ins):
    assert np.sum is cowarray.sum
    assert np.linalg.norm is cowarray.linalg.norm
    assert np.random.default_rng is cowarray.random.default_rng
    assert np.random.rand is cowarray.random.rand
    assert np.lib.stride_tricks.as_strided is cowarray.lib.stride_tricks.as_strided
    assert stand_ins.of(numpy._core.fromnumeric).sum is cowarray.sum
    assert np.lib is stand_ins.of(numpy.lib)


def test_what_has_nothing_to_do_with_arrays_is_numpys_own(np, stand_ins):
    for name in ("float64", "dtype", "generic", "inf", "newaxis", "exceptions", "dtypes", "typing", "__version__"):
        assert getattr(np, name) is getattr(numpy, name)
    assert np.linalg.LinAlgError is numpy.linalg.LinAlgError
    assert stand_ins.borrowed == {}


def test_what_the_library_lacks_is_numpys_and_gives_our_arrays(np, stand_ins):
    assert stand_ins.borrowed == {}
    x = np.array([3.0, 1.0])
    assert type(np.sort_complex(x)) is cowarray.ndarray
    same(np.sort_complex(x), numpy.sort_complex(numpy.array([3.0, 1.0])))
    assert type(np.char.upper(["a"])) is cowarray.ndarray
    assert np.poly1d is numpy.poly1d
    assert set(stand_ins.borrowed) == {"numpy.sort_complex", "numpy.char.upper", "numpy.poly1d"}
    site = stand_ins.borrowed["numpy.sort_complex"]
    assert site.filename == __file__
    assert "sort_complex(x)" in linecache.getline(site.filename, site.lineno)


def test_an_argument_that_comes_back_is_the_argument(np):
    x = np.arange(3.0)
    assert np.asarray_chkfinite(x) is x
    assert np.asarray_chkfinite(a=x) is x


def test_trace_has_numpys_meaning_and_exports_nothing(np, stand_ins):
    x = np.arange(24.0).reshape(2, 3, 4)
    n = numpy.arange(24.0).reshape(2, 3, 4)
    same(np.trace(x, 1, 1, 2), numpy.trace(n, 1, 1, 2))
    same(np.trace(x, axis1=2, axis2=0, dtype="f4"), numpy.trace(n, axis1=2, axis2=0, dtype="f4"))
    same(np.trace([[1, 2], [3, 4]]), numpy.trace([[1, 2], [3, 4]]))
    out = np.zeros(4)
    assert np.trace(x, out=out) is out
    same(out, numpy.trace(n))
    with cowarray.fake():
        assert np.trace(np.zeros((2000, 2000))).shape == ()
        assert np.trace(np.zeros((5, 4, 3))).shape == (3,)
    assert stand_ins.borrowed == {}
    assert inspect.signature(np.trace) == inspect.signature(numpy.trace)


def test_private_functions_hand_numpys_arrays_to_each_other(np):
    new, wrap = np.linalg._linalg._makearray(np.eye(2))
    solved = wrap(np.linalg._umath_linalg.solve1(new, [1.0, 2.0]))
    same(taken_in(solved), numpy.array([1.0, 2.0]))


def test_the_hidden_state_of_the_legacy_functions(np):
    hidden = np.random.mtrand._rand  # what libraries draw from where they get no seed
    assert isinstance(hidden, np.random.RandomState)
    assert np.random.mtrand.RandomState is np.random.RandomState
    np.random.seed(3)
    drawn = hidden.uniform(size=2)
    numpy.random.seed(3)  # noqa: NPY002
    same(drawn, numpy.random.uniform(size=2))  # noqa: NPY002


def test_a_star_notes_what_is_called_and_not_what_is_bound(stand_ins):
    quiet = stand_ins.of(numpy, quiet=True)
    names = {name: getattr(quiet, name) for name in quiet.__all__}
    assert stand_ins.borrowed == {}
    names["sort_complex"]([1])
    assert set(stand_ins.borrowed) == {"numpy.sort_complex"}


def test_vars_hold_what_numpys_hold_and_note_nothing(np, stand_ins):
    noted = {"broadcast", "flatiter", "matrix", "memmap", "poly1d", "recarray", "ufunc"}
    public = {name for name in vars(numpy) if not name.startswith("_")}
    assert public - noted <= vars(np).keys() <= public | vars(numpy).keys()
    assert vars(np).keys().isdisjoint(noted)
    assert all(vars(np)[name] is getattr(np, name) for name in public - noted)
    assert stand_ins.borrowed == {}
    assert type(eval("sin(x) + pi", {**vars(np), "x": np.ones(2)})) is cowarray.ndarray
    vars(np)["sort_complex"]([1])
    assert set(stand_ins.borrowed) == {"numpy.sort_complex"}


def test_arrays_are_taken_in_wherever_they_lie():
    class Sub(numpy.ndarray):
        pass

    made = numpy.ones(2)
    pair = numpy.linalg.eigh(numpy.eye(2))
    sub = made.view(Sub)
    taken = taken_in([made, (made, 1), {"key": made}, pair, sub, "text"])
    assert type(taken[0]) is type(taken[1][0]) is type(taken[2]["key"]) is type(taken[3][0]) is cowarray.ndarray
    assert type(taken[3]) is type(pair)
    assert taken[4] is sub
    assert taken[5] == "text"


def test_names_that_a_program_sets(np):
    np.sum = 5
    assert np.sum == 5
    assert numpy.sum is not np.sum
    np.an_old_name = 7  # for a library that still looks for it
    try:
        assert numpy.an_old_name == 7
    finally:
        del numpy.an_old_name
    del np.sum
    assert np.sum is cowarray.sum


def test_files_are_read_and_written_by_numpys_rules(np, tmp_path):
    x = np.arange(4.0)
    path = tmp_path / "x.npy"
    np.save(path, x)
    y = np.load(path, None, False)
    np.save(path, np.zeros(1))  # the same file: y was read, not mapped
    assert y.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert type(y) is cowarray.ndarray
    np.save(path, np.array([1, "a"], dtype=object))
    assert np.load(path, allow_pickle=True).tolist() == [1, "a"]
    np.savez(tmp_path / "x.npz", x, y=y)
    with np.load(tmp_path / "x.npz") as archive:
        assert isinstance(archive, numpy.lib.npyio.NpzFile)
        assert type(archive["y"]) is cowarray.ndarray
        assert archive.files == ["y", "arr_0"]
    stream = io.BytesIO()
    np.save(stream, x)
    assert stream.getvalue()[:6] == b"\x93NUMPY"
    y.tofile(path)
    assert type(np.fromfile(path)) is type(np.frombuffer(b"\0" * 8)) is cowarray.ndarray


def test_comparisons_of_numpys_testing(np, stand_ins):
    x = np.arange(3)
    np.testing.assert_array_equal(x, [0, 1, 2])
    np.testing.assert_equal({"key": [x]}, {"key": [numpy.arange(3)]})
    np.testing.assert_allclose(actual=x, desired=x)
    with pytest.raises(AssertionError, match="Mismatched elements"):
        np.testing.assert_equal(x, x + 1)
    with np.testing.assert_raises(ValueError):
        raise ValueError
    assert stand_ins.borrowed == {}


# ---- the class -------------------------------------------------------------------------------------------------------


def test_both_kinds_of_arrays_are_instances(np):
    class Sub(numpy.ndarray):
        pass

    for array in (np.zeros(1), numpy.zeros(1), numpy.zeros(1).view(Sub)):
        assert isinstance(array, np.ndarray)
        assert issubclass(type(array), np.ndarray)
        match array:
            case np.ndarray():
                pass
            case _:
                pytest.fail("no array")
    for other in (1.0, numpy.float64(1), [1], memoryview(b"")):
        assert not isinstance(other, np.ndarray)
    assert issubclass(np.ndarray, np.ndarray)


def test_the_class_of_our_arrays_equals_it(np):
    assert type(np.zeros(1)) == np.ndarray  # noqa: E721
    assert np.ndarray == type(np.zeros(1))  # noqa: E721
    assert {np.ndarray: 1}[type(np.zeros(1))] == 1
    assert np.ndarray != type([])  # noqa: E721


def test_dispatch_by_the_class(np):
    @functools.singledispatch
    def kind(value):
        return "other"

    @kind.register(np.ndarray)
    def _(value):
        return "array"

    assert [kind(value) for value in (np.zeros(1), numpy.zeros(1), 1.0)] == ["array", "array", "other"]


def test_subclasses_are_numpys(np):
    class Labelled(np.ndarray):
        def __new__(cls, values, label):
            made = np.asarray(values).view(cls)
            made.label = label
            return made

        def __array_finalize__(self, source):
            self.label = getattr(source, "label", None)

        def sum(self):
            return super().sum() + 1000

    x = Labelled([1, 2], "label")
    assert isinstance(x, numpy.ndarray)
    assert ((x * 2).label, x.sum()) == ("label", 1003)
    assert type(np.ndarray.__new__(Labelled, (2,))) is Labelled
    assert np.ndarray.__getitem__(x, 1) == 2
    with pytest.raises(TypeError):

        class Closed(np.ndarray, option=1):
            pass


def test_what_else_is_done_with_a_class(np):
    x = np.ndarray((2,), "i4", numpy.arange(2, dtype="i4").tobytes())
    assert type(x) is cowarray.ndarray
    assert x.tolist() == [0, 1]
    assert np.ndarray.sum(x) == np.ndarray.sum(numpy.arange(2)) == 1
    assert list(map(np.ndarray.tolist, [x])) == [[0, 1]]
    assert (np.ndarray.__name__, np.ndarray.__module__, repr(np.ndarray)) == (
        "ndarray",
        "numpy",
        "<class 'numpy.ndarray'>",
    )
    assert np.ndarray[int, float] == numpy.ndarray[int, float]

    def annotated(x: np.ndarray | None):
        pass

    assert typing.get_type_hints(annotated)["x"] == np.ndarray | None


def test_pickles_and_copies(np):
    for value in (np.ndarray, np.sort_complex, np.sum, np.save, np.trace):
        again = pickle.loads(pickle.dumps(value))
        assert again is value or again.__name__ == value.__name__
        assert copy.copy(value) is not None
    assert pickle.loads(pickle.dumps(np.ndarray)) is np.ndarray


def test_a_pickled_module_is_the_programs_where_one_runs_and_numpys_elsewhere(np, stand_ins, monkeypatch):
    for module, real in ((np, numpy), (np.linalg, numpy.linalg)):
        pickled = pickle.dumps(module)
        assert pickle.loads(pickled) is real
        with monkeypatch.context() as patched:
            patched.setattr(modules, "_running", stand_ins)
            assert pickle.loads(pickled) is module
            assert copy.deepcopy({"np": module}) == {"np": module}


# ---- who finds it ----------------------------------------------------------------------------------------------------


def imports(rule, text, **space):
    """The namespace of code that runs while the rule holds."""
    loader = importlib.machinery.ExtensionFileLoader
    kept = builtins.__import__, builtins.__build_class__, importlib.import_module, loader.exec_module
    running = modules._running
    rule.install()
    try:
        exec(compile(text, space.get("__file__", "<string>"), "exec"), space)
    finally:
        builtins.__import__, builtins.__build_class__, importlib.import_module, loader.exec_module = kept
        modules._running = running
        set_namespace(cowarray._namespace)
    return space


FORMS = """
import numpy
import numpy as first
import numpy.linalg
import numpy.linalg as second
import numpy.lib.stride_tricks as third
from numpy import linalg as fourth, zeros
from numpy.linalg import norm
from numpy import *
import importlib
fifth = importlib.import_module("numpy")
sixth = __import__("numpy.fft")
from importlib import import_module
seventh = import_module(".linalg", "numpy")
eighth = import_module("numpy.linalg")
def later():
    import numpy as inside
    return inside
ninth = later()
exec("import numpy as tenth")
"""


def test_every_form_of_import(tmp_path):
    rule = ImportRule(tmp_path, ())
    space = imports(rule, FORMS, __name__="__main__")
    np = rule.stand_ins.of(numpy)
    for name in ("numpy", "first", "fifth", "sixth", "ninth", "tenth"):
        assert space[name] is np, name
    for name in ("second", "fourth", "eighth"):
        assert space[name] is np.linalg, name
    assert space["third"] is np.lib.stride_tricks
    assert space["zeros"] is cowarray.zeros
    assert space["norm"] is cowarray.linalg.norm
    assert space["sum"] is cowarray.sum
    assert rule.stand_ins.borrowed == {}


@pytest.mark.parametrize(
    ("name", "file", "ours"),
    [
        ("__main__", None, True),
        ("__mp_main__", "elsewhere/script.py", True),
        ("module", "FOLDER/module.py", True),
        ("package.module", "FOLDER/package/module.py", True),
        ("module", "FOLDER/lib/python3/site-packages/module.py", False),
        ("module", "FOLDER.other/module.py", False),
        ("module", "/elsewhere/module.py", False),
        ("included", "/elsewhere/included.py", True),
        ("included.part.module", "/elsewhere/included/part/module.py", True),
        ("included_too", "/elsewhere/included_too.py", False),
        ("other.part", "/elsewhere/other/part/__init__.py", True),
        ("other.part.module", "/elsewhere/other/part/module.py", True),
        ("other", "/elsewhere/other/__init__.py", False),
        ("numpy.module", "FOLDER/numpy/module.py", False),
        ("cowarray.module", "FOLDER/cowarray/module.py", False),
        (None, "FOLDER/module.py", True),
        (None, None, False),  # the caller decides: this file
    ],
)
def test_who_is_the_program(tmp_path, name, file, ours):
    rule = ImportRule(tmp_path, ("included", "other.part"))
    space = {} if name is None else {"__name__": name}
    if file is not None:
        space["__file__"] = file.replace("FOLDER", str(tmp_path))
    space = imports(rule, "import numpy", **space)
    assert (space["numpy"] is not numpy) is ours


def test_code_without_a_file_is_its_callers(tmp_path):
    rule = ImportRule(tmp_path, ())
    text = "space = {}\nexec('import numpy', space)\nnumpy = space['numpy']"
    assert imports(rule, text, __name__="__main__")["numpy"] is not numpy
    assert imports(rule, text, __name__="module", __file__="/elsewhere/module.py")["numpy"] is numpy


def test_a_program_that_replaces_import_changes_nothing_for_others(tmp_path):
    text = """
import builtins, sys, types
kept = builtins.__import__
builtins.__import__ = lambda *args: kept(*args)
import numpy
other = types.ModuleType("other")
other.__file__ = "/elsewhere/other.py"
exec("import numpy", vars(other))
"""
    space = imports(ImportRule(tmp_path, ()), text, __name__="__main__")
    assert space["numpy"] is not numpy
    assert space["other"].numpy is numpy


def test_the_standard_library_below_the_folder_is_not_the_program():
    rule = ImportRule("/", ())
    assert not rule.has(functools.__file__)
    assert not rule.has(numpy.__file__)
    assert rule.has("/home/somebody/script.py")
