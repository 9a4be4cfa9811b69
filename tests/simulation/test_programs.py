"""A program runs under ``python -m cowarray simulate`` as Python runs it: its output, its errors, its exit status.

It is one file because each test runs a program in both ways and compares. Each can be read alone.
"""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import zipfile

import pytest
from support.limits import LONGEST

PLAIN = [sys.executable]
COMMAND = [sys.executable, "-m", "cowarray", "simulate", "--json", "--output"]


def python(*arguments, folder, **options):
    """What a process wrote, and its status. Its standard input is empty."""
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": LONGEST} | options
    return subprocess.run([str(each) for each in arguments], cwd=folder, **options)


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__in__", "/").replace("__py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))


def both(folder, *arguments, **options):
    """A program's result with plain Python and with the command, and the command's report."""
    plain = python(*PLAIN, *arguments, folder=folder, **options)
    ours = python(*COMMAND, folder / "report.json", *arguments, folder=folder, **options)
    return plain, ours, (folder / "report.json").read_text()


def without_addresses(text):
    return re.sub("0x[0-9a-f]+|refcount : [0-9]+", "...", text)


def same(folder, *arguments, **options):
    """Run both ways; hold output and status to plain Python's. Gives that result and the report."""
    plain, ours, report = both(folder, *arguments, **options)
    assert ours.stdout == plain.stdout
    assert without_addresses(ours.stderr) == without_addresses(plain.stderr)
    assert ours.returncode == plain.returncode
    return plain, json.loads(report)


def same_script(folder, text, *arguments, **options):
    write(folder, script__py=text)
    return same(folder, "script.py", *arguments, **options)


# ---- as Python runs it -----------------------------------------------------------------------------------------------

SURROUNDINGS = """
    import os, sys
    print(__name__, __file__, __spec__ and __spec__.name, __package__, __doc__, sorted(globals()))
    print(sys.argv, sys.path[0], sys.modules["__main__"].__dict__ is globals(), type(__loader__).__name__)
    print(__builtins__ is sys.modules["builtins"], os.getcwd(), __import__.__name__)
"""


def test_a_script_finds_the_surroundings_that_python_gives_it(tmp_path):
    result, _ = same_script(tmp_path, SURROUNDINGS, "--json", "-m", "x y", "")
    assert "['script.py', '--json', '-m', 'x y', '']" in result.stdout


def test_a_script_elsewhere_and_by_a_link(tmp_path):
    write(tmp_path, real__in__script__py=SURROUNDINGS + "    import beside\n", real__in__beside__py="print(__file__)")
    (tmp_path / "link.py").symlink_to("real/script.py")
    for path in ("real/script.py", "link.py", "./real/../link.py", tmp_path / "link.py"):
        result, _ = same(tmp_path, path)
        assert result.returncode == 0


@pytest.mark.parametrize("options", [["-P"], ["-O"], ["-W", "error"], ["-X", "utf8"]])
def test_options_of_python_hold(tmp_path, options):
    write(tmp_path, script__py=SURROUNDINGS.replace("sys.path[0]", "sys.path[1:], sys.flags"))
    plain = python(sys.executable, *options, "script.py", folder=tmp_path)
    ours = python(sys.executable, *options, *COMMAND[1:], "report.json", "script.py", folder=tmp_path)
    assert (ours.stdout, ours.stderr, ours.returncode) == (plain.stdout, plain.stderr, 0)


def test_a_module_by_its_name(tmp_path):
    write(
        tmp_path,
        package__in____init____py="import sys; print(sys.argv)",
        package__in__part__py=SURROUNDINGS + "    from . import other",
        package__in__other__py="print(__name__)",
        package__in____main____py=SURROUNDINGS,
    )
    for name in ("package.part", "package"):
        result, _ = same(tmp_path, "-m", name, "-m", "--output")
        assert result.returncode == 0


def test_a_folder_and_an_archive(tmp_path):
    write(
        tmp_path, folder__in____main____py=SURROUNDINGS + "    import beside", folder__in__beside__py="print(__name__)"
    )
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        for name in ("__main__.py", "beside.py"):
            archive.write(tmp_path / "folder" / name, name)
    for name in ("folder", "archive.zip"):
        result, _ = same(tmp_path, name, "argument")
        assert result.returncode == 0


def test_a_compiled_script(tmp_path):
    write(tmp_path, script__py="print(__file__, __name__)")
    python(sys.executable, "-m", "compileall", "-b", "script.py", folder=tmp_path)
    result, _ = same(tmp_path, "script.pyc")
    assert result.stdout


def test_a_script_reads_its_input(tmp_path):
    result, _ = same_script(tmp_path, "print(input()[::-1])", stdin=None, input="abc\n")
    assert result.stdout == "cba\n"


