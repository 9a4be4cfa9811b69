"""``python -m cowarray plan``: what the report says, where a program stops, and the exit status."""

import textwrap

import pytest
from plan_reports import command, report, script

HEAT = """\
import numpy as np
plate = np.zeros((20_000, 20_000))
plate[0] = 100.0
inner = plate[1:-1, 1:-1]
inner += 0.2 * (plate[:-2, 1:-1] + plate[2:, 1:-1] - 2 * inner)
print(inner.shape)
"""


def test_the_text_says_how_much_and_where(tmp_path):
    result = command(tmp_path, script(tmp_path, HEAT))
    assert (result.stdout, result.returncode) == ("(19998, 19998)\n", 0)
    assert result.stderr == textwrap.dedent("""\
        cowarray plan: script.py: peak 8.9 GiB, live 3.0 GiB, copied 0 B

        Peak at script.py:5: inner += 0.2 * (plate[:-2, 1:-1] + plate[2:, 1:-1] - 2 * ...

        at the peak     live  copied  line
            6.0 GiB      0 B     0 B  script.py:5  inner += 0.2 * (plate[:-2, 1:-1] + plate[2:, 1:-1] - 2 * ...
            3.0 GiB  3.0 GiB     0 B  script.py:2  plate = np.zeros((20_000, 20_000))
        """)


def test_the_json(tmp_path):
    found, printed = report(tmp_path, HEAT, "--limit", "9 GiB")
    assert printed == "(19998, 19998)\n"
    assert found.pop("versions").keys() == {"cowarray", "numpy", "python"}
    path = str(tmp_path / "script.py")
    lines = found.pop("lines")
    peak = 8 * (20_000**2 + 2 * 19_998**2)
    code = "inner += 0.2 * (plate[:-2, 1:-1] + plate[2:, 1:-1] - 2 * inner)"
    assert found == {
        "format": "cowarray plan 1",
        "program": {"script": "script.py", "arguments": []},
        "program_status": 0,
        "exit_status": 0,
        "real": 4096,
        "limit": 9 << 30,
        "peak_bytes": peak,
        "peak_at": {"filename": path, "lineno": 5, "code": code},
        "live_bytes": 8 * 20_000**2,
        "bytes_copied": 0,
        "real_bytes": 0,
        "assumed": [],
        "stopped": None,
        "borrowed": [],
    }
    assert sum(line["peak_bytes"] for line in lines) == peak
    assert [line["lineno"] for line in lines[:2]] == [5, 2]


def test_what_lazy_copies_copy_is_counted(tmp_path):
    text = "import numpy as np\nx = np.zeros(1 << 20)\ny = x.copy()\nz = x.copy()\nprint(y.shape)\ny[0] = 1\n"
    found, _ = report(tmp_path, text)
    assert (found["peak_bytes"], found["bytes_copied"]) == (2 << 23, 1 << 23)
    assert [line["lineno"] for line in found["lines"] if line["bytes_copied"]] == [6]


@pytest.mark.parametrize(
    ("limit", "status", "side"),
    [("8GiB", 1, "above"), ("8 gib", 1, "above"), ("10 GB", 0, "within"), (str(9 << 30), 0, "within")],
)
def test_a_limit(tmp_path, limit, status, side):
    result = command(tmp_path, "--limit", limit, script(tmp_path, HEAT))
    assert result.returncode == status
    assert f"\nThe peak is {side} the limit of " in result.stderr


SMALL = """\
    import numpy as np
    kept = [np.ones(500) for _ in range(2000)]
    del kept
    kept = [np.ones(500) for _ in range(1000)]
    """


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--limit", "1MiB"], 1, "With the arrays that were computed, the peak may be above the limit of 1.0 MiB."),
        (["--limit", "8MiB"], 0, "The peak is within the limit of 8.0 MiB."),
        (["--limit", "1MiB", "--real", "0"], 1, "The peak is above the limit of 1.0 MiB."),
    ],
)
def test_the_limit_is_of_arrays_that_are_computed_too(tmp_path, options, status, said):
    result = command(tmp_path, *options, script(tmp_path, SMALL))
    assert (result.returncode, said in result.stderr.splitlines()) == (status, True), result.stderr
    computed = "Arrays that were computed had up to 7.6 MiB beside these."
    assert (computed in result.stderr.splitlines()) == ("--real" not in options)
    found, _ = report(tmp_path, SMALL)
    assert found["real_bytes"] == 2000 * 4000


