"""Random programs of a history give what plain copies give (`histories.py`)."""

import pytest
from histories import run_program
from support.seeds import all_or, chosen_seed


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_random_programs(large):
    seed = chosen_seed()
    for number in range(all_or(200, 40) if not large else all_or(40, 8)):
        run_program(seed + number, 40, large)


@pytest.mark.long
def test_many_random_programs():
    seed = chosen_seed()
    for number in range(all_or(100_000, 5_000)):
        run_program(seed + number, 40, number % 10 == 0)
