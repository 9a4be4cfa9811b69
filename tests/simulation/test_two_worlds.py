"""Under `simulate` random programs compute what they compute with NumPy, and each line is found that reads a value
which would be another, were each copy in meaning a copy."""

import pytest
from support.seeds import all_or, chosen_seed
from two_worlds import run_many

pytestmark = pytest.mark.sanitized

PROGRAMS = all_or(1500, 500)


@pytest.mark.sampled
@pytest.mark.parametrize("exact", [False, True])
def test_every_read_that_differs_is_found_at_its_line(exact):
    tally, missed = run_many(PROGRAMS, chosen_seed(11), exact)
    assert missed is None, f"{missed.listing()}\nmissed: {missed.missed}"
    assert tally["found and differ"] == tally["differ"] > PROGRAMS * 2 // 3
    assert tally["found and differ"] >= 0.98 * tally["found"], "of what is found, too much is equal"


def test_which_differ_is_known_where_it_is_asked_for():
    tally, _ = run_many(PROGRAMS, chosen_seed(12), True)
    assert tally["differ"] <= tally["said to differ"] <= 1.005 * tally["differ"]
    assert tally["found"] > tally["said to differ"], "not all that is found differs"


@pytest.mark.long
def test_a_hundred_thousand_programs():
    tally, missed = run_many(100_000, chosen_seed())
    assert missed is None, f"{missed.listing()}\nmissed: {missed.missed}"
    assert tally["found and differ"] == tally["differ"]
    assert tally["found and differ"] >= 0.98 * tally["found"]
