"""`plan.plot()` draws the plan's figures, or names what has to be installed."""

import subprocess
import sys

import pytest

import cowarray

WITHOUT = """
import sys
sys.modules["matplotlib"] = None
import cowarray
with cowarray.fake() as plan:
    cowarray.zeros(3)
try:
    plan.plot()
except ImportError as error:
    print(error)
"""


def test_without_matplotlib_the_extra_is_named():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert "cowarray[plot]" in done.stdout


def test_the_chart_has_the_plans_figures():
    figures = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed")
    with cowarray.fake() as plan:
        x = cowarray.zeros((4, 1 << 20), "i1")
        y = x + 1
        del x
        kept = y[0].copy()
    axes = figures.Figure().add_subplot()
    assert plan.plot(axes) is axes
    [line] = axes.lines[:1]
    assert list(line.get_xdata()) == [0, *(birth for birth, _ in plan.series)]
    assert list(line.get_ydata()) == [0, *(live / 2**20 for _, live in plan.series)]
    assert axes.get_ylabel() == "live bytes, MiB"
    assert f"peak 8.0 MiB at {plan.peak_site}" in axes.get_title()
    assert axes.lines[1].get_xdata()[0] == {live: birth for birth, live in plan.series}[plan.peak_bytes]
    del kept


def test_an_empty_plan_has_an_empty_chart():
    figures = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed")
    with cowarray.fake() as plan:
        pass
    assert plan.plot(figures.Figure().add_subplot()).get_title() == ""
