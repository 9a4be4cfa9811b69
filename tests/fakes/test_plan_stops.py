"""What gets past a stop of ``python -m cowarray plan``: the options that it names, and what they assume."""

import json
import textwrap

import pytest
from plan_reports import command, report, script

NEEDY = """\
import numpy as np
x = np.random.default_rng(0).normal(size=(20_000, 8))
labels = x.argmin(axis=1)
means = [x[labels == j].mean(axis=0) for j in range(8)]
while np.abs(x).max() > 1e-3:
    x *= 0.5
if not np.isfinite(x).all():
    raise ValueError("diverged")
print(int(labels[0]), means[0].shape)
y = np.zeros((1 << 20, 8))
"""


def test_a_stop_names_the_options_that_get_past_it(tmp_path):
    name = script(tmp_path, NEEDY)
    result = command(tmp_path, "--limit", "8 GiB", name)
    assert result.returncode == 1
    assert "within the limit" not in result.stderr.replace("nobody knows whether the peak is within the limit", "")
    assert "The program stopped at script.py:4: means =" in result.stderr
    assert "  to get past it: --assume masks=all (or all)\n  or: --sample 2MiB\n" in result.stderr
    for options in (["--assume", "masks=all", "--assume", "conditions=true,numbers=1"], ["--assume", "all"]):
        found = report(tmp_path, NEEDY, *options)[0]
        assert (found["stopped"], found["peak_bytes"] > 64 << 20) == (None, True)
    assert [(each["at"]["lineno"], each["what"], each["answer"], each["times"]) for each in found["assumed"]] == [
        (4, "masks", "all elements", 8),
        (5, "conditions", "false", 1),
        (5, "conditions", "true", 10),
        (7, "conditions", "true", 1),
        (9, "numbers", "1", 1),
    ]
    found, printed = report(tmp_path, NEEDY, "--sample", "2 MiB")
    assert (found["assumed"], found["stopped"], printed.partition(" ")[2]) == ([], None, "(8,)\n")


def test_each_option_that_a_stop_names_gets_past_it(tmp_path):
    options, lines = [], []
    for _ in range(4):
        found, _ = report(tmp_path, NEEDY, *options, status=int(len(options) < 6))
        if found["stopped"] is None:
            break
        lines.append(found["stopped"]["at"]["lineno"])
        options += found["stopped"]["options"][0].partition(" (")[0].split()
    assert (lines, options[1::2]) == ([4, 5, 9], ["masks=all", "conditions=true", "numbers=1"])


def test_the_text_names_each_line_that_assumed(tmp_path):
    result = command(tmp_path, "--assume", "all", "--limit", "1GiB", script(tmp_path, NEEDY))
    assert result.returncode == 0
    assert "The peak is within the limit of 1.0 GiB." in result.stderr
    assert (
        textwrap.dedent("""\
        The plan holds for what was assumed:
          script.py:4: means = [x[labels == j].mean(axis=0) for j in range(8)]
            a mask picks all elements, 8 times
          script.py:5: while np.abs(x).max() > 1e-3:
            a condition is false
            a condition is true, 10 times
        """)
        in result.stderr
    )


def test_a_program_that_raises_after_an_assumption_is_told_the_other_answer(tmp_path):
    text = """\
        import numpy as np
        x = np.zeros((1000, 1000))
        negative = bool(x.min() < 0)
        if negative:
            raise ValueError("negative")
        """
    found, _ = report(tmp_path, text, "--assume", "all", status=1)
    (option,) = found["stopped"]["options"]
    assert option.startswith("--assume script.py:3=false")
    report(tmp_path, text, "--assume", "all", *option.partition(",")[0].split())


def test_assertions_of_numpys_testing_hold_where_conditions_are_assumed(tmp_path):
    text = """\
        import numpy as np
        x = np.zeros((1000, 1000))
        for _ in range(20):
            np.testing.assert_allclose(np.sum([x.max(), x.min()]), 1)
        """
    report(tmp_path, text, status=1)
    found, _ = report(tmp_path, text, "--assume", "conditions=false,rounds=3")
    assert [(each["answer"], each["times"]) for each in found["assumed"]] == [("true", 20)]


def test_numbers_without_a_value_are_rounded(tmp_path):
    text = """\
        import numpy as np
        x = np.ones((1000, 1000))
        rounded = round(x.mean(), 3)
        print(rounded.shape, round(x.sum()))
        """
    assert report(tmp_path, text, "--assume", "all")[1] == "() 1\n"