def test_source_in_another_encoding(tmp_path):
    (tmp_path / "script.py").write_bytes("# coding: latin-1\nprint(ascii('é'))\n".encode("latin-1"))
    result, _ = same(tmp_path, "script.py")
    assert result.stdout == "'\\xe9'\n"


# ---- how it ends -----------------------------------------------------------------------------------------------------

CODES = ["", "None", "0", "1", "3", "256", "-1", "True", "'a text'", "(1, 2)", "2.5"]


@pytest.mark.parametrize("code", CODES)
def test_exits(tmp_path, code):
    _, report = same_script(tmp_path, f"import sys\nprint(1)\nsys.exit({code})")
    assert report["program_status"] == report["exit_status"]


def test_raises(tmp_path):
    write(tmp_path, beside__py="def fail():\n    return {}['key']\n")
    text = """
        import beside
        class Own(Exception): pass
        def middle():
            try:
                beside.fail()
            except KeyError as error:
                error.add_note("a note")
                raise Own("text") from error
        try:
            middle()
        except Own as error:
            raise ExceptionGroup("two", [error, ValueError(1)])
    """
    result, report = same_script(tmp_path, text)
    assert "a note" in result.stderr
    assert "+ Exception Group Traceback" in result.stderr
    assert report["program_status"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "import nowhere",
        "import broken",
        "from beside import nothing",
        "import numpy.nothing",
        "from numpy import nothing",
    ],
)
def test_imports_that_fail(tmp_path, text):
    write(tmp_path, beside__py="", broken__py="def f(:\n    pass\n")
    result, _ = same_script(tmp_path, text)
    assert "Error" in result.stderr


def test_an_exception_hook_of_its_own(tmp_path):
    text = """
        import sys
        def hook(kind, value, trace):
            print("hook", kind, value, trace.tb_lineno, sys.last_value is value, file=sys.stderr)
            {then}
        sys.excepthook = hook
        1 / 0
    """
    for then in ("pass", "sys.exit(7)", "raise KeyError(2)"):
        same_script(tmp_path, text.format(then=then))
    same_script(tmp_path, "import sys; del sys.excepthook; 1 / 0")


def test_is_interrupted(tmp_path):
    text = """
        import os, signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell had it ignored
        print("before", flush=True)
        os.kill(os.getpid(), signal.SIGINT)
        print("after")
    """
    result, report = same_script(tmp_path, text)
    assert result.stdout == "before\n"
    assert result.returncode == -signal.SIGINT
    assert report["program_status"] == 1


def test_what_runs_at_the_end(tmp_path):
    text = """
        import atexit, concurrent.futures, logging, sys, threading, weakref
        handler = logging.StreamHandler(sys.stdout)
        class Last:
            def __del__(self): print("deleted")
        last = Last()
        atexit.register(print, "registered", flush=True)
        atexit.register(lambda: threading.current_thread().name and print("main", flush=True))
        go = threading.Event()
        def late():
            go.wait()
            print("thread", flush=True)
        thread = threading.Thread(target=late)
        thread.start()
        executor = concurrent.futures.ThreadPoolExecutor(1)
        print(executor.submit(lambda: 5).result(), flush=True)
        go.set()
    """
    result, _ = same_script(tmp_path, text)
    assert result.stdout.split() == ["5", "thread", "main", "registered", "deleted"]


def test_leaves_without_a_word(tmp_path):
    for status in (0, 5):
        _, report = same_script(tmp_path, f"import os, sys; print(1, flush=True); os._exit({status})")
        assert report["program_status"] == status


def test_closes_its_streams(tmp_path):
    for text in (
        "import sys; sys.stderr.close()",
        "import os; os.close(2)",
        "import sys; sys.stdout = sys.stderr = None",
        "import os; os.closerange(3, 256)",
        "import sys; sys.stderr.close(); raise ValueError",
    ):
        same_script(tmp_path, text)


# ---- threads and processes -------------------------------------------------------------------------------------------


def test_exceptions_in_threads(tmp_path):
    text = """
        import threading
        def fail():
            import nowhere
        thread = threading.Thread(target=fail, name="T")
        thread.start()
        thread.join()
    """
    result, _ = same_script(tmp_path, text)
    assert "Exception in thread T" in result.stderr


def test_threads_have_contexts_of_their_own(tmp_path):
    text = """
        import _thread, contextvars, threading
        variable = contextvars.ContextVar("variable", default="default")
        variable.set("main")
        thread = threading.Thread(target=lambda: (print(variable.get()), variable.set("thread")))
        thread.start()
        thread.join()
        lock = _thread.allocate_lock()
        lock.acquire()
        _thread.start_new_thread(lambda **given: (print(variable.get(), given), lock.release()), (), {"a": 1})
        lock.acquire()
        print(variable.get())
    """
    result, _ = same_script(tmp_path, text)
    assert result.stdout.splitlines()[0] == "default"


