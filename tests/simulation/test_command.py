"""``python -m cowarray simulate``: what the report says, where it goes, and the exit status."""

import json
import os
import re
import subprocess
import sys
import textwrap

import pytest
from support.limits import LONGEST

COMMAND = [sys.executable, "-m", "cowarray", "simulate"]

DIAGONAL = """\
import numpy as np
h = np.zeros((3, 3))
h.reshape(-1)[::4] += 2
print(h.sum())
"""
SILENT = """\
import numpy as np
x = np.arange(6.0)
print(x.reshape(2, 3).sum())
"""


def command(folder, *arguments, **options):
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": LONGEST} | options
    return subprocess.run([*COMMAND, *map(str, arguments)], cwd=folder, **options)


def script(folder, text, name="script.py"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return name


def report(folder, text, *arguments, options=()):
    """The JSON report on a script, and the process's result."""
    result = command(folder, "--json", "--output", "report.json", *options, script(folder, text), *arguments)
    return json.loads((folder / "report.json").read_text()), result


def lines(divergence):
    return tuple(divergence[step]["lineno"] for step in ("made", "written", "accessed"))


# ---- what it says ----------------------------------------------------------------------------------------------------


def test_the_text_shows_the_three_lines_and_the_mend(tmp_path):
    result = command(tmp_path, script(tmp_path, DIAGONAL))
    assert (result.stdout, result.returncode) == ("6.0\n", 1)
    assert result.stderr == textwrap.dedent("""\
        cowarray simulate: script.py: 1 access sees through an alias what 1 line wrote

        1. script.py:3: seen through an alias that ndarray.reshape made
             made      script.py:3  h.reshape(-1)[::4] += 2
             written   script.py:3  h.reshape(-1)[::4] += 2
             accessed  script.py:4  print(h.sum())  [ndarray.sum: 24 bytes]
           In cowarray that is a copy: use `reshape(..., copy=False)`, or write to the base.

        Would-be copies: 1 watched, 1 relied upon, 0 never written to.
        """)


def test_nothing_found(tmp_path):
    result = command(tmp_path, script(tmp_path, SILENT))
    assert (result.stdout, result.returncode) == ("15.0\n", 0)
    assert result.stderr == (
        "cowarray simulate: script.py: no access relied on an alias\n\n"
        "Would-be copies: 1 watched, 0 relied upon, 1 never written to.\n"
    )


def test_pandas_takes_arrays_as_numpys(tmp_path):
    pytest.importorskip("pandas")
    text = """\
        import numpy as np
        import pandas as pd
        print(pd.Series([10, 20, 30]).iloc[np.array([True, False, True])].tolist())
        print(list(pd.DataFrame(np.zeros(3, [("a", "f8"), ("b", "i4")]))))
        """
    found, result = report(tmp_path, text)
    assert (result.stdout, result.returncode) == ("[10, 30]\n['a', 'b']\n", 0)
    assert found["divergences"] == []


def test_accesses_of_one_write_stand_together(tmp_path):
    text = "import numpy as np\nx = np.zeros((2, 2))\ny = x.ravel()\ny[0] = 1\n" + "x.sum()\n" * 10
    result = command(tmp_path, script(tmp_path, text))
    assert "10 accesses see through an alias what 1 line wrote" in result.stderr
    assert result.stderr.count("accessed") == 8
    assert "and 2 more, which --json lists" in result.stderr
    assert "use `reshape(-1, copy=False)`, or write to the base" in result.stderr


def test_the_json(tmp_path):
    found, result = report(tmp_path, DIAGONAL, "an argument")
    assert (result.stdout, result.stderr, result.returncode) == ("6.0\n", "", 1)
    assert found.pop("versions").keys() == {"cowarray", "numpy", "python"}
    line = {"filename": str(tmp_path / "script.py"), "lineno": 3, "code": "h.reshape(-1)[::4] += 2"}
    assert found == {
        "format": "cowarray simulate 1",
        "program": {"script": "script.py", "arguments": ["an argument"]},
        "program_status": 0,
        "exit_status": 1,
        "exact": False,
        "would_be_copies": {"watched": 1, "relied_upon": 1, "never_written": 0},
        "divergences": [
            {
                "kind": "read",
                "operation": "ndarray.sum",
                "copied_by": "ndarray.reshape",
                "nbytes": 24,
                "times": 1,
                "differed": None,
                "made": line,
                "written": line,
                "accessed": line | {"lineno": 4, "code": "print(h.sum())"},
                "mend": "use `reshape(..., copy=False)`, or write to the base",
            }
        ],
        "borrowed": [],
    }


def test_names_that_were_borrowed(tmp_path):
    text = "import numpy as np\nnp.sort_complex(np.zeros(2))\nfrom numpy import poly1d\n"
    found, _ = report(tmp_path, text)
    assert [(each["name"], each["used"]["lineno"]) for each in found["borrowed"]] == [
        ("numpy.poly1d", 3),
        ("numpy.sort_complex", 2),
    ]
    result = command(tmp_path, "script.py")
    assert result.stderr.endswith(
        "NumPy's own were used for names that cowarray lacks:\n"
        "  numpy.poly1d (script.py:3)\n  numpy.sort_complex (script.py:2)\n"
    )


def test_what_a_borrowed_function_gives_is_watched(tmp_path):
    text = "import numpy as np\nx = np.sort_complex([1, 2, 3, 4])\nx.reshape(2, 2)[0] = 0\nx.sum()\n"
    found, _ = report(tmp_path, text)
    assert [lines(each) for each in found["divergences"]] == [(3, 3, 4)]


def test_exactly(tmp_path):
    text = "import numpy as np\nx = np.zeros(4)\nx.ravel()[0] = {}\nx.sum()\n"
    for value, differed in (("1", True), ("0", False)):
        found, _ = report(tmp_path, text.format(value), options=["--exact"])
        assert found["exact"]
        assert [each["differed"] for each in found["divergences"]] == [differed]
        result = command(tmp_path, "--exact", "script.py")
        assert f"a copy had {'other' if differed else 'equal'} values" in result.stderr


def test_an_error_at_the_access(tmp_path):
    found, result = report(tmp_path, DIAGONAL, options=["--error"])
    assert (result.stdout, result.returncode, found["program_status"], found["exit_status"]) == ("", 1, 1, 1)
    assert result.stderr.splitlines()[1].strip() == f'File "{tmp_path / "script.py"}", line 4, in <module>'
    assert "AliasingError" in result.stderr
    assert len(found["divergences"]) == 1


@pytest.mark.parametrize("filters", ["", "import warnings; warnings.simplefilter('error')", "-W"])
def test_nothing_is_warned_of(tmp_path, filters):
    python = [sys.executable, "-W", "error"] if filters == "-W" else [sys.executable]
    name = script(tmp_path, DIAGONAL if filters == "-W" else f"{filters}\n{DIAGONAL}")
    result = subprocess.run(
        [*python, *COMMAND[1:], "--output", "report", name], cwd=tmp_path, capture_output=True, text=True
    )
    assert (result.stdout, result.stderr, result.returncode) == ("6.0\n", "", 1)


# ---- where it goes ---------------------------------------------------------------------------------------------------


def test_json_goes_to_stderr_as_one_line_after_the_programs_own(tmp_path):
    name = script(tmp_path, DIAGONAL + "import sys\nsys.stderr.write('own\\n')\n")
    result = command(tmp_path, "--json", name)
    own, line = result.stderr.splitlines()
    assert (result.stdout, own) == ("6.0\n", "own")
    assert json.loads(line)["divergences"]


@pytest.mark.parametrize(
    "text",
    [
        "import sys; sys.stderr.close()",
        "import os; os.close(2)",
        "import os, sys; sys.stderr = open(os.devnull, 'w')",
        "import os; os.dup2(os.open(os.devnull, os.O_WRONLY), 2)",
    ],
)
def test_a_program_that_closes_stderr_is_reported_all_the_same(tmp_path, text):
    result = command(tmp_path, script(tmp_path, f"{DIAGONAL}{text}\n"))
    assert result.returncode == 1
    assert "1 access sees through an alias what 1 line wrote" in result.stderr


def test_a_report_never_goes_into_a_file_of_the_programs(tmp_path):
    text = """
        import os
        os.closerange(0, 256)
        for number in range(40):
            os.open(f"file{number}", os.O_WRONLY | os.O_CREAT)
    """
    result = command(tmp_path, script(tmp_path, DIAGONAL + textwrap.dedent(text)))
    assert result.returncode == 1
    files = list(tmp_path.glob("file*"))
    assert len(files) == 40
    assert {path.stat().st_size for path in files} == {0}


def test_a_report_in_a_file_when_the_program_leaves_its_folder(tmp_path):
    text = "import os\nos.mkdir('elsewhere')\nos.chdir('elsewhere')\nos.closerange(3, 256)\n"
    found, _ = report(tmp_path, text + DIAGONAL)
    assert len(found["divergences"]) == 1


def test_a_report_that_can_no_longer_be_written(tmp_path):
    name = script(tmp_path, f"{DIAGONAL}import shutil, sys; shutil.rmtree('gone'); sys.exit(int(sys.argv[1]))")
    for own, status in (("0", 2), ("7", 7)):
        (tmp_path / "gone").mkdir()
        result = command(tmp_path, "--output", "gone/report", name, own)
        assert (result.stdout, result.returncode) == ("6.0\n", status)
        assert result.stderr == "simulate: cannot write to 'gone/report': No such file or directory\n"


def test_an_old_report_does_not_survive(tmp_path):
    (tmp_path / "report.json").write_text("old")
    result = command(
        tmp_path, "--output", "report.json", script(tmp_path, "import os, signal; os.kill(os.getpid(), 9)")
    )
    assert result.returncode == -9
    assert (tmp_path / "report.json").read_text() == ""


# ---- exit status -----------------------------------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("", 1),
        ("sys.exit(0)", 1),
        ("sys.exit(5)", 5),
        ("sys.exit('text')", 1),
        ("1 / 0", 1),
        ("os._exit(0)", 1),
        ("os._exit(6)", 6),
    ],
)
def test_the_status_is_the_programs_own_or_says_what_was_found(tmp_path, end, status):
    found, result = report(tmp_path, f"import os, sys\n{DIAGONAL}{end}")
    assert (result.returncode, found["exit_status"]) == (status, status)
    assert len(found["divergences"]) == 1
    found, result = report(tmp_path, f"import os, sys\n{SILENT}{end}")
    assert result.returncode == found["exit_status"] == found["program_status"]


