"""Random programs that go in and out of `aliasing` do what NumPy does: with its aliases inside, with copies outside.

So do programs inside other modes, whose arrays are made later, or again.
"""

import contextlib

import pytest
from aliased_programs import run_many
from support.seeds import chosen_seed, worlds

import cowarray

pytestmark = pytest.mark.sanitized


class Started:
    """A block of the whole process."""

    def __enter__(self):
        cowarray.aliasing.start()

    def __exit__(self, *exc):
        cowarray.aliasing.stop()


@contextlib.contextmanager
def within(outer, inner):
    with outer(), inner():
        yield


def a_budget():
    return cowarray.budget(1000, small=0, cost="model")


WAYS = {
    "alone": {},
    "in the whole process": {"blocks": Started},
    "in deferred": {"around": cowarray.deferred},
    "around deferred": {"blocks": lambda: within(cowarray.aliasing, cowarray.deferred)},
    "in a budget": {"around": a_budget},
    "around a budget": {"blocks": lambda: within(cowarray.aliasing, lambda: cowarray.budget("1 GiB", small=0))},
    "in a traced program": {"around": cowarray.trace},
    "around a simulation": {"blocks": lambda: within(cowarray.aliasing, cowarray.simulate)},
    "in a simulation": {"blocks": lambda: within(cowarray.simulate, cowarray.aliasing)},
    "in the whole process, and a budget": {"blocks": Started, "around": a_budget},
}


@pytest.mark.sampled
@pytest.mark.parametrize("way", WAYS)
def test_programs_do_what_numpy_does(way):
    tally = run_many(150, chosen_seed(3), **WAYS[way])
    for kind in ("meant", "export", "import", "copy", "write"):
        assert tally[f"{kind}, inside"] > 10, "too few lines ran"
        assert tally[f"{kind}, outside"] > 10, "too few lines ran"


@pytest.mark.sampled
@pytest.mark.parametrize("world", worlds(20))
def test_more_programs(world):
    assert run_many(200, chosen_seed(100 + world)).total() > 2000


@pytest.mark.long
def test_a_hundred_thousand_programs():
    assert run_many(100_000, chosen_seed()).total() > 1_000_000
