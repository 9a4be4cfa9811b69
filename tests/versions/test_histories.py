"""Random programs of a history give what plain copies give (`histories.py`)."""

import pytest
from histories import run_programs
from support.seeds import all_or, chosen_seed


@pytest.mark.parametrize("stored", [0, 1], ids=["in memory", "in a folder"])
@pytest.mark.parametrize("large", [0, 1], ids=["small", "large"])
def test_random_programs(large, stored):
    seed = chosen_seed()
    number = all_or(200, 40) // (5 if large else 1) // (2 if stored else 1)
    counts = run_programs(range(seed, seed + number), 40, large, stored)
    assert {"write", "commit", "go", "merge", "keep", "hold"} <= counts.keys()
    assert not stored or {"compact", "reopen"} <= counts.keys()


@pytest.mark.long
def test_many_random_programs():
    seed = chosen_seed()
    run_programs(range(seed, seed + all_or(100_000, 5_000)), 40, 0.1, 0.3)
