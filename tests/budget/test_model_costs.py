"""The default cost of operations: a model of names and sizes, by which the same program is the same run each time."""

import time

import numpy as np
import pytest

import cowarray
from cowarray._modes.budget.run_log import Call, Mutate, read_log

N = 256


def priced(tmp_path, program):
    """Operations of a program and what the model says that they take, in nanoseconds."""
    path = tmp_path / "run.log"
    with cowarray.budget("1 GiB", small=0, log=path):
        x = cowarray.array(np.random.default_rng(0).random((N, N))) * 2
        kept = program(x)
    del kept
    found = [(record.operation, record.time) for _, record in read_log(path) if type(record) in (Call, Mutate)]
    assert found[0][0] == "multiply"
    return found[1:]


def price(tmp_path, program):
    return priced(tmp_path, program)[-1][1]


@pytest.mark.parametrize(
    "reduced",
    [
        lambda x: x.sum(0),
        lambda x: np.mean(x, axis=1),
        lambda x: cowarray.median(x, axis=0),
        lambda x: x > 0.5,
    ],
)
def test_what_gives_little_costs_what_it_reads(tmp_path, reduced):
    assert price(tmp_path, reduced) >= price(tmp_path, np.floor) / 2


@pytest.mark.parametrize(
    "picked", [lambda x: x[[1, 2]], lambda x: x.take([1, 2], 0), lambda x: cowarray.take(x, [1, 2], 0)]
)
def test_a_few_rows_cost_little_whatever_they_are_picked_from(tmp_path, picked):
    assert 0 < price(tmp_path, picked) < price(tmp_path, lambda x: x.sum(0)) / 50


@pytest.mark.parametrize(
    "product", [lambda x: x @ x, lambda x: x.dot(x), lambda x: np.inner(x, x), lambda x: cowarray.tensordot(x, x, 1)]
)
def test_products_cost_their_multiplications(tmp_path, product):
    assert price(tmp_path, product) == pytest.approx(2 * N**3 / 24, rel=1e-3)


def test_decompositions_cost_more_than_products(tmp_path):
    assert price(tmp_path, cowarray.linalg.inv) > price(tmp_path, lambda x: x @ x)


def test_what_is_sorted_in_a_copy_costs_a_sort(tmp_path):
    assert price(tmp_path, lambda x: cowarray.sort(x)) > price(tmp_path, lambda x: x + 1)


def test_a_part_that_is_written_costs_what_is_written(tmp_path):
    def assigned(x):
        row = cowarray.ones(N)
        x[3] = row
        return row

    def added(x):
        x += 1

    assert 0 < price(tmp_path, assigned) < price(tmp_path, added)


@pytest.mark.parametrize(
    ("power", "same"),
    [
        (lambda x: x**2, lambda x: np.square(x)),
        (lambda x: np.power(x, 2.0), lambda x: np.square(x)),
        (lambda x: x**0.5, lambda x: np.sqrt(x)),
        (lambda x: x**-1, lambda x: np.reciprocal(x)),
    ],
)
def test_a_power_costs_what_numpy_makes_of_it(tmp_path, power, same):
    assert price(tmp_path, power) == price(tmp_path, same) < price(tmp_path, lambda x: x**3) / 2


def test_what_a_power_costs_is_not_what_another_cost_before(tmp_path):
    (_, third), (_, second), (_, again) = priced(tmp_path, lambda x: (x**3, x**2, x**3))
    assert second < third == again


def test_a_power_in_place_costs_what_a_power_costs(tmp_path):
    def cubed(x):
        x **= 3

    assert price(tmp_path, cubed) == price(tmp_path, lambda x: x**3)


def setting(key, value=1.0):
    def program(x):
        x[key] = value

    return program