# ---- the whole program -----------------------------------------------------------------------------------------------


def test_modules_of_the_program_and_packages_that_are_named(tmp_path):
    deed = "import numpy as np\ndef deed(n):\n    x = np.zeros(n)\n    x.ravel()[0] = 1\n    return x.sum()\n"
    script(tmp_path, deed, "own/beside.py")
    script(tmp_path, deed, "own/lib/python3/site-packages/installed.py")
    script(tmp_path, deed, "libraries/named/__init__.py")
    script(tmp_path, deed, "libraries/other.py")
    text = """
        import sys
        sys.path += ["own/lib/python3/site-packages", "libraries"]
        import beside, installed, named, other
        print([each.deed(3) for each in (beside, installed, named, other)])
    """
    script(tmp_path, text, "own/script.py")
    result = command(tmp_path, "--json", "--output", "report", "--include", "named", "own/script.py")
    assert (result.stdout, result.stderr) == (
        "[np.float64(1.0), np.float64(1.0), np.float64(1.0), np.float64(1.0)]\n",
        "",
    )
    files = {
        os.path.relpath(each["accessed"]["filename"], tmp_path)
        for each in json.loads((tmp_path / "report").read_text())["divergences"]
    }
    assert files == {"own/beside.py", "libraries/named/__init__.py"}
    result = command(tmp_path, "--include", "installed", "own/script.py")
    shown = re.findall(r"^\d\. (\S+): seen", result.stderr, re.MULTILINE)
    assert shown == ["own/beside.py:4", "installed.py:4"]