def test_forks(tmp_path):
    text = """
        import os, sys
        child = os.fork()
        if child == 0:
            print("child", flush=True)
            sys.exit(4)
        print("parent", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    result, report = same_script(tmp_path, text)
    assert result.stdout == "child\nparent 4\n"
    assert report["program_status"] == 0


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(tmp_path, method):
    text = """
        import multiprocessing, os, sys
        import numpy as np
        import beside
        def double(x):
            assert isinstance(x, np.ndarray), type(x)
            return type(x) is type(np.zeros(1)) is type(beside.make()), (2 * x).tolist()
        if __name__ == "__main__":
            with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
                print(pool.map(double, [np.arange(3), np.ones(1)]))
    """
    write(tmp_path, beside__py="import numpy\ndef make():\n    return numpy.ones(1)\n")
    result, report = same_script(tmp_path, text, method)
    assert result.stdout == "[(True, [0, 2, 4]), (True, [2.0])]\n"
    assert report["program_status"] == 0


# ---- what libraries see ----------------------------------------------------------------------------------------------


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


# ---- programs that cannot be run -------------------------------------------------------------------------------------


def refused(folder, *arguments):
    """What the command writes to stderr for a program that cannot be run."""
    ours = python(*COMMAND, folder / "report.json", *arguments, folder=folder)
    assert (ours.stdout, ours.returncode) == ("", 2)
    assert "Traceback" not in ours.stderr
    assert ours.stderr.startswith("simulate: ")
    return ours.stderr


def test_no_such_program(tmp_path):
    write(tmp_path, package__in____init____py="", space__in__file="", script__py="")
    assert "can't open file" in refused(tmp_path, "nowhere.py")
    assert "can't find '__main__' module in 'package'" in refused(tmp_path, "package")
    assert "No module named nowhere" in refused(tmp_path, "-m", "nowhere")
    assert "No module named package.nowhere" in refused(tmp_path, "-m", "package.nowhere")
    assert "No module named package.__main__" in refused(tmp_path, "-m", "package")
    assert "No module named script.part" in refused(tmp_path, "-m", "script.part")
    assert "No module named space.__main__" in refused(tmp_path, "-m", "space")


def test_no_python(tmp_path):
    (tmp_path / "broken.py").write_text("x = (\nprint(1)\n")
    (tmp_path / "latin.py").write_bytes("print('é')\n".encode("latin-1"))
    (tmp_path / "null.py").write_bytes(b"print(1)\0\n")
    (tmp_path / "deep.py").write_text("(" * 1000 + ")" * 1000)
    (tmp_path / "damaged.pyc").write_bytes(b"nothing")
    (tmp_path / "damaged.zip").write_bytes(b"PK\x03\x04 nothing")
    assert "'(' was never closed" in refused(tmp_path, "broken.py")
    assert "never closed" in refused(tmp_path, "-m", "broken")
    assert "latin.py" in refused(tmp_path, "latin.py")
    assert "null byte" in refused(tmp_path, "null.py")
    for name in ("deep.py", "damaged.pyc", "damaged.zip"):
        refused(tmp_path, name)


def test_arguments_that_name_no_program(tmp_path):
    for arguments in ([], ["--json"], ["-m"], ["--include"], ["--nonsense", "script.py"], ["--jso", "script.py"]):
        ours = python(*COMMAND[:4], *arguments, folder=tmp_path)
        assert ours.returncode == 2
        assert "usage: python -m cowarray simulate" in ours.stderr


def test_a_report_that_cannot_be_written(tmp_path):
    write(tmp_path, script__py="print(1)")
    ours = python(*COMMAND, tmp_path / "no folder" / "report.json", "script.py", folder=tmp_path)
    assert (ours.stdout, ours.returncode) == ("", 2)
    assert "cannot write to" in ours.stderr


def test_errors_in_a_package_of_the_program_are_its_own(tmp_path):
    write(tmp_path, package__in____init____py="import nowhere", package__in__part__py="")
    plain = python(*PLAIN, "-m", "package.part", folder=tmp_path)
    ours = python(*COMMAND, "report.json", "-m", "package.part", folder=tmp_path)
    assert plain.returncode == ours.returncode == 1
    assert ours.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'nowhere'"


def test_a_script_without_numpy_and_without_stderr(tmp_path):
    write(tmp_path, script__py="print(1)")
    with open(os.devnull) as null:
        ours = subprocess.run(
            ["sh", "-c", 'exec "$@" 2>&-', "sh", *COMMAND[:4], "script.py"],
            cwd=tmp_path, stdin=null, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert (ours.stdout, ours.returncode) == ("1\n", 0)
