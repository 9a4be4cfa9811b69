"""Pools hold nobody, live as long as they are needed, and change nothing where memory is refused."""

import gc
import weakref
from itertools import pairwise

import pytest
from modelled_pools import GONE_TAKES
from support.limits import taken_by
from support.threads import alone

from cowarray._modes.budget.pools import Pool, Pools

pytestmark = pytest.mark.sanitized


class Owner:
    pass


def test_pools_hold_nobody():
    pools = Pools(100)
    owners = [Owner() for _ in range(2)]
    died = [weakref.ref(owner) for owner in owners]
    parent, child = (Pool(1, 1, owner=owner) for owner in owners)
    del owners
    pools.add(parent)
    pools.add(child)
    pools.link(parent, child)
    pools.link(parent, child)
    pools.gone(parent)
    del parent
    assert died[0]() is None
    assert pools.cost_to_make(child) == 1 + GONE_TAKES
    del child
    assert died[1]() is None
    assert pools.live == 0
    assert pools.n_candidates == 0


def test_what_is_made_of_two_heirs_costs_no_more_than_all_that_was_done_so_many_times():
    pools = Pools(100)
    last = Pool(1, 1)
    pools.add(last)
    for _ in range(1000):  # part = f(last); last = last + part
        part, new = Pool(1, 1), Pool(1, 1)
        pools.add(part)
        pools.link(last, part)
        pools.add(new)
        pools.link(last, new)
        pools.link(part, new)
        pools.gone(last)
        pools.gone(part)
        last = new
    assert last.cost == 1 + 2000 * GONE_TAKES


def test_neighbours_through_what_is_gone_are_the_nearest():
    pools = Pools(100)
    last = Pool(1, 1)
    pools.add(last)
    inputs, steps = [], []
    for _ in range(30):
        new, given = Pool(1, 1), Pool(1, 1)
        pools.add(new)
        pools.add(given)
        pools.link(last, new)
        pools.link(given, new)
        pools.gone(last)
        inputs.append(given)
        steps.append(last)
        last = new
    free = pools.cost_to_make(last)
    seen = []
    for i, pool in enumerate(inputs):
        pools.evicted(pool)
        seen += [i] * (pools.cost_to_make(last) > free)
        pools.remade(pool)
    assert seen == list(range(21, 30))


def test_what_is_gone_costs_what_was_made_of_it_and_connects_nobody():
    """A sum over layers that are away. Its terms are gone, and were made of a layer each."""
    pools = Pools(100)
    total = Pool(1, 1)
    pools.add(total)
    layers = [Pool(1, 1) for _ in range(20)]
    for layer in layers:
        term = Pool(1, 10)
        pools.add(layer)
        pools.add(term)
        pools.link(layer, term)
        pools.link(term, total)
        pools.gone(term)
    pools.gone(term)
    assert pools.cost_to_make(total) == total.cost == 1 + 20 * 10 * GONE_TAKES
    pools.evicted(layers[0])
    pools.evicted(layers[19])
    assert [pools.cost_to_make(layer) for layer in layers] == [1] * 20
    assert pools.cost_to_make(total) == 1 + 20 * 10 * GONE_TAKES + 2
    pools.now = 1
    assert pools.choose() in layers


def test_pools_made_of_each_other_are_collected():
    """Arrays that were added to each other in place are."""
    pools = Pools(100)
    known = [Pool(i) for i in range(8)]
    for i, pool in enumerate(known):
        pools.add(pool)
        pools.link(known[i - i % 2], pool)
        pools.link(pool, known[i - i % 2])
    assert pools.live == sum(range(8))
    del known, pool
    gc.collect()
    assert pools.live == 0
    assert pools.n_candidates == 0


def test_cycles_through_owners_are_collected():
    pools = Pools(100)
    one, other = Pool(1), Pool(2)
    pools.add(one)
    pools.add(other)
    pools.link(one, other)
    pools.link(other, one)
    one.owner = [one]
    pools.evicted(one)
    assert pools.live == 2
    third = Pool(3, owner=Owner())
    third.owner.pool = third
    pools.add(third)
    del one, other, third
    gc.collect()
    assert pools.live == 0
    assert pools.n_candidates == 0


def test_a_pool_outlives_the_variable_of_its_run():
    pool = Pool(1)
    pools = Pools(100)
    pools.add(pool)
    pools.evicted(pool)
    del pools
    pool.pools.remade(pool)
    assert pool.pools.live == 1


def test_what_has_died_costs_nobody_anything():
    pools = Pools(100)
    one, other, last = Pool(1, 1), Pool(1, 5), Pool(1, 7)
    for pool in (one, other, last):
        pools.add(pool)
    pools.link(one, other)
    pools.link(other, last)
    pools.evicted(other)
    pools.evicted(last)
    assert pools.cost_to_make(one) == 13
    del last, pool
    assert pools.cost_to_make(one) == 6
    del other
    assert pools.cost_to_make(one) == 1