@pytest.mark.parametrize("options", [[], ["--json"], ["--output", "report"]], ids=str)
def test_a_package_that_was_named_and_not_imported_is_said(tmp_path, options):
    script(tmp_path, "import numpy\n", "libraries/named/part.py")
    text = """
        import atexit, sys
        sys.path.append("libraries")
        import numpy as np
        atexit.register(lambda: __import__("named.part"))
        print(np.zeros(3).sum())
    """
    named = ["--include", "named", "--include", "name", "--include", "nosuch.part"]
    result = command(tmp_path, *options, *named, script(tmp_path, text))
    assert (result.stdout, result.returncode) == ("0.0\n", 0)
    said = [f"simulate: --include {package}: no such package was imported" for package in ("name", "nosuch.part")]
    assert result.stderr.splitlines()[:2] == said
    if options == ["--json"]:
        assert json.loads(result.stderr.splitlines()[-1])["exit_status"] == 0  # still the last line
    assert (len(result.stderr.splitlines()) == 2) is ("--output" in options)


def test_a_module_that_is_run_by_its_name(tmp_path):
    script(tmp_path, DIAGONAL, "elsewhere/package/part.py")
    script(tmp_path, "", "elsewhere/package/__init__.py")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "elsewhere"), os.environ.get("PYTHONPATH", "")])
    }
    result = command(tmp_path, "--json", "--output", "report", "-m", "package.part", "x", env=environment)
    found = json.loads((tmp_path / "report").read_text())
    assert result.returncode == len(found["divergences"]) == 1
    assert found["program"] == {"module": "package.part", "arguments": ["x"]}


