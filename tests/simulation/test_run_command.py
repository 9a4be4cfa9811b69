"""``python -m cowarray run``: a program is run as Python runs it, on this library's arrays."""

import json
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from support.limits import LONGEST

import cowarray

ARRAYS = """\
import sys, numpy as np
x = np.zeros((100, 100))
y = x.copy()
y[0] = 1
x.ravel()[:3] = 7
if "write" in sys.argv:
    x.data[5, 5] = 2
print(sys.argv[1:], __name__, __file__, y.sum(), x.sum())
"""
PROGRAMS = {
    "prints": "import sys; print(sys.argv, __name__); print('error', file=sys.stderr)",
    "raises": "import numpy as np\ndef f(x):\n    return x[99]\nf(np.zeros(3))",
    "exits": "import sys, numpy as np\nprint(np.arange(3).sum())\nsys.exit(int(np.int64(7)))",
    "exits with text": "import sys; sys.exit('sorry')",
    "reads": "import sys, numpy as np\nprint(np.array([float(line) for line in sys.stdin]).sum())",
    "imports beside it": "import helper\nprint(helper.total(4))",
    "at exit": "import atexit, numpy as np\natexit.register(lambda: print(np.ones(3).sum()))",
    "threads": """
        import threading, numpy as np
        def work():
            x = np.zeros(10); y = x.copy(); y[0] = 1; print(x.sum(), y.sum())
        thread = threading.Thread(target=work); thread.start(); thread.join()
    """,
    "processes": """
        import multiprocessing, numpy as np
        def work(n):
            return float(np.arange(n).sum())
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(work, [3, 4]))
    """,
    "pickles": """
        import pickle, numpy as np
        class Here:
            x = 1
        print(type(pickle.loads(pickle.dumps(Here()))).__module__, pickle.loads(pickle.dumps(np.arange(3))).sum())
    """,
    "arrays of its classes": """
        import numpy as np
        class Measured:
            def __array__(self, dtype=None, copy=None):
                return np.array([1.0, 2.0])
        class Corrected(Measured):
            def __array__(self, dtype=None, copy=None):
                values = super().__array__(dtype, copy)
                values[0] = 5
                return values
        print(np.asarray(Corrected()), np.add(Corrected(), 1))
    """,
    "views of NumPy's classes": """
        import warnings
        import numpy as np
        warnings.simplefilter("ignore", DeprecationWarning)  # of chararray, from NumPy 2.5 on
        records = np.rec.array([(1, 2.0)], dtype=[("a", int), ("b", float)])
        masked = np.ma.array([1, 2], mask=[0, 1])
        for x in (np.matrix([[1, 2]]), records, np.ones(3).view(np.recarray), np.char.array(["a"]), masked):
            y = x.view(np.ndarray)
            print(y, type(y).__name__, x.view(type=np.ndarray), type(x.view()).__name__)
        alias = masked.view(np.ndarray)
        alias[0] = 7
        print(masked, masked.view("f8").dtype, np.matrix([[1, 2]]).view("i4").shape)
    """,
    "metaclasses": """
        import abc, numpy as np
        class Kind(type):
            def __new__(cls, name, bases, namespace, mark=None):
                made = super().__new__(cls, name, bases, namespace)
                made.mark = mark
                return made
            def __init__(cls, name, bases, namespace, mark=None):
                super().__init__(name, bases, namespace)
        class Marked(np.ndarray, metaclass=Kind, mark=5):
            pass
        class Other(Marked):
            pass
        class Abstract(np.ndarray, abc.ABC):
            @abc.abstractmethod
            def part(self): ...
        class Plain(np.ndarray):
            def view(self, *args):
                print("viewed")
                return super().view(*args)
        x = np.arange(3).view(Marked)
        print(type(Marked).__name__, Marked.mark, Other.mark, type(x + 1).__name__, x.view(np.ndarray), type(Abstract))
        print(type(np.arange(3).view(Plain).view(np.ndarray)).__name__, Plain.__mro__, Marked.__bases__)
    """,
    "views that are no methods": """
        import numpy as np
        class Seen(np.ndarray):
            @property
            def view(self):
                return "seen"
        class Later(Seen):
            pass
        class OfClass(np.ndarray):
            @classmethod
            def view(cls, *args):
                return cls.__name__, args
        class Static(np.ndarray):
            @staticmethod
            def view(*args):
                return args
        class Missing(np.ndarray):
            view = None
        class Unequal(type):
            def __eq__(cls, other):
                raise ValueError("asked")
            __hash__ = type.__hash__
        class Unasked(metaclass=Unequal):
            pass
        for kind in (Seen, Later, OfClass, Static, Missing):
            x = np.ndarray.__new__(kind, 2)
            print(x.view if not callable(x.view) else x.view(3), type(kind.__dict__.get("view")).__name__)
    """,
    "names of the caller": """
        import numpy as np
        M = np.ones((2, 2))
        def joined():
            N = np.zeros((2, 2))
            return np.bmat("M N; N M")
        print(joined(), np.bmat("K", ldict={"K": M}))
    """,
}


