"""What libraries see of a program under ``python -m cowarray simulate``: NumPy's arrays, classes and functions."""

import json
import os

from both_ways import COMMAND, both, python, same_script, write


def test_a_library_that_asks_for_numpys_class(tmp_path):
    library = """
        import numpy
        from functools import singledispatch

        @singledispatch
        def kind(x):
            return "other"

        kind.register(numpy.ndarray, lambda x: "array")

        def fill(x, output=None):
            if not isinstance(output, numpy.ndarray):
                output = numpy.empty(x.shape)
            numpy.negative(x, output)
            return kind(output), x.__class__, isinstance(x, (list, dict)), isinstance(x, numpy.ndarray)
    """
    text = """
        import sys
        sys.path.append("site-packages")
        import numpy as np, library
        x = np.zeros(2)
        print(library.fill(np.ones(2), x), x)
    """
    write(tmp_path, **{"site-packages__in__library__py": library})
    result, _ = same_script(tmp_path, text)
    assert result.stdout == "('array', <class 'numpy.ndarray'>, False, True) [-1. -1.]\n"


def test_classes_that_give_numpy_their_array(tmp_path):
    text = """
        import math
        import numpy as np
        class Number:
            def __array__(self, dtype=None, copy=None):
                return np.array([3.0])
        class Meta(type):
            def __setattr__(cls, name, value):
                raise AttributeError(name)
        class Strict(Number, metaclass=Meta):
            def __array__(self, dtype=None, copy=None):
                return super().__array__(dtype, copy) + 1
        for x in Number(), Strict():
            made = np.asarray(x)
            print(made, np.add(x, [1.0]), np.sqrt([x, x]), isinstance(made, np.ndarray), made.reshape(1, 1) * x)
    """
    same_script(tmp_path, text)


def test_classes_are_asked_about_the_functions_that_the_program_knows(tmp_path):
    text = """
        import numpy as np
        HANDLED = {np.mean: "mean", np.linalg.norm: "norm", np.trace: "trace", np.sort_complex: "borrowed"}
        class Number:
            def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
                if ufunc is np.add:
                    return "add"
                return getattr(ufunc, method)(*[3.0 if type(each) is Number else each for each in inputs])
            def __array_function__(self, func, types, args, kwargs):
                return HANDLED.get(func, NotImplemented)
        class Passes(Number):
            def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
                return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)
        class Refuses:
            __array_ufunc__ = None
            def __radd__(self, other):
                return "reversed"
        for x in Number(), Passes():
            print(np.add(x, 1), np.ones(2) + x, np.subtract(np.ones(2), Number()), np.ones(2) + Refuses())
            print(np.mean(x), np.linalg.norm(x), np.trace(x), np.sort_complex(x))
        class ByName:
            def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
                return ufunc.__name__
            def __array_function__(self, func, types, args, kwargs):
                return func.__name__
        x = ByName()
        print(np.absolute(x), np.arctan(x), np.power(x, 2), np.conjugate(x), np.concatenate([x]), np.mean(x))
        class Counted(np.ndarray):
            def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
                return ufunc.__name__, ufunc.__class__.__name__
        print(np.array([1.0]) + Counted((1,)))
    """
    same_script(tmp_path, text)


