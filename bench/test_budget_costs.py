"""The operations whose prices are measured go for a dtype each, and the table of them is printed."""

import subprocess
import sys
from pathlib import Path

import pytest
from budget_costs import OPERATIONS, is_far, measure

PROGRAM = Path(__file__).with_name("budget_costs.py")


@pytest.mark.parametrize("group", OPERATIONS)
def test_each_operation_goes_for_a_dtype(group):
    found = dict(zip(OPERATIONS[group], measure(4096, "f8", OPERATIONS[group], 1), strict=True))
    whole = [each for each, pair in found.items() if None in pair]
    assert set(whole) <= {"~w", "w & w"}
    assert sum(all(pair) for pair in found.values() if None not in pair) > len(found) / 2


def test_prices_are_far_that_are_out_by_more_than_a_call_takes():
    for pair in ((9e-3, 1e-3), (1e-3, 9e-3)):
        assert is_far(*pair, 4)
    for pair in ((3e-3, 1e-3), (5e-6, 1e-6), (None, 1e-3), (0.0, 1e-3)):
        assert not is_far(*pair, 4)


def test_the_table_of_prices_is_printed():
    arguments = ["--kib", "8", "--dtype", "f8", "bool", "--rounds", "1", "--all", "x ** 2", "x // y", "transforms"]
    done = subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    heading, _, *rows = done.stdout.splitlines()
    assert heading == "| operation | 8 KiB f8 | 8 KiB bool |"
    assert [row.split("`")[1] for row in rows[:2]] == ["x // y", "x ** 2"]
    assert len(rows) == 2 + len(OPERATIONS["transforms"]) + 3