def test_threads_simulate(tmp_path):
    text = """
        import concurrent.futures, threading, _thread
        import numpy as np
        x = np.zeros((2, 2))
        def inside(): x.ravel()[0] = 1; x.sum()
        def pooled(): x.ravel()[0] = 2; x.sum()
        def bare(): x.ravel()[0] = 3; x.sum(); done.release()
        thread = threading.Thread(target=inside)
        thread.start()
        thread.join()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(pooled).result()
        done = _thread.allocate_lock()
        done.acquire()
        _thread.start_new_thread(bare, ())
        done.acquire()
        late = threading.Thread(target=lambda: (threading.main_thread().join(), inside()))
        late.start()
    """
    found, result = report(tmp_path, text)
    assert result.stderr == ""
    own = {lines(each): each["times"] for each in found["divergences"] if len(set(lines(each))) == 1}
    assert own == {(5, 5, 5): 2, (6, 6, 6): 1, (7, 7, 7): 1}


@pytest.mark.parametrize("end", ["", "sys.exit(3)", "raise ValueError"])
def test_what_runs_at_the_end_is_reported(tmp_path, end):
    text = f"""
import atexit, sys
import numpy as np
x = np.zeros(4)
atexit.register(lambda: (x.ravel().fill(1), x.sum()))
{end}
"""
    found, _ = report(tmp_path, text)
    assert [lines(each) for each in found["divergences"]] == [(5, 5, 5)]


@pytest.mark.parametrize("end", ["sys.exit(7)", "os._exit(7)"])
def test_only_the_process_that_began_reports(tmp_path, end):
    text = f"""
import os, sys
{DIAGONAL}
sys.stdout.flush()
child = os.fork()
if child == 0:
    h.ravel()[0] = 3
    h.sum()
    {end}
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    result = command(tmp_path, script(tmp_path, text))
    assert result.stdout == "6.0\n7\n"
    assert result.stderr.count("cowarray simulate:") == 1
    assert "1 access sees" in result.stderr


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_compute_what_they_compute_with_numpy(tmp_path, method):
    text = """
        import multiprocessing, sys
        import numpy as np
        def deed(x):
            x.reshape(-1)[::4] += 2
            return x.sum()
        if __name__ == "__main__":
            with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
                print(*pool.map(deed, [np.zeros((3, 3))]))
    """
    _, result = report(tmp_path, text, method)
    assert (result.stdout, result.stderr, result.returncode) == ("6.0\n", "", 0)


def test_tests_of_a_program(tmp_path):
    pytest.importorskip("pytest")
    text = """
        import numpy as np
        import pytest
        def test_deed():
            x = np.zeros(3)
            x.ravel()[0] = 1
            assert x.sum() == pytest.approx(1)
            assert x == pytest.approx(np.array([1, 0, 0]))
            assert isinstance(x, np.ndarray)
    """
    script(tmp_path, text, "test_own.py")
    script(tmp_path, "[pytest]\nfilterwarnings = error\n", "pytest.ini")
    result = command(tmp_path, "--json", "--output", "report", "-m", "pytest", "-q", "test_own.py")
    found = json.loads((tmp_path / "report").read_text())
    assert "1 passed" in result.stdout
    assert result.returncode == 1
    assert {lines(each)[:2] for each in found["divergences"]} == {(6, 6)}