def test_tables_by_functions_have_what_subclasses_and_renamed_functions_are_asked_about(tmp_path):
    text = """
        import copy, pickle
        import numpy as np
        UNITS = {np.multiply: "product", np.arctan: "angle", np.true_divide: "ratio", np.power: "power"}
        HANDLED = {np.concatenate: "joined", np.linalg.norm: "norm", np.mean: "mean"}
        class Quantity(np.ndarray):
            def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
                if ufunc not in UNITS:
                    return super().__array_ufunc__(ufunc, method, *[each.view(np.ndarray) for each in inputs])
                assert ufunc in (np.multiply, np.arctan, np.divide, np.power) and isinstance(ufunc, type(ufunc))
                assert all(each in UNITS for each in (pickle.loads(pickle.dumps(ufunc)), *copy.deepcopy({ufunc: 1})))
                return UNITS[ufunc], ufunc == np.multiply, getattr(ufunc, method)(*map(np.asarray, inputs)), repr(ufunc)
            def __array_function__(self, func, types, args, kwargs):
                if func in HANDLED:
                    assert copy.copy(func) in HANDLED
                    return HANDLED[func], func.__name__, func.__module__, func.__doc__.split()[:2]
                return super().__array_function__(func, types, args, kwargs)
        class Wrapped(np.ndarray):
            def __array_wrap__(self, array, context=None, return_scalar=False):
                return UNITS[context[0]], super().__array_wrap__(array, context, return_scalar).shape
        class Derived(Wrapped):
            def __array_wrap__(self, array, context=None, return_scalar=False):
                return super().__array_wrap__(array, context=context, return_scalar=return_scalar)
        for x in (np.array([[1.0, 2.0]]).view(Quantity),):
            print(x * x, np.arctan(x), x / x, x**x, x + x, np.subtract(x, x), np.multiply.reduce(x))
            print(np.concatenate([x, x]), np.linalg.norm(x), np.mean(x), np.sort(x).shape)
        for x in np.ones(2).view(Wrapped), np.ones(3).view(Derived):
            print(x * x, np.arctan(x))
        class Plain:
            def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
                return UNITS[ufunc]
            def __array_function__(self, func, types, args, kwargs):
                return HANDLED[func]
        print(np.arctan(Plain()), np.multiply(Plain(), 2), np.concatenate([Plain()]), np.mean(Plain()))
    """
    same_script(tmp_path, text)


def test_the_namespace_of_arrays_is_the_programs_numpy(tmp_path):
    text = """
        import sys
        import numpy as np
        class Labelled(np.ndarray):
            pass
        x = np.array([1.0, 2.0, 4.0])
        xp = x.__array_namespace__()
        print(xp is np, xp.quantile(x, 0.5), xp.__name__, isinstance(xp.sort(x), np.ndarray))
        print({each.__array_namespace__() for each in (x, x.view(Labelled), x[0])} - {np}, np == sys.modules["numpy"])
        try:
            x.__array_namespace__(api_version="1")
        except ValueError:
            print("no such version")
    """
    same_script(tmp_path, text)
    write(
        tmp_path,
        library__in__space__py="def of(x): return x.__array_namespace__().__name__",
        program__in__other__py="""
            import numpy as np, space
            print(space.of(np.ones(1)), np.ones(1).__array_namespace__().__name__)
        """,
    )
    path = os.pathsep.join([str(tmp_path / "library"), os.environ.get("PYTHONPATH", "")])
    ours = python(*COMMAND, "report.json", "program/other.py", folder=tmp_path, env=os.environ | {"PYTHONPATH": path})
    assert ours.stdout == "cowarray.array_api numpy\n"


def test_functions_have_the_implementation_that_rules_of_classes_call(tmp_path):
    text = """
        import numpy as np
        class Quantity(np.ndarray):
            def __array_function__(self, func, types, args, kwargs):
                return "ruled", RULES[func](*args, **kwargs)
        RULES = {
            np.mean: np.mean._implementation,
            np.concatenate: lambda parts: np.concatenate._implementation([np.asarray(each) for each in parts]),
            np.linalg.norm: np.linalg.norm._implementation,
            np.fft.fft: lambda x: np.fft.fft._implementation(np.asarray(x)),
            np.flip: np.flip._implementation,
            np.reshape: np.reshape._implementation,
            np.transpose: np.transpose._implementation,
        }
        x = np.arange(4.0).view(Quantity)
        print(np.mean(x), np.concatenate([x, x]), np.linalg.norm(x), np.fft.fft(x))
        print(np.flip(x), np.reshape(x, (2, 2)), np.transpose(x))
        y = np.sort._implementation(np.array([2.0, 1.0]))
        y[0] = 7
        print(y, isinstance(y, np.ndarray), np.around._implementation(y, decimals=1, out=y) is y)
        print(hasattr(np.add, "_implementation"), hasattr(np.zeros, "_implementation"), np.vdot._implementation(y, y))
        kept, square, grid = y.copy(), np.zeros((2, 2)), np.ones((2, 2))
        for name, given in (("mean", (0, None)), ("median", (0,)), ("cumsum", (0, None)), ("take", ([0, 1], 0))):
            out = np.zeros((2, 2) if name in ("cumsum", "take") else 2)
            print(getattr(np, name)._implementation(grid, *given, out=out) is out, out)
        np.copyto._implementation(y, 5), np.putmask._implementation(y, [True, False], 6)
        np.fill_diagonal._implementation(square, 3), np.put_along_axis._implementation(square, np.array([[1, 1]]), 9, 0)
        np.nan_to_num._implementation(square, copy=False)
        print(y, kept, square, np.transpose._implementation(grid).shape, np.shares_memory(grid.T, grid))
    """
    same_script(tmp_path, text)


