"""The programs that look for the worst: they run, and they notice what they are there for."""

import shutil
import subprocess
import sys
from pathlib import Path

import day_of_work
import kept_generations
import mixed_writes
import prices
import pytest
import wrong_prices

HERE = Path(__file__).parent


def test_mixed_writes_are_timed_beside_numpy():
    seconds = mixed_writes.measure(60, 4, 0)
    assert [len(seconds[who]) for who in ("numpy", "cowarray")] == [60, 60]
    assert mixed_writes.percentile(range(1, 101), 0.99) == 100
    assert mixed_writes.percentile([5.0], 0.99) == 5.0


def test_a_day_is_worked_and_nothing_grows():
    command = [sys.executable, HERE / "day_of_work.py", "--seconds", "4", "--parts", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("Grown: nothing.\n")


@pytest.mark.parametrize("name", day_of_work.SLACK)
def test_what_grows_is_named(name):
    first = dict.fromkeys(day_of_work.SLACK, 100)
    last = {**first, name: 101 + day_of_work.SLACK[name]}
    assert day_of_work.grown(first, last) == [name]
    assert day_of_work.grown(first, first) == []


def test_a_ledger_that_spends_too_much_is_noticed():
    assert not wrong_prices.broken({"earned": 4.0, "spent": 5.0 + 8}, 64)
    assert wrong_prices.broken({"earned": 4.0, "spent": 5.1 + 8}, 64)


def test_wrong_prices_are_compiled_in():
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    found = [
        wrong_prices.run(prices.compiled("wrong_prices", wrong_prices.priced(factor)), "every-page-1")
        for factor in (0.5, 1.0)
    ]
    assert not any(wrong_prices.broken(each, 64) for each in found)
    assert found[0]["spent"] != found[1]["spent"] or found[0]["spent"] == found[0]["earned"]  # of plain copies


@pytest.mark.parametrize("way", [kept_generations.copies, kept_generations.versions])
def test_kept_generations_are_counted(way, capsys):
    kept_generations.show(way, 4 << 20, [3, 5])
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()]
    assert [row[:2] for row in rows] == [[way.__name__, "3"], [way.__name__, "5"]]