def test_the_limit_itself_is_not_above(tmp_path):
    text = "import numpy as np\nx = np.zeros(1 << 20)\n"
    report(tmp_path, text, f"--limit={8 << 20}")
    report(tmp_path, text, f"--limit={(8 << 20) - 1}", status=1)


@pytest.mark.parametrize(
    "arguments",
    [["--limit", "8 GX", "s.py"], ["--real=-1", "s.py"], ["--limit"], [], ["--reall", "3", "s.py"], ["no.py"]],
)
def test_what_cannot_be_used(tmp_path, arguments):
    script(tmp_path, "print('ran')", "s.py")
    result = command(tmp_path, *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr


def test_the_programs_own_status_and_arguments(tmp_path):
    text = "import sys\nprint(sys.argv[1:], __name__)\nsys.exit(3)\n"
    name = script(tmp_path, text)
    for arguments in ([name], ["-m", "script"]):
        result = command(tmp_path, *arguments, "--limit", "x")
        assert (result.returncode, result.stdout) == (3, "['--limit', 'x'] __main__\n")
        assert "peak 0 B" in result.stderr
        assert "stopped" not in result.stderr


def test_a_value_that_is_needed(tmp_path):
    text = """\
        import numpy as np
        x = np.zeros((1000, 1000))
        y = x + 1
        def check(y):
            if bool(y[3, 4]):
                print("never")
        check(y)
        """
    found, printed = report(tmp_path, text, status=1)
    assert printed == ""
    assert (found["program_status"], found["peak_bytes"]) == (1, 16_000_008)
    stopped = found["stopped"]
    assert (stopped["at"]["lineno"], stopped["at"]["code"]) == (5, "if bool(y[3, 4]):")
    assert stopped["exception"] == "FakeError"
    assert "value" in stopped["needs_a_value"]["reason"]
    assert stopped["needs_a_value"]["made"]["lineno"] == 5
    result = command(tmp_path, "script.py")
    assert "\nThe program stopped at script.py:5: if bool(y[3, 4]):\n" in result.stderr
    assert "  the array was made at script.py:5: if bool(y[3, 4]):\n" in result.stderr
    assert "What follows is planned up to there.\n\nPeak at script.py:" in result.stderr


def test_a_value_that_is_needed_behind_another_exception(tmp_path):
    text = """\
        import numpy as np
        x = np.zeros((1000, 1000))
        try:
            bool(x[0, 0])
        except TypeError as error:
            raise RuntimeError("mine") from error
        """
    stopped = report(tmp_path, text, status=1)[0]["stopped"]
    assert (stopped["exception"], stopped["message"], stopped["at"]["lineno"]) == ("RuntimeError", "mine", 4)
    assert stopped["needs_a_value"]["made"]["lineno"] == 4


SWALLOWING = ["struct.pack('d', x[0])", "np.nditer(x)", "np.nested_iters(x[None], [[0], [1]])"]


@pytest.mark.parametrize("expression", SWALLOWING)
def test_a_value_that_is_needed_by_code_in_c_that_raises_an_error_of_its_own(tmp_path, expression):
    text = f"import struct\nimport numpy as np\nx = np.zeros(10_000)\n{expression}\nprint('on')\n"
    stopped = report(tmp_path, text, status=1)[0]["stopped"]
    assert stopped["at"]["lineno"] == 4
    assert stopped["needs_a_value"]["reason"] == "a value is needed"
    option = stopped["options"][-1]
    assert option.startswith("--sample ")
    assert report(tmp_path, text, *option.split())[1] == "on\n"


@pytest.mark.parametrize("line", ["x + np.ones(7)", "undefined", "float('one')"])
def test_an_error_after_a_refusal_that_the_program_caught_is_its_own(tmp_path, line):
    text = f"""\
        import contextlib
        import numpy as np
        x = np.zeros(10_000)
        with contextlib.suppress(TypeError):
            float(x[0])
        {line}
        """
    stopped = report(tmp_path, text, status=1)[0]["stopped"]
    assert (stopped["at"]["lineno"], stopped["needs_a_value"], stopped["options"]) == (6, None, [])


def test_an_unknown_name_beside_a_refusal_that_the_program_caught_is_its_own(tmp_path):
    text = """\
        import numpy as np
        x = np.zeros(10_000)
        def safe(function):
            try:
                return function()
            except TypeError:
                return None
        a = [safe(lambda: float(x[0])), undefined]
        """
    stopped = report(tmp_path, text, status=1)[0]["stopped"]
    assert (stopped["at"]["lineno"], stopped["needs_a_value"], stopped["options"]) == (8, None, [])


def test_a_wrong_shape(tmp_path):
    text = "import numpy as np\nx = np.zeros((1 << 20, 3))\ny = np.ones((1 << 20, 2))\nx + y\n"
    found, _ = report(tmp_path, text, status=1)
    assert found["stopped"]["at"]["lineno"] == 4
    assert found["stopped"]["exception"] == "ValueError"
    assert "(1048576,3)" in found["stopped"]["message"]
    assert found["stopped"]["needs_a_value"] is None
    assert found["peak_bytes"] == 5 << 23
    result = command(tmp_path, "script.py")
    assert "The program stopped at script.py:4: x + y\n  ValueError: operands could not be broadcast" in result.stderr


def test_an_exception_in_a_thread(tmp_path):
    text = """\
        import threading
        import numpy as np
        x = np.zeros((1000, 3))
        def work():
            x + np.zeros((1000, 2))
        for _ in range(2):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        print("on")
        """
    found, printed = report(tmp_path, text, status=1)
    assert (printed, found["program_status"], found["stopped"]["at"]["lineno"]) == ("on\n", 0, 5)


def test_an_exception_holds_no_arrays(tmp_path):
    text = """\
        import numpy as np
        def work():
            x = np.zeros(1 << 20)
            raise KeyError("x")
        work()
        """
    found, _ = report(tmp_path, text, status=1)
    assert (found["stopped"]["exception"], found["stopped"]["message"]) == ("KeyError", "'x'")
    assert found["peak_bytes"] == 8 << 20


def test_a_broadcast_tells_its_shape_and_has_no_elements(tmp_path):
    text = """\
        import numpy as np
        b = np.broadcast(np.zeros((3000, 1)), np.zeros((1, 4000)), 5)
        print(b.shape, b.size, b.ndim, b.nd, b.numiter, isinstance(b, np.broadcast))
        print(np.broadcast(b, np.zeros((2, 1, 1))).shape)
        small = np.broadcast(np.zeros(2), 1.0)
        print([float(x) for x, _ in small], isinstance(small, np.broadcast), isinstance(3, np.broadcast))
        for wrong in "next(b)", "iter(b)", "b.index", "np.broadcast(np.zeros(3000), np.zeros(4000))", "b.nothing":
            try:
                eval(wrong)
            except (TypeError, ValueError, AttributeError) as error:
                print(type(error).__name__)
        """
    _, printed = report(tmp_path, text)
    assert printed == (
        "(3000, 4000) 12000000 2 2 3 True\n(2, 3000, 4000)\n[0.0, 0.0] True False\n"
        "FakeError\nFakeError\nFakeError\nValueError\nAttributeError\n"
    )


def test_small_arrays_are_computed(tmp_path):
    text = """\
        import numpy as np
        n = np.zeros(511) + 3
        print(float(n[0]))
        m = np.zeros(512)
        print(m)
        """
    _, printed = report(tmp_path, text)
    assert printed == "3.0\narray(..., shape=(512,), dtype=float64, fake)\n"
    _, printed = report(tmp_path, text, "--real", "4 KiB")
    assert printed.startswith("3.0\narray(...")
    _, printed = report(tmp_path, text, "--real=1 MB")
    assert "fake" not in printed
    found, _ = report(tmp_path, text, "--real", "0", status=1)
    assert found["stopped"]["at"]["lineno"] == 3
