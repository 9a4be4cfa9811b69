"""What a plan forecasts is what the program takes: its peak within 10 %, the bytes it copies exactly."""

import re
from pathlib import Path

import forecast
import pytest

import cowarray

GUIDE = Path(__file__).parents[2] / "docs" / "fake.md"


@pytest.mark.parametrize("name", forecast.PROGRAMS)
def test_the_forecast_holds(name):
    row = forecast.compare(name)
    assert row.holds, row


def test_what_is_measured_is_what_arrays_take(monkeypatch):
    def program(read):
        x = cowarray.zeros(1 << 20)  # NumPy's
        y = x.copy()
        y[0] = 1  # the core's
        return x, y, (x + y) * 2

    monkeypatch.setitem(forecast.PROGRAMS, "known", program)
    row = forecast.compare("known")
    assert row.planned_peak == 3 << 23
    assert 0 <= row.peak - (3 << 23) < 1 << 20
    assert (row.planned_copied, row.copied) == (1 << 23, 1 << 23)


@pytest.mark.parametrize(
    ("peak", "copied", "holds"), [(105, 7, True), (120, 7, False), (85, 7, False), (100, 8, False)]
)
def test_a_wrong_forecast_is_noticed(peak, copied, holds):
    assert forecast.Row("heat", peak, 100, copied, 7).holds == holds


def test_the_guide_has_all_of_the_programs():
    rows = re.findall(r"^\| (.*?) \|.*%", GUIDE.read_text(), re.MULTILINE)
    assert rows == [program.__doc__.rstrip(".") for program in forecast.PROGRAMS.values()]
    assert len(rows) >= 10