PARTS = {
    "a row": (3, 1 / N),
    "a column": ((slice(None), 3), 1 / N),
    "every other row": (slice(None, None, 2), 1 / 2),
    "a corner": ((..., slice(8), slice(8)), 64 / N**2),
    "four rows": ([1, 2, 3, 4], 4 / N),
    "an element": ((3, 5), 1 / N**2),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_that_is_set_to_a_number_costs_its_share_of_the_array(tmp_path, name):
    key, share = PARTS[name]
    whole = price(tmp_path, setting(...))
    assert price(tmp_path, setting(key)) == pytest.approx(share * whole, rel=0.02, abs=1)


def test_a_row_that_is_set_to_all_rows_costs_them(tmp_path):
    assert price(tmp_path, setting(..., np.ones(N))) == pytest.approx(price(tmp_path, setting(...)), rel=0.02)


def test_elements_that_are_picked_alone_cost_more_than_rows(tmp_path):
    order = np.random.default_rng(1).permutation(N)
    grid = np.ix_(order, order)
    for rows, elements in ((setting(order), setting(grid)), (lambda x: x[order], lambda x: x[grid])):
        assert price(tmp_path, elements) > 5 * price(tmp_path, rows)
    mask = np.random.default_rng(1).random((N, N)) < 0.5
    assert price(tmp_path, setting(mask)) == price(tmp_path, setting(grid))


def cube(x):
    return x.reshape(16, 16, N) * 1


@pytest.mark.parametrize(
    "summed",
    [
        lambda x: np.tensordot(cube(x), cube(x), ([0, 1], [0, 1])),
        lambda x: np.einsum("ijk,ijl->kl", cube(x), cube(x), optimize=True),
        lambda x: np.einsum("ij,jk", x, x, optimize="greedy"),
    ],
)
def test_sums_over_several_axes_by_blas_cost_their_multiplications(tmp_path, summed):
    assert price(tmp_path, summed) == pytest.approx(price(tmp_path, lambda x: x @ x), rel=1e-3)


def test_a_sum_over_all_axes_costs_what_it_reads(tmp_path):
    assert price(tmp_path, lambda x: np.tensordot(x, x, 2)) < 2 * price(tmp_path, lambda x: x + x)


def test_a_sum_by_einsum_costs_each_combination_of_indices_once(tmp_path):
    def summed(*subscripts):
        return price(tmp_path, lambda x: np.einsum(*(x if each is None else each for each in subscripts)))

    pairs = summed("ij,ij->i", None, None)
    for same in (["ij,ij->j"], ["i...,i...->..."], ["...j,...j->..."], [" i j, ij -> i "]):
        assert summed(*same, None, None) == pairs
    assert summed(None, [0, 1], None, [0, 1], [0]) == pairs
    assert summed("ij,jk->ik", None, None) == N * pairs
    assert summed("ij,ik->j", None, None) == N * pairs
    assert summed("ij->j", None) < pairs


def test_outer_products_cost_what_they_give(tmp_path):
    for outer in (np.outer, np.multiply.outer):
        assert price(tmp_path, lambda x, outer=outer: outer(x[0], x[1])) < price(tmp_path, lambda x: x + x)


def test_draws_cost_the_numbers_that_are_drawn(tmp_path):
    rng = cowarray.random.default_rng(1)
    plain, normal, counts = (
        price(tmp_path, lambda x, draw=draw: draw(size=N)) for draw in (rng.random, rng.normal, rng.poisson)
    )
    assert plain < normal / 3 < counts / 6
    assert price(tmp_path, lambda x: rng.normal(size=(N, 10))) == 10 * normal


def test_what_looks_at_a_diagonal_costs_no_more(tmp_path):
    def filled(x):
        np.fill_diagonal(x, 0)

    assert price(tmp_path, filled) < price(tmp_path, setting(...)) / 4


def test_a_lazy_copy_costs_no_bytes():
    with cowarray.budget("1 GiB", small=0) as run:
        x = cowarray.ones((N, N)) * 2
        took = [run.base_time]
        for copy in (lambda: x.copy(), lambda: x.astype(float), lambda: np.flip(x).copy()):
            kept = copy()
            took.append(run.base_time)
        del kept
    first, second, reordered = np.diff(took)
    assert 0 < first == pytest.approx(second)
    assert first < reordered / 20


def test_an_operation_that_ends_with_a_view_costs_what_it_makes(tmp_path):
    assert price(tmp_path, lambda x: np.tile(x[0], N)) > price(tmp_path, lambda x: x + x) / 4


def test_short_rows_cost_more_to_reduce(tmp_path):
    assert price(tmp_path, lambda x: (x.reshape(-1, 4) * 1).sum(1)) > 5 * price(tmp_path, lambda x: (x * 1).sum(1))


def test_longer_axes_cost_more_to_sort(tmp_path):
    assert price(tmp_path, lambda x: cowarray.sort(x.reshape(-1) * 1)) == pytest.approx(
        2 * price(tmp_path, lambda x: cowarray.sort(x))
    )


@pytest.mark.parametrize("name", ["sin", "exp"])
def test_dtypes_have_prices_of_their_own(tmp_path, name):
    def of(dtype):
        return price(tmp_path, lambda x: getattr(np, name)(x.astype(dtype)))

    assert of("f4") < of("f8") < of("c16")
    assert of("f4") < of("f2")


def stack(n):
    return cowarray.asarray(np.random.default_rng(1).random((n, 3, 3)) + 10 * np.eye(3))


# Seconds that they took on one core of a machine of 2024.
TOOK = {
    "a norm": (lambda x: np.linalg.norm(x, axis=0), lambda: cowarray.ones((1000, 1000)), 1.2e-3),
    "a norm of few rows": (lambda x: np.linalg.norm(x, axis=0), lambda: cowarray.ones((3, 10**6)), 4e-3),
    "a wide SVD": (lambda x: np.linalg.svd(x, full_matrices=False), lambda: cowarray.ones((10, 10**4)), 8e-3),
    "a solution of many": (
        lambda x: np.linalg.solve(cowarray.eye(300) + 1, x),
        lambda: cowarray.ones((300, 3000)),
        2.5e-2,
    ),
    "many small inverses": (np.linalg.inv, lambda: stack(10**4), 1e-2),
    "many small products": (lambda x: x @ x, lambda: stack(10**4), 1e-3),
    "a product by another name": (lambda x: np.linalg.matmul(x, x), lambda: cowarray.ones((500, 500)), 1e-2),
    "a product of a list": (
        lambda x: np.linalg.multi_dot([x, x, x]),
        lambda: cowarray.ones((500, 500)),
        2e-2,
    ),
    "a product with NumPy's": (lambda x: np.matmul(np.ones((1000, 10)), x), lambda: cowarray.ones((10, 1000)), 2e-3),
    "a product of integers": (lambda x: x @ x, lambda: cowarray.ones((300, 300), dtype=int), 2.5e-2),
    "a contraction": (
        lambda x: np.tensordot(x, x, ([0], [0])),
        lambda: cowarray.ones((1000, 100)),
        1.5e-3,
    ),
    "an einsum": (lambda x: np.einsum("ij,jk->ik", x, x), lambda: cowarray.ones((200, 200)), 6e-3),
    "a convolution": (lambda x: np.convolve(x, np.ones(100)), lambda: cowarray.ones(10**5), 4e-3),
    "half floats": (lambda x: x + x, lambda: cowarray.ones(10**6, dtype="f2"), 6e-3),
    "a search": (
        lambda x: np.searchsorted(np.arange(1000.0), x),
        lambda: cowarray.linspace(0, 999, 10**5),
        3e-3,
    ),
    "an order": (cowarray.argsort, lambda: cowarray.asarray(np.random.default_rng(2).random(10**5)), 8e-3),
    "arguments by name": (lambda x: np.cumsum(a=x), lambda: cowarray.ones(10**6), 2e-3),
}


@pytest.mark.parametrize("name", TOOK)
def test_the_model_is_within_five_times_of_the_clock(tmp_path, name):
    function, given, seconds = TOOK[name]
    x = given()
    assert seconds / 5 < 1e-9 * price(tmp_path, lambda _: function(x)) < 5 * seconds


def run_of(layers, room, pause):
    with cowarray.budget(room << 13, small=1) as run:
        weights, states = cowarray.linspace(-1, 1, 1024), [cowarray.linspace(0, 1, 1024)]
        for _ in range(layers):
            states.append(cowarray.tanh(weights * states[-1]))
            time.sleep(pause())
        gradient, total = 2 * states[-1], cowarray.zeros(1024)
        while len(states) > 1:
            gradient = gradient * (1 - states.pop() ** 2)
            total = total + gradient * states[-1]
            gradient = gradient * weights
            time.sleep(pause())
    stats = run.stats()
    return {name: stats[name] for name in ("evictions", "remakes", "base_time", "remat_time", "peak_bytes")}


def test_a_run_is_the_same_however_long_things_take():
    rng = np.random.default_rng()
    quiet = run_of(64, 16, lambda: 0)
    assert quiet["evictions"] > 50
    for _ in range(2):
        assert run_of(64, 16, lambda: float(rng.exponential(3e-4))) == quiet