def test_options_of_no_use_are_said(tmp_path):
    lines = [f"--assume={line}=true" for line in ("script.py:7", "script.py:70", "other.py:7", "script.py:1")]
    result = command(tmp_path, "--assume=all", *lines, "--include", "nosuch", script(tmp_path, NEEDY))
    assert result.returncode == 0
    assert result.stderr.splitlines()[:4] == [
        "plan: --include nosuch: no such package was imported",
        "plan: --assume script.py:70: nothing was asked there",
        "plan: --assume other.py:7: nothing was asked there",
        "plan: --assume script.py:1: nothing was asked there",
    ]
    assert result.stderr.splitlines()[4].startswith("cowarray plan: ")


def test_what_cannot_be_assumed_is_refused_before_the_program_runs(tmp_path):
    result = command(tmp_path, "--assume", "masks=7", script(tmp_path, "print('ran')"))
    assert (result.returncode, result.stdout) == (2, "")
    assert "argument --assume: masks must be a fraction of the elements" in result.stderr


def test_pandas_takes_masks_as_numpys(tmp_path):
    pytest.importorskip("pandas")
    text = """\
        import numpy as np
        import pandas as pd
        print(pd.Series([10, 20, 30]).iloc[np.array([True, False, True])].tolist())
        """
    assert report(tmp_path, text)[1] == "[10, 30]\n"


def test_a_package_that_uses_numpys_arrays_is_named(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "library.py").write_text("import numpy as np\ndef moved(x):\n    v = np.zeros(3)\n"
                                                       "    v -= x.mean(axis=0)\n    return v\n")  # fmt: skip
    text = """\
        import sys
        import numpy as np
        sys.path.append("elsewhere")
        import library
        print(library.moved(np.zeros((100_000, 3))).shape)
        """
    (tmp_path / "program").mkdir()
    text = text.replace('"elsewhere"', repr(str(tmp_path / "elsewhere")))
    found, _ = report(tmp_path / "program", text, status=1)
    assert found["stopped"]["options"][0] == "--include library"
    assert report(tmp_path / "program", text, "--include", "library")[1] == "(3,)\n"


def test_pythons_own_modules_are_not_to_be_included(tmp_path):
    text = """\
        import statistics
        import numpy as np
        statistics.fmean(np.zeros(100_000))
        """
    found, _ = report(tmp_path, text, status=1)
    assert not any("--include" in option for option in found["stopped"]["options"])


MISSING = {
    "sorted(n for n in os.listdir('.') if n.endswith('.npy'))[0]": "--sample 79KiB, for files of arrays without bytes",
    "' '.join(words[x.argsort()[:2].astype(int) % 2])": "--sample 79KiB, for an array without bytes was taken for",
}


@pytest.mark.parametrize("expression", MISSING)
def test_what_is_missing_where_there_are_no_bytes_is_named_with_the_option(tmp_path, expression):
    text = f"""\
        import os
        import numpy as np
        x = np.arange(10_000.0)
        words = np.array(["odd", "even"])
        np.save("x.npy", x)
        print({expression})
        """
    found, _ = report(tmp_path, text, status=1)
    (option,) = found["stopped"]["options"]
    assert option.startswith(MISSING[expression])
    report(tmp_path, text, *option.partition(",")[0].split())


def test_an_interrupt_tells_where_and_how_a_loop_ends(tmp_path):
    text = """\
        import os, signal
        import numpy as np
        x = np.zeros(1000)
        while np.flatnonzero(x).size:
            os.kill(os.getpid(), signal.SIGINT)
        """
    command(tmp_path, "--json", "--output", "report.json", "--assume=all", script(tmp_path, text))
    stopped = json.loads((tmp_path / "report.json").read_text())["stopped"]
    assert (stopped["exception"], stopped["at"]["lineno"]) == ("KeyboardInterrupt", 5)
    assert stopped["options"] == ["--assume script.py:4=0, for this is what was assumed last"]
    report(tmp_path, text, "--assume=all", "--assume=script.py:4=0")


def test_a_sample_that_gets_past_nothing_is_not_named(tmp_path):
    text = "import numpy as np\nfloat(np.lib.format.open_memmap('m.npy', 'w+', float, (1000,))[0])\n"
    for size, options in (("4KiB", ["--assume numbers=1 (or all)", "--sample 8KiB"]), ("8KiB", None)):
        found, _ = report(tmp_path, text, "--sample", size, status=1)
        assert found["stopped"]["options"] == (options or ["--assume numbers=1 (or all)"])
