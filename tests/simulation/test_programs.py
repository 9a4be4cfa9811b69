"""A program runs under ``python -m cowarray simulate`` as Python runs it: its output, its errors, its exit status."""

import os
import signal
import subprocess
import sys
import zipfile

import pytest
from both_ways import COMMAND, PLAIN, python, same, same_script, write

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


CODES = ["", "None", "0", "1", "3", "256", "-1", "True", "'a text'", "(1, 2)", "2.5"]


@pytest.mark.sampled
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


@pytest.mark.sampled
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
