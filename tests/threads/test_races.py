"""Two threads write one array, or one writes while another clones: torn values at worst (tests/threads/races.py)."""

import pytest
import races

pytestmark = pytest.mark.threads


def test_breaking_the_rule_for_two_seconds():
    assert races.Race(2.0, seed=1).run() > 20


@pytest.mark.long
def test_breaking_the_rule_for_a_minute():
    assert races.Race(60.0, seed=2).run() > 1000