def test_subclasses_compute_with_views_of_the_class_that_they_know(tmp_path):
    text = """
        import pickle
        import numpy as np
        class Labelled(np.ndarray):
            def __array_finalize__(self, source):
                self.label = getattr(source, "label", None)
            def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
                plain = [each.view(np.ndarray) if isinstance(each, Labelled) else each for each in inputs]
                return np.asarray(super().__array_ufunc__(ufunc, method, *plain, **kwargs)).view(Labelled)
        class More(Labelled):
            pass
        x = np.array([1.0, 2.0]).view(More)
        print(type(x).__name__, x + 1, x + x, np.sqrt(x), type(x + 1).__name__)
        print([x.view(), x.view(type=np.ndarray), x.view("i8"), x.view("i8", np.ndarray), x.view(dtype="u8")])
        print([type(each).__name__ for each in (x.view(), x.view(np.ndarray), x.view(Labelled))])
        print(pickle.loads(pickle.dumps(x)))
    """
    same_script(tmp_path, text)


def test_a_class_statement_and_an_import_have_their_caller_one_frame_up(tmp_path):
    text = """
        import importlib, pickle, sys, warnings
        warnings.simplefilter("always")
        warnings.showwarning = lambda text, kind, file, line, *rest: print(text, file == __file__, line)
        class Base:
            def __init_subclass__(cls):
                warnings.warn("subclass", stacklevel=2)
        class Meta(type):
            def __new__(meta, *args):
                caller = sys._getframe(1)
                print(caller.f_code is sys._getframe(0).f_back.f_code, caller.f_globals is globals(), caller.f_lineno)
                return super().__new__(meta, *args)
        class Derived(Base): pass
        class Made(metaclass=Meta):
            print(sys._getframe(1).f_code.co_name, sys._getframe(1).f_globals is globals())
        import part
        importlib.import_module("other")
        print(pickle.loads(pickle.dumps(importlib.import_module)) is importlib.import_module)
    """
    module = "import warnings; warnings.warn('imported', stacklevel=2)"
    write(tmp_path, part__py=module, other__py=module)
    same_script(tmp_path, text)


def test_an_import_by_pytest_is_its_callers(tmp_path):
    text = """
        import pytest
        np = pytest.importorskip("numpy")
        import numpy
        print(np is numpy, pytest.importorskip("numpy.linalg") is numpy.linalg)
        x = np.zeros((2, 2))
        x.ravel()[0] = 1
        print(x)
    """
    write(tmp_path, script__py=text)
    plain, ours, report = both(tmp_path, "script.py")
    assert ours.stdout == plain.stdout == "True True\n[[1. 0.]\n [0. 0.]]\n"
    assert len(json.loads(report)["divergences"]) == 1


def test_modules_of_an_included_package_under_other_names(tmp_path):
    """As pytest imports tests that lie in a package's folder, in one without an ``__init__.py``."""
    test = "import numpy\ndef lost():\n    x = numpy.zeros((2, 2))\n    x.ravel()[0] = 1\n    return x.sum()\n"
    text = """
        import sys
        sys.path[1:1] = ["site-packages", "site-packages/library/parts/tests"]
        import test_it
        print(test_it.lost())
    """
    write(
        tmp_path,
        script__py=text,
        **{
            "site-packages__in__library__in____init____py": "",
            "site-packages__in__library__in__parts__in____init____py": "raise RuntimeError",
            "site-packages__in__library__in__parts__in__tests__in__test_it__py": test,
        },
    )
    for included, expected in (("library.parts", 1), ("library", 1), ("librar", 0), ("missing.part", 0)):
        command = [*COMMAND, tmp_path / "report.json", "--include", included, "script.py"]
        assert python(*command, folder=tmp_path).stdout == "1.0\n"
        assert len(json.loads((tmp_path / "report.json").read_text())["divergences"]) == expected