def written(folder, text, name="program.py"):
    (folder / name).write_text(textwrap.dedent(text))
    return name


def run(folder, *arguments, command=("-m", "cowarray", "run"), text="1\n2\n"):
    return subprocess.run(
        [sys.executable, *command, *arguments],
        cwd=folder, input=text, capture_output=True, text=True, timeout=LONGEST, check=False,
    )  # fmt: skip


def without_ours(text):
    """A traceback without the frames of this library that lie below the program's."""
    return re.sub(r'  File "[^"]*cowarray/[^"]*", line .*\n(?:    .*\n)*', "", text)


@pytest.mark.sampled
@pytest.mark.parametrize("options", [(), ("--aliasing",), ("--paging", "eager")])
@pytest.mark.parametrize("program", PROGRAMS)
def test_output_status_and_traceback_are_the_programs(tmp_path, program, options):
    written(tmp_path, "import numpy as np\ndef total(n):\n    return np.ones(n).sum()\n", "helper.py")
    name = written(tmp_path, PROGRAMS[program])
    ours = run(tmp_path, *options, name, "--report", "-x", "y")
    pythons = run(tmp_path, name, "--report", "-x", "y", command=())
    assert (ours.stdout, ours.returncode) == (pythons.stdout, pythons.returncode)
    assert without_ours(ours.stderr) == pythons.stderr


def test_a_program_that_comes_with_numpy_prints_what_it_prints(tmp_path):
    program = "-m", "numpy.testing.print_coercion_tables"
    expected = run(tmp_path, *program, command=())
    assert expected.stdout.count("\n") > 50
    for options in ([], ["--aliasing"]):
        found = run(tmp_path, *options, *program)
        assert (found.stdout, found.returncode) == (expected.stdout, expected.returncode)


def test_the_guides_program_that_relies_on_aliases_runs_with_aliasing_alone(tmp_path):
    guide = (Path(__file__).parents[2] / "docs" / "moving.md").read_text()
    name = written(tmp_path, guide.partition("```python\n")[2].partition("```")[0])
    expected = run(tmp_path, name, command=()).stdout
    assert "mean 21.7882" in expected
    assert run(tmp_path, "--aliasing", name).stdout == expected
    assert run(tmp_path, name).stdout != expected


def test_arrays_are_ours_and_alias_on_request(tmp_path):
    name = written(tmp_path, "import numpy as np, cowarray\nprint(type(np.zeros(3)) is cowarray.ndarray)\n")
    assert run(tmp_path, name).stdout == "True\n"
    name = written(tmp_path, ARRAYS)
    pythons = run(tmp_path, name, "write", command=())
    assert run(tmp_path, "--aliasing", name, "write").stdout == pythons.stdout
    refused = run(tmp_path, name, "write")
    assert refused.returncode == 1
    assert "read-only" in refused.stderr


def test_what_libraries_ask_of_arrays_holds_with_aliasing_alone(tmp_path):
    (tmp_path / "site-packages").mkdir()
    library = "import numpy\ndef asked(x):\n    return isinstance(x, numpy.ndarray), x.__class__.__module__\n"
    written(tmp_path, library, "site-packages/library.py")
    program = (
        "import sys\nsys.path.append('site-packages')\nimport numpy as np, library\nprint(library.asked(np.ones(2)))"
    )
    name = written(tmp_path, program)
    assert run(tmp_path, name).stdout == "(False, 'cowarray')\n"
    assert run(tmp_path, "--aliasing", name).stdout == "(True, 'numpy')\n"


def test_libraries_find_no_page_for_notebooks_to_format(tmp_path):
    name = written(tmp_path, "import numpy as np\nprint(hasattr(np.ones(2), '_repr_html_'), dir(np.ones(2)) != [])\n")
    assert run(tmp_path, name).stdout == run(tmp_path, name, command=()).stdout == "False True\n"
    assert hasattr(cowarray.ones(2), "_repr_html_")