def ending_in_itself(pools, base, last):
    pool = Pool(1, 1)
    pools.add(pool)
    pools.link(base, pool)
    pools.link(last, pool)
    pools.evicted(pool)
    pools.remade(pool)
    pools.cut(pool)
    return pool


def beside_others(pools, base, last):
    pool = Pool(1, 1)
    pools.add(pool)
    pools.link(base, pool)
    pools.evicted(pool)
    return pool


def in_place(pools, base, last):
    pools.link(base, last)
    pools.add_cost(last, 1)
    return last


def in_a_sum(pools, base, last):
    term = Pool(1, 1)
    pools.add(term)
    pools.link(base, term)
    pools.link(term, last)
    pools.gone(term)
    return last


@pytest.mark.parametrize("step", [ending_in_itself, beside_others, in_place, in_a_sum])
def test_a_long_program_takes_no_more_memory(step):
    pools = Pools(100)
    base, last = Pool(1, constant=True), Pool(1)
    pools.add(base)
    pools.add(last)
    for _ in range(1000):
        last = step(pools, base, last)
    with taken_by(__file__) as taken:
        for _ in range(20_000):
            last = step(pools, base, last)
        assert taken() < 2000


def test_a_chain_of_100_000_goes_from_its_end_while_the_last_lives():
    pools = Pools(100)
    known = [Pool(1, 1) for _ in range(100_000)]
    for pool in known:
        pools.add(pool)
    for one, other in pairwise(known):
        pools.link(one, other)
    for pool in known[-2::-1]:
        pools.gone(pool)
    assert pools.cost_to_make(known[-1]) == 1 + 99_999 * GONE_TAKES


def test_a_chain_of_100_000_dies_without_recursion():
    pools = Pools(100)
    last = Pool(1, 1)
    pools.add(last)
    for _ in range(100_000):
        pool = Pool(1, 1)
        pools.add(pool)
        pools.link(last, pool)
        pools.gone(last)
        last = pool
    assert pools.cost_to_make(last) == 1 + 100_000 * GONE_TAKES
    del pool, last
    assert pools.live == 0


def state(pools, known):
    return (
        pools.live,
        pools.n_candidates,
        [(pool.where, pools.cost_to_make(pool), pool.cost) for pool in known if pool.pools is pools],
    )


@alone()
def test_a_refused_allocation_changes_nothing():
    memory = pytest.importorskip("_testcapi", reason="CPython's own tests can refuse memory")
    failed = 0
    for n in range(60):
        pools = Pools(1000)
        known = [Pool(1, 1) for _ in range(16)]
        for pool in known:
            pools.add(pool)
        for one in known[1:5]:
            pools.link(known[0], one)
            pools.link(one, known[8])
        known.append(Pool(3, 1))
        steps = [
            lambda: pools.add(known[16]),  # noqa: B023
            lambda: pools.link(known[0], known[16]),  # noqa: B023
            lambda: pools.link(known[16], known[8]),  # noqa: B023
            lambda: pools.cut(known[8]),  # noqa: B023
        ]
        for step in steps:
            before = state(pools, known)
            gc.disable()
            memory.set_nomemory(n, n + 1)
            try:
                step()
            except MemoryError:
                memory.remove_mem_hooks()
                failed += 1
                assert state(pools, known) == before
                step()
            finally:
                memory.remove_mem_hooks()
                gc.enable()
    assert failed >= 4


@alone()
def test_eviction_never_fails_for_want_of_memory():
    memory = pytest.importorskip("_testcapi", reason="CPython's own tests can refuse memory")
    pools = Pools(1000)
    one, other = Pool(1, 1), Pool(1, 1)
    pools.add(one)
    pools.add(other)
    pools.link(one, other)
    gc.disable()
    memory.set_nomemory(0)
    try:
        pools.evicted(one)
    finally:
        memory.remove_mem_hooks()
        gc.enable()
    assert one.where == "evicted"
    assert pools.cost_to_make(other) == 1  # a worse guess
    pools.remade(one)
    assert pools.live == 2


@alone()
def test_what_is_gone_hands_down_its_cost_without_memory():
    memory = pytest.importorskip("_testcapi", reason="CPython's own tests can refuse memory")
    pools = Pools(1000)
    one, other, last = (Pool(1, 1) for _ in range(3))
    for pool in (one, other, last):
        pools.add(pool)
    pools.link(one, other)
    pools.link(other, last)
    for _ in range(3):  # until there is no place for one more
        filler = Pool(1, constant=True)
        pools.add(filler)
        pools.link(filler, last)
    gc.disable()
    memory.set_nomemory(0)
    try:
        pools.gone(other)
    finally:
        memory.remove_mem_hooks()
        gc.enable()
    assert last.cost == 1 + GONE_TAKES
    pools.evicted(one)
    assert pools.cost_to_make(last) == 1 + GONE_TAKES  # a worse guess: it is no neighbour
