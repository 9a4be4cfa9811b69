"""Seeds of what tests choose at random."""

import os
import random


def chosen_seed(usual=None):
    """COWARRAY_TEST_SEED; without it the usual seed, or else a new one. Printed: pytest shows it with a failure.

    Instead of a new one, `make check` has one for each commit: COWARRAY_CHECK_SEED.
    """
    if usual is None:
        usual = os.environ.get("COWARRAY_CHECK_SEED") or random.SystemRandom().randrange(2**32)
    seed = int(os.environ.get("COWARRAY_TEST_SEED", usual))
    print(f"seed: COWARRAY_TEST_SEED={seed}")
    return seed


def worlds(number):
    """Seeds of that many random worlds, of which a run takes five, or all: see all_or."""
    return range(all_or(number, min(number, 5)))


def all_or(number, fewer):
    """How many of something a run takes: fewer; with COWARRAY_ALL=1, the whole number.

    `make check-all` sets it, but for the tests that are long already, and for those at the ends of NumPy.
    """
    return number if os.environ.get("COWARRAY_ALL") == "1" else fewer