def test_the_report_names_the_lines_that_copied(tmp_path):
    name = written(tmp_path, "import numpy as np\nx = np.zeros(1000)\ny = x.copy()\nz = x.copy()\ny[0] = 1\nprint(5)\n")
    result = run(tmp_path, "--report", name)
    assert result.stdout == "5\n"
    lines = result.stderr.splitlines()
    assert lines[0] == "cowarray run: program.py: 2 copies of 16,000 bytes were lazy; 8,000 bytes were copied"
    assert lines[1].startswith("Peak resident memory: ")
    assert lines[2:] == ["Most was copied by", "  program.py:5  y[0] = 1  [1 time, 8,000 bytes]"]
    result = run(tmp_path, "--json", "--output", "report.json", name)
    assert result.stderr == ""
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["format"] == "cowarray run 1"
    assert (report["lazy_copies"], report["lazy_nbytes"], report["copied_nbytes"]) == (2, 16000, 8000)
    assert report["lines"][0]["line"]["lineno"] == 5
    assert report["peak_resident_nbytes"] > 10_000_000
    assert report["lost_writes"] == []


def test_the_report_names_the_lines_whose_writes_were_lost(tmp_path):
    name = written(
        tmp_path, "import numpy as np\nx = np.zeros((2, 2))\nfor _ in range(2):\n    x.ravel()[0] = 7\nprint(x[0, 0])"
    )
    result = run(tmp_path, "--report", name)
    assert result.stdout == "0.0\n"
    lines = result.stderr.splitlines()
    assert lines[-2] == "Written to a copy that nobody has read: with NumPy it may be a view (--aliasing)"
    assert lines[-1] == "  program.py:4  x.ravel()[0] = 7  [2 times]"
    result = run(tmp_path, "--aliasing", "--report", name)
    assert result.stdout == "7.0\n"
    assert "nobody has read" not in result.stderr


def test_modules_and_pytest(tmp_path):
    (tmp_path / "package").mkdir()
    written(tmp_path / "package", "", "__init__.py")
    written(tmp_path / "package", "import sys\nfrom package import part\nprint(sys.argv[1:], part.made)", "__main__.py")
    written(tmp_path / "package", "import numpy as np\nmade = type(np.ones(2)).__module__", "part.py")
    assert run(tmp_path, "-m", "package", "a").stdout == "['a'] cowarray\n"
    written(
        tmp_path,
        """
        import numpy as np
        def test_copies():
            x = np.zeros(3); y = x.copy(); y[0] = 1
            assert x.sum() == 0 and type(x).__module__ == "cowarray"
        def test_red():
            assert np.ones(2).sum() == 3
        """,
        "test_program.py",
    )
    result = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_program.py")
    assert "1 failed, 1 passed" in result.stdout
    assert result.returncode == 1


@pytest.mark.parametrize("options", [[], ["--report"]], ids=str)
def test_a_package_that_was_named_and_not_imported_is_said(tmp_path, options):
    name = written(tmp_path, "import json, numpy as np\nprint(np.zeros(2))\n")
    result = run(tmp_path, *options, "--include", "nosuch", "--include", "json", name)
    assert (result.stdout, result.returncode) == ("[0. 0.]\n", 0)
    assert result.stderr.splitlines()[0] == "run: --include nosuch: no such package was imported"
    assert result.stderr.count("--include") == 1


def test_without_stderr_nothing_is_said_of_packages_on_stdout(tmp_path):
    name = written(tmp_path, "import sys\nsys.stderr = None\nprint(5)\n")
    result = run(tmp_path, "--include", "nosuch", name)
    assert (result.stdout, result.stderr, result.returncode) == ("5\n", "", 0)


def test_what_cannot_be_run(tmp_path):
    assert run(tmp_path).returncode == 2
    missing = run(tmp_path, "missing.py")
    assert missing.returncode == 2
    assert "can't open file" in missing.stderr
    assert run(tmp_path, "--paging", "some", "x.py").returncode == 2
    assert run(tmp_path, "--unknown", "x.py").returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_it_as_it_ends_the_program(tmp_path):
    name = written(tmp_path, "import numpy as np, time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    with subprocess.Popen(
        [sys.executable, "-m", "cowarray", "run", name],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=LONGEST)
    assert process.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in stderr
